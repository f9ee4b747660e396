"""Maximisers made of C functions: the answers of their model, and an error for each rule that a function breaks.

The functions are Python here, behind addresses of ctypes; `tests/examples/test_rna_folding.py` compiles some.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from c_functions import EXCLUDES, FAILED, FOUND, LOST, MARGINALS, NOTHING, OWN, STRUCTURE, raises
from drawn import examples, generators
from hypothesis import given

import gapless_kernels

if not gapless_kernels.COMPILED:
    pytest.skip("GAPLESS_PURE=1", allow_module_level=True)

from gapless_kernels import ForeignMaximiser

pytestmark = pytest.mark.usefixtures("raised_in_callbacks")


class Pairs:
    """At most one decision of each given pair; the model in Python and its C functions."""

    def __init__(self, size: int, excluded: set[tuple[int, int]], own: float) -> None:
        self.size, self.excluded, self.extra = size, excluded, own

    def sets(self, state: Any) -> Iterator[tuple[int, ...]]:
        for y in itertools.product((0, 1), repeat=self.size):
            if all(s in (-1, v) for s, v in zip(state, y, strict=True)) and not any(
                y[a] and y[b] for a, b in self.excluded
            ):
                yield tuple(d for d in range(self.size) if y[d])

    def total(self, on: tuple[int, ...], weights: Any) -> float:
        return float(sum(weights[d] for d in on) + self.extra * len(on) ** 2)

    def functions(self) -> dict[str, Any]:
        n = self.size

        def maximise(data: Any, chart: int, weights: Any, state: Any, value: Any, on: Any, count: Any) -> int:
            found = max(self.sets(state[:n]), key=lambda on: self.total(on, weights), default=None)
            if found is None:
                return NOTHING
            value[0], count[0] = self.total(found, weights), len(found)
            for i, one in enumerate(found):
                on[i] = one
            return FOUND

        def marginals(data: Any, weights: Any, state: Any, on: Any, off: Any) -> int:
            for d in range(n):
                of = [(d in s, self.total(s, weights)) for s in self.sets(state[:n])]
                on[d] = max((t for has, t in of if has), default=-np.inf)
                if off:
                    off[d] = max((t for has, t in of if not has), default=-np.inf)
            return FOUND

        def internal_score(data: Any, on: Any, count: int, own: Any) -> int:
            own[0] = self.extra * count**2
            return NOTHING if any(a in on[:count] and b in on[:count] for a, b in self.excluded) else FOUND

        return {
            "maximise": STRUCTURE(maximise),
            "marginals": MARGINALS(marginals),
            "internal_score": OWN(internal_score),
            "excludes": EXCLUDES(lambda data, one, other: (one, other) in self.excluded),
        }


@examples(30)
@given(rng=generators())
def test_a_maximiser_gives_what_its_functions_give(rng):
    size = int(rng.integers(1, 5))
    pairs = {
        tuple(sorted(rng.choice(size, 2, replace=False).tolist()))
        for _ in range(int(rng.integers(0, 3)))
        if size > 1
    }
    model = Pairs(size, pairs, float(rng.integers(0, 2)))
    maximiser = ForeignMaximiser(size, **model.functions())
    weights, state = rng.integers(-3, 4, size).astype(float), rng.integers(-1, 2, size)
    weights = np.where(state == 0, -np.inf, weights)
    totals = {on: model.total(on, weights) for on in model.sets(state)}
    value, on = maximiser.solve(weights, state)
    assert value == max(totals.values(), default=-np.inf)
    if totals:
        assert totals[tuple(on.tolist())] == value
        with_on, with_off = maximiser.max_marginals(weights, state)
        for d in range(size):
            assert with_on[d] == max((t for s, t in totals.items() if d in s), default=-np.inf)
            assert with_off[d] == max((t for s, t in totals.items() if d not in s), default=-np.inf)
    for y in itertools.chain.from_iterable(itertools.combinations(range(size), k) for k in range(size + 1)):
        allowed = not any(a in y and b in y for a, b in pairs)
        assert maximiser.internal_score_of(y) == (model.extra * len(y) ** 2 if allowed else None)


def _structure(value, on, count=None, code=FOUND):
    def maximise(data: Any, chart: int, weights: Any, state: Any, place: Any, ids: Any, number: Any) -> int:
        place[0] = value
        number[0] = len(on) if count is None else count
        for i, one in enumerate(on):
            ids[i] = one
        return code

    return STRUCTURE(maximise)


@pytest.mark.parametrize(
    ("maximise", "told"),
    [
        (_structure(0.0, [0, 2], 4), "4 decisions are on, more than there may be"),
        (_structure(0.0, [], -1), "-1 decisions are on"),
        (_structure(0.0, [0, 3]), "wrote 3 where a decision"),
        (_structure(0.0, [-1]), "wrote -1 where a decision"),
        (_structure(0.0, [0, 0]), "names decision 0 twice"),
        (_structure(0.0, [0, 1]), "does not keep decision 1 as the state fixes it"),
        (_structure(0.0, [2]), "does not keep decision 0 as the state fixes it"),
        (_structure(np.nan, [0]), "NaN, or did not write it"),
        (_structure(np.inf, [0]), "infinite"),
        (_structure(0.0, [0], code=FAILED), "GS_FAILED"),
        (_structure(0.0, [0], code=2), "returned 2, which is none of"),
        (STRUCTURE(raises), "maximise.. of a ForeignMaximiser over 3 decisions (says that -1|.*which is none of)"),
    ],
)
def test_a_structure_that_cannot_be_is_an_error(maximise, told):
    maximiser = ForeignMaximiser(3, maximise)
    for _ in range(2):  # what is marked for one answer is gone before the next
        with pytest.raises(RuntimeError, match=told):
            maximiser.solve([1.0, 1.0, 1.0], [1, 0, -1])


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        ({"decisions": -1}, ValueError, "decisions must be from 0"),
        ({"most_on": -1}, ValueError, "most_on must be from 0 to .*, got -1"),
        ({"has_internal_scores": True}, ValueError, "give internal_score= as well"),
        (
            {"internal_score": MARGINALS(lambda *a: 0)},
            TypeError,
            r"expected int \(void \*, int32_t \*, ptrdiff_t, double \*\)",
        ),
        ({"excludes": OWN(lambda *a: 0)}, TypeError, "excludes has the type"),
    ],
)
def test_a_maximiser_that_cannot_be_is_named(change, error, told):
    with pytest.raises(error, match=told):
        ForeignMaximiser(**{"decisions": 3, "maximise": _structure(0.0, []), **change})


def test_more_decisions_on_than_promised_is_an_error():
    assert ForeignMaximiser(3, _structure(0.0, [0, 1]), most_on=2).solve([0.0] * 3)[0] == 0.0
    with pytest.raises(RuntimeError, match="2 decisions are on, more than there may be"):
        ForeignMaximiser(3, _structure(0.0, [0, 1]), most_on=1).solve([0.0] * 3)


@pytest.mark.parametrize("ask", [lambda m: m.max_marginals([0.0] * 3), lambda m: m.internal_score_of([0])])
def test_an_error_inside_another_callback_is_no_value(ask, raised_in_callbacks):
    maximiser = ForeignMaximiser(3, _structure(0.0, [0]), MARGINALS(raises), OWN(raises))
    with pytest.raises(RuntimeError, match=f"of a ForeignMaximiser over 3 decisions .*({LOST})"):
        ask(maximiser)
    assert raised_in_callbacks == [ZeroDivisionError]
