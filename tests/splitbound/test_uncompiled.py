"""A solve that leaves the compiled search says which factor, limit or option is to blame, and what that costs."""

import numpy as np
import pytest

import gapless
import gapless_kernels
from gapless import Limits
from gapless_dependency import AnyOf, Grandchild, GrandSibling, ParsingProblem, Valency
from gapless_splitbound import k_best

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="without kernels everything runs in Python")
N = 5


def noise(*factors):
    rng = np.random.default_rng(3)
    conjunctions = Grandchild(rng.normal(size=(N + 1,) * 3))
    return ParsingProblem(rng.normal(size=(N + 1,) * 2), factors=[conjunctions, *factors], projective=True)


VALENCY, ANY = Valency(2, np.zeros(N + 1)), AnyOf(((1, 2),), 0.0)
FACTORS = "the search ran in Python, typically 50 to 300 times slower"
METHODS = pytest.mark.parametrize("method", ["split-bound", "lagrangian-cut"])


@METHODS
@pytest.mark.parametrize("k", [1, 2])
def test_the_compiled_search_has_nothing_to_explain(method, k):
    result = gapless.solve(noise(), method, k=k, limits=Limits(time=60.0, nodes=1000, gap=0.0), trace=True)
    assert result.proved
    assert not any("Python" in line for line in result.explanation)


@METHODS
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize(
    ("factors", "named"),
    [((VALENCY,), "Valency has no"), ((ANY, VALENCY), "AnyOf and Valency have no"), ((ANY, ANY), "AnyOf has no")],
)
def test_a_factor_without_a_compiled_form_is_named(method, k, factors, named):
    result = gapless.solve(noise(*factors), method, k=k)
    assert result.proved
    assert result.explanation[0].startswith(f"{named} compiled form: {FACTORS}")
    assert result.value == pytest.approx(gapless.solve(noise()).value)


@METHODS
def test_a_limit_that_the_compiled_search_does_not_count_is_named(method):
    result = gapless.solve(noise(), method, limits=Limits(iterations=10_000))
    (said,) = result.explanation
    assert said.startswith("Limits(iterations=10000) counts steps")
    assert "10 to 150 times slower; a limit on nodes or time leaves it compiled" in said
    # Where a factor leaves it anyway, another limit would not help.
    (said,) = gapless.solve(noise(VALENCY), method, limits=Limits(iterations=10_000)).explanation
    assert "Valency" in said


def test_a_backbone_is_named():
    (said,) = gapless.solve(noise(GrandSibling(np.zeros((N + 1,) * 4))), "split-bound").explanation
    assert said.startswith("GrandSibling needs the backbone 'grand-sibling'")
    (said,) = gapless.solve(noise(), "split-bound", backbone="sibling").explanation
    assert said.startswith("the option asked for the backbone 'sibling'")


def test_fewer_heads_say_both():
    result = gapless.solve(noise(VALENCY), "split-bound", heads_kept=3)
    assert "heads_kept=3" in result.explanation[0]
    assert FACTORS in result.explanation[1]


@METHODS
def test_batches_say_so_too(method):
    batch = gapless.solve_many([noise(VALENCY), noise()], method)
    assert FACTORS in batch[0].explanation[0]
    assert not batch[1].explanation


def test_a_list_whose_order_rounding_may_decide(monkeypatch):
    def rough(self):
        raise k_best._TooRough

    monkeypatch.setattr(k_best._Listing, "_find_first", rough)
    result = gapless.solve(noise(), "split-bound", k=2)
    assert result.explanation[0] == k_best.ROUGH


def test_without_kernels(monkeypatch):
    monkeypatch.setattr(gapless_kernels, "COMPILED", False)
    (said,) = gapless.solve(noise(), "split-bound").explanation
    assert "GAPLESS_PURE=1" in said
