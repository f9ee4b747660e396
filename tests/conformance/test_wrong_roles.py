"""A compiled role that goes wrong is caught by the kit, whichever rule it breaks."""

import numpy as np
import pytest

from gapless.roles import Fixings, Maximiser, MaxMarginals, Optimum
from gapless.testing import check_maximiser
from gapless.testing.conformance import ConformanceError
from gapless_chains import ChainProblem

PROBLEM = ChainProblem(np.zeros((3, 2)), [[0.0, -1.0], [2.0, -np.inf]])
STRUCTURES = [
    (PROBLEM.encode(labels), PROBLEM.value(labels))
    for labels in np.indices((2, 2, 2)).reshape(3, -1).T
    if PROBLEM.value(labels) > -np.inf
]
OWN = {tuple(ids.tolist()): own for ids, own in STRUCTURES}


def best(weights, state):
    """The best structure by enumeration: value and decisions."""
    allowed = [(float(weights[ids].sum()) + own, ids) for ids, own in STRUCTURES if Fixings(state).allows(ids)]
    value, ids = max(allowed, key=lambda pair: pair[0], default=(-np.inf, np.zeros(0, np.int64)))
    return (value, ids) if value > -np.inf else (-np.inf, np.zeros(0, np.int64))


class Role:
    """A right role, by enumeration."""

    def solve(self, weights, state):
        return best(weights, state)

    def max_marginals(self, weights, state):
        forced = [[state.copy() for _ in state], [state.copy() for _ in state]]
        for d in range(len(state)):
            forced[0][d][d], forced[1][d][d] = 1, 0
        return tuple(np.array([best(weights, one)[0] for one in kind]) for kind in forced)

    def internal_score_of(self, on):
        return OWN.get(tuple(sorted(on)))

    def excluded(self, one, other):
        return {one, other} in ({1, 3}, {3, 5})


class Twin(Maximiser):
    """The same by enumeration, in Python."""

    def __init__(self, role):
        self.role = role

    def solve(self, weights, fixings):
        value, ids = best(weights, fixings.state)
        own = OWN[tuple(ids.tolist())] if ids.size else 0.0
        return Optimum(value, ids, None, own)

    def max_marginals(self, weights, fixings):
        value, _ = best(weights, fixings.state)
        with np.errstate(invalid="ignore"):
            return MaxMarginals(*(value - forced for forced in Role().max_marginals(weights, fixings.state)))

    def compiled(self):
        return self.role


def bent(**methods):
    return type("Bent", (Role,), methods)()


def shifted(self, weights, state):
    on, off = Role().max_marginals(weights, state)
    return on, off - 0.5


WRONG = {
    "value": (bent(solve=lambda self, w, s: (best(w, s)[0] + 1, best(w, s)[1])), "compiled value is the maximum"),
    "nothing": (bent(solve=lambda self, w, s: (-np.inf, np.zeros(0, np.int64))), "compiled value is the maximum"),
    "another structure": (
        bent(solve=lambda self, w, s: (best(w, s)[0], STRUCTURES[0][0])),
        "agrees with the fixings|own score|sum of weights",
    ),
    "raises": (bent(solve=lambda self, w, s: 1 / 0), "compiled role answers"),
    "own score": (bent(internal_score_of=lambda self, on: 0.0 if tuple(sorted(on)) in OWN else None), "own score"),
    "own score of what is none": (
        bent(internal_score_of=lambda self, on: OWN.get(tuple(sorted(on)), 0.0)),
        "tells what is no structure",
    ),
    "exclusion": (bent(excluded=lambda self, one, other: True), "exclude each other"),
    "marginals on": (
        bent(max_marginals=lambda self, w, s: Role().max_marginals(w, s)[::-1]),
        "max-marginals are exact",
    ),
    "marginals off": (bent(max_marginals=shifted), "max-marginals are exact"),
}


def check(role):
    on_sets = [ids for ids, _ in STRUCTURES]
    check_maximiser(Twin(role), PROBLEM.decisions, on_sets, internal_score=lambda ids: OWN[tuple(ids.tolist())])


def test_a_right_role_passes():
    check(Role())


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_role_is_caught(name):
    role, rule = WRONG[name]
    with pytest.raises(ConformanceError) as error:
        check(role)
    assert any(part in error.value.rule for part in rule.split("|")), error.value
