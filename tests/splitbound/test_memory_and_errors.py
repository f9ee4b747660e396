"""Proofs that outgrow their memory, scores that cancel, observers that raise, starts that are no tree."""

import numpy as np
import pytest
from drawn import always_the_same, generators
from hypothesis import given

import gapless
from gapless import InvalidProblem, Limits, Status, Stop
from gapless.roles import Factor, NoCertificate, OracleError
from gapless.search import driver
from gapless_dependency import Grandchild, ParsingProblem, Sibling
from gapless_dependency.enumeration import tree_scores

pytest.importorskip("gapless_kernels.search._search")

ENUMERATION = 1e-5
"""Bound on the rounding of enumeration itself, whose sums hold terms of 1e9."""


class Scored(Factor):
    """Any scopes with any scores."""

    name = "scored"

    def __init__(self, scopes, scores):
        self._scopes, self._scores = np.asarray(scopes, np.int64), np.asarray(scores, float)

    def scopes(self, decisions):
        return self._scopes

    def score(self, scopes, decisions):
        known = {tuple(row): score for row, score in zip(self._scopes.tolist(), self._scores, strict=True)}
        return np.array([known[tuple(row)] for row in scopes.tolist()], float)

    def upper_bound(self, scopes, decisions):
        return self.score(scopes, decisions)


def cancelling(rng, n):
    """Scores of +-1 to 1e9 on any sets of arcs, beside arc scores of about 1."""
    weights, projective = rng.normal(size=(n + 1, n + 1)), bool(rng.random() < 0.5)
    arcs = ParsingProblem(weights, projective=projective).decisions.count
    factors = []
    for _ in range(rng.integers(1, 4)):
        width = min(int(rng.choice([1, 2, 2, 3])), arcs)
        rows = {tuple(rng.permutation(arcs)[:width].tolist()): None for _ in range(rng.integers(1, 40))}
        scores = rng.choice([-1, 1], len(rows)) * 10 ** rng.uniform(0, 9, len(rows))
        factors.append(Scored(list(rows), scores))
        if rng.random() < 0.5:
            factors.append(Scored([row[::-1] for row in rows], -scores))
    return ParsingProblem(weights, projective=projective, factors=factors)


@pytest.mark.parametrize("variant", ["default", "paper"])
@always_the_same(40)  # others: scores up to 1e9 that cancel, OPTIMAL without a certificate and FEASIBLE with one
@given(rng=generators())
def test_optimal_is_said_only_when_the_proof_verifies(rng, variant):
    problem = cancelling(rng, int(rng.integers(1, 5)))
    best = tree_scores(problem)[1].max()
    result = gapless.solve(problem, "split-bound", variant=variant)
    assert result.bound >= best - ENUMERATION
    assert result.verify(problem)
    if result.status is Status.OPTIMAL:
        assert result.value == pytest.approx(best, rel=1e-8, abs=ENUMERATION)
    plain = gapless.solve(problem, "split-bound", variant=variant, certificate=False)
    assert plain.status is result.status
    batch = gapless.solve_many([problem], "split-bound", variant=variant)
    assert batch.statuses[0] is result.status


def noise(n):
    rng = np.random.default_rng(5)
    shape = (n + 1,) * 3
    factors = [Sibling(rng.normal(size=shape)), Grandchild(rng.normal(size=shape))]
    return ParsingProblem(rng.normal(size=shape[1:]), projective=False, factors=factors)


def with_memory(monkeypatch, limit):
    kernel = driver.NodeSearch
    monkeypatch.setattr(driver, "NodeSearch", lambda *given, **named: kernel(*given, **named, memory_limit=limit))


def test_a_stopped_search_without_its_record_keeps_its_bound_and_says_so(monkeypatch):
    problem = noise(9)
    whole = gapless.solve(problem, "split-bound", limits=Limits(nodes=15))
    assert whole.verify(problem)
    with_memory(monkeypatch, 5e4)
    result = gapless.solve(problem, "split-bound", limits=Limits(nodes=15))
    assert result.status is Status.FEASIBLE
    assert result.stop is Stop.NODES
    assert whole.bound - 1e-9 <= result.bound < whole.bound + 20.0
    assert result.bound >= gapless.solve(problem, "split-bound").value
    assert "outgrew its memory" in result.verify(problem).reason
    assert "outgrew its memory" in result.explanation[0]


@pytest.mark.parametrize("nodes", [(20, 200), pytest.param((20, 200, 4000), marks=pytest.mark.long)], ids=str)
def test_a_longer_search_has_no_worse_a_bound(nodes):
    """With a record or without one."""
    problem = noise(20)
    bounds = [gapless.solve(problem, "split-bound", limits=Limits(nodes=n)).bound for n in nodes]
    assert bounds == sorted(bounds, reverse=True)


def test_a_finished_search_says_why_it_has_no_record(monkeypatch):
    problem = noise(7)
    known = gapless.solve(problem, "split-bound")
    with_memory(monkeypatch, 0.0)
    result = gapless.solve(problem, "split-bound")
    assert result.status is Status.OPTIMAL
    assert known.verify(problem)
    assert result.value == known.value
    assert isinstance(result.certificate, NoCertificate)
    assert "outgrew its memory" in result.certificate.why
    assert "limit on nodes" in result.certificate.why
    assert result.proof.startswith("proved, no certificate: the record of the search outgrew its memory")
    assert known.proof == "proved, with certificate"
    with pytest.raises(gapless.VerificationFailed, match="outgrew its memory") as caught:
        gapless.solve(problem, "split-bound", verify=True)
    assert caught.value.result.status is Status.FEASIBLE


def test_an_observer_that_raises_leaves_the_best_so_far():
    problem = noise(6)

    def observer(event):
        if event.kind == "node":
            raise RuntimeError("full disk")

    with pytest.raises(OracleError) as caught:
        gapless.solve(problem, "split-bound", observers=[observer])
    held = caught.value.result
    assert held is not None
    assert held.stop is Stop.ERROR
    assert held.solutions
    assert not held.proved


def test_a_start_that_is_no_tree():
    problem = noise(4)
    tree = gapless.solve(problem, "split-bound").best
    with pytest.raises(InvalidProblem, match="the structure is a list"):
        gapless.solve(problem, "split-bound", start=[tree])
