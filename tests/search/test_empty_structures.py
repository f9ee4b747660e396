"""Structures that turn nothing on: their internal score counts as that of any other."""

from contextlib import nullcontext

import attrs
import numpy as np
import pytest

import gapless
import gapless_kernels
from gapless import Limits, Status
from gapless.roles import Backbone, Decisions
from gapless.testing.campaign import readable_search
from gapless.testing.random_factors import ListedStructures

SEARCHES = ["readable", *["compiled"] * gapless_kernels.COMPILED]


@attrs.frozen(eq=False)
class Both(gapless.Problem):
    """Two decisions, none or both of which are on."""

    scores: tuple[float, float] = (-2.0, 1.0)
    offers_guess: bool = False
    decisions = Decisions(2)

    def value(self, structure):
        return self.scores[bool(structure)]

    def violations(self, structure):
        return [] if structure in ((), (0, 1)) else ["one is on without the other"]

    def encode(self, structure):
        return np.array(structure, np.int64)

    def decode(self, on_ids):
        return tuple(map(int, on_ids))

    def backbone(self):
        on = np.array([[False, False], [True, True]])
        role = ListedStructures(on, np.array(self.scores))
        return Backbone(role, np.zeros(2), initial_structure=(lambda: ()) if self.offers_guess else None)


@pytest.fixture(params=SEARCHES)
def search(request):
    """The search that runs, compiled or readable."""
    with readable_search() if request.param == "readable" and gapless_kernels.COMPILED else nullcontext():
        yield request.param


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("scores", [(-2.0, 1.0), (2.0, -1.0), (-1.0, -2.0)])
@pytest.mark.parametrize("nodes", [None, 0])
def test_a_start_without_decisions_has_its_score(scores, nodes):
    """The compiled search took it for 0: the maximiser had said nothing yet about "no decisions"."""
    problem = Both(scores)
    result = gapless.solve(problem, start=(), limits=Limits(nodes=nodes))
    assert result.value == (max(scores) if nodes is None else scores[0])
    assert nodes == 0 or (result.status is Status.OPTIMAL and result.verify(problem))


@pytest.mark.usefixtures("search")
def test_a_guess_without_decisions_has_its_score():
    problem = Both(offers_guess=True)
    assert gapless.solve(problem).value == 1.0
    assert gapless.solve(problem, limits=Limits(nodes=0)).value == -2.0


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("scores", [(-2.0, 1.0), (2.0, -1.0)])
def test_a_list_of_the_best_holds_the_empty_structure_once(scores):
    problem = Both(scores)
    result = gapless.solve(problem, k=3, start=())
    assert [(s.structure, s.value) for s in result.solutions] == sorted(
        [((), scores[0]), ((0, 1), scores[1])], key=lambda pair: -pair[1]
    )
