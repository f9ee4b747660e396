"""No factor, limit or option leaves the compiled search; without kernels, an answer says so."""

import numpy as np
import pytest

import gapless
import gapless_kernels
from gapless import Limits, Stop
from gapless.search import driver, k_best, layout
from gapless.search.reference_search import ReferenceSearch
from gapless_dependency import AnyOf, Grandchild, GrandSibling, ParsingProblem, Sibling, Valency

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="without kernels everything runs in Python")
N = 5


def noise(*factors):
    rng = np.random.default_rng(3)
    conjunctions = Grandchild(rng.normal(size=(N + 1,) * 3))
    return ParsingProblem(rng.normal(size=(N + 1,) * 2), factors=[conjunctions, *factors], projective=True)


VALENCY, ANY = Valency(2, np.zeros(N + 1)), AnyOf(((1, 2),), 0.0)
METHODS = pytest.mark.parametrize("method", ["split-bound", "lagrangian-cut"])
LIMITS = Limits(time=60.0, nodes=10_000, relative_gap=0.0, iterations=10**6, target=1e6)


@METHODS
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize(
    "factors", [(), (VALENCY,), (ANY, VALENCY), (GrandSibling(np.zeros((N + 1,) * 4)),)], ids=len
)
def test_no_factor_and_no_limit_leaves_the_compiled_search(method, k, factors, monkeypatch):
    taken = []
    real = driver.NodeSearch
    monkeypatch.setattr(driver, "NodeSearch", lambda *a, **o: taken.append(o) or real(*a, **o))
    result = gapless.solve(noise(*factors), method, k=k, limits=LIMITS, trace=True)
    assert result.proved
    assert taken
    assert not any("Python" in line for line in result.explanation)
    assert result.value == pytest.approx(gapless.solve(noise()).value)
    assert result.stats.iterations > 0


@METHODS
def test_a_limit_on_iterations_counts_steps(method, monkeypatch):
    monkeypatch.setattr(layout, "CHOICES", 0)  # bounds alone
    whole = gapless.solve(hard := noise(Sibling(10 * np.random.default_rng(1).normal(size=(N + 1,) * 3))), method)
    assert whole.stats.iterations > 2
    for most in range(3):
        result = gapless.solve(hard, method, limits=Limits(iterations=most))
        assert result.stats.iterations <= most
        assert result.stop in (Stop.ITERATIONS, Stop.PROVED)
        assert result.bound >= whole.value - 1e-9


def test_a_list_whose_order_rounding_may_decide(monkeypatch):
    whole = gapless.solve(noise(), "split-bound", k=2)
    monkeypatch.setattr(driver.SearchDriver, "rounding_may_decide", lambda self, exact, threshold=0.0: True)
    checked, listing = [], k_best.KBestSearch
    right = listing._verifies_bound
    monkeypatch.setattr(listing, "_verifies_bound", lambda *asked: checked.append(right(*asked)) or checked[-1])
    result = gapless.solve(noise(), "split-bound", k=2)
    assert result.proved
    assert checked
    assert all(checked)
    assert [s.value for s in result.solutions] == [s.value for s in whole.solutions]
    # A part whose best structure scores more than what its search found stays open.
    monkeypatch.setattr(listing, "_verifies_bound", lambda self, part, limit: right(self, part, limit - 1.0))
    result = gapless.solve(noise(), "split-bound", k=2)
    assert result.stop is Stop.GAP
    assert result.explanation[0] == k_best.ROUGH
    assert [s.value for s in result.solutions] == [s.value for s in whole.solutions]


def test_without_kernels(monkeypatch):
    monkeypatch.setattr(gapless_kernels, "COMPILED", False)
    monkeypatch.setattr(driver, "NodeSearch", ReferenceSearch)
    (said,) = gapless.solve(noise(), "split-bound").explanation
    assert "GAPLESS_PURE=1" in said
