"""Factors on chains, trees, paths and links: values, files, linear models, verdicts, and who may solve them."""

import subprocess
import sys

import attrs
import numpy as np
import pytest
from drawn import mostly_long
from plain_backbones import PlainChain
from small_problems import KINDS

import gapless as gl
from gapless.arrays.serial import dumps, loads
from gapless.certificates.certificate import LinearDualCertificate
from gapless.certificates.split_certificate import SplitCertificate
from gapless.plugins.manager import load_plugins
from gapless.report.structures import drawn_structures
from gapless.roles import Backbone, Conjunctions, Decisions, Fixings, Maximiser, Optimum, Sense, StructureFactor
from gapless.scip import solve_monolithic
from gapless.testing import check_problem, enumerate_best, feasible_structures
from gapless.testing.random_factors import EXACT_TIERS, ScoredCount, random_factors
from gapless_chains import ChainModel, ChainProblem


class Count(ScoredCount):
    """A factor that no file can name."""


def with_factors(kind, rng, factors=None):
    bare = KINDS[kind](rng)
    return bare, attrs.evolve(
        bare, factors=factors or random_factors(rng, bare.decisions, tiers=EXACT_TIERS, kind="ties")
    )


@pytest.mark.parametrize("cases", [8, pytest.param(25, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
def test_values_and_violations(kind, cases):
    rng = np.random.default_rng(1)
    for _ in range(cases // 4 if kind == "ordering" else cases):
        bare, problem = with_factors(kind, rng)
        for found in feasible_structures(bare):
            extra = problem.factor_set.value(found.on_ids)
            if extra == -np.inf:
                assert "forbids" in problem.violations(found.structure)[0]
            else:
                assert problem.violations(found.structure) == []
            assert problem.sense.sign * problem.value(found.structure) == pytest.approx(found.score + extra)


@pytest.mark.parametrize("cases", mostly_long([6, 24], quick=[0]))
@pytest.mark.parametrize("kind", KINDS)
def test_the_linear_model_scores_factors(kind, cases):
    rng = np.random.default_rng(2)
    for _ in range(cases // 4 if kind == "ordering" else cases):
        _, problem = with_factors(kind, rng)
        best = enumerate_best(problem)
        result = solve_monolithic(problem)
        if best:
            assert result.value == pytest.approx(best[0].value, abs=1e-6)
            prices = rng.normal(size=len(problem.linear_model().rows))
            bound = LinearDualCertificate(prices).verify(problem).bound
            assert bound >= problem.sense.sign * best[0].value - 1e-6
        else:
            assert result.status is gl.Status.INFEASIBLE


@pytest.mark.parametrize("kind", KINDS)
def test_rules_of_problems(kind):
    rng = np.random.default_rng(3)
    for _ in range(3):
        bare = KINDS[kind](rng)
        pair = [[0, bare.decisions.count - 1]]
        check_problem(attrs.evolve(bare, factors=[Conjunctions(pair, [1.0])]))


@pytest.mark.parametrize("kind", KINDS)
def test_files(kind):
    rng = np.random.default_rng(4)
    bare, problem = with_factors(kind, rng, [Conjunctions([[0, 3], [1, 2]], [2.0, -np.inf])])
    assert "factors" not in dumps(bare)
    again = loads(dumps(problem))
    for found in feasible_structures(bare):
        assert again.value(found.structure) == problem.value(found.structure)

    class Template(Conjunctions):
        """Of a user's script: no file knows it."""

    own = attrs.evolve(bare, factors=[Template([[0, 3], [1, 2]], [2.0, -np.inf])])
    assert [type(f) for f in loads(dumps(own)).factors] == [Conjunctions]
    with pytest.raises(gl.InvalidProblem, match="Count cannot be written as JSON"):
        dumps(attrs.evolve(bare, factors=[Count([0], [0.0, 1.0])]))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_factor_is_refused(kind):
    with pytest.raises(gl.InvalidProblem, match=r"factors\[0\] is 3, expected"):
        attrs.evolve(KINDS[kind](np.random.default_rng(0)), factors=[3])


@pytest.mark.parametrize("kind", [*KINDS, "parsing"])
def test_every_method_counts_factors_or_refuses(kind):
    """No method of any problem may ignore factors: it would state a wrong optimum."""
    registry, rng = load_plugins().registry, np.random.default_rng(5)
    cls = registry.problems[kind]
    if kind == "parsing":
        scores = np.zeros((4, 4))
        problem = cls(scores, factors=[Conjunctions([[0, 5], [1, 6]], [2.0, 1.0])])
    else:
        bare = KINDS[kind](rng)
        count = bare.decisions.count
        best = enumerate_best(bare)[0]
        on = bare.encode(best.structure)
        rest = [[int(on[0]), d] for d in range(count) if d != on[0]]
        problem = attrs.evolve(bare, factors=[Conjunctions(rest, np.full(len(rest), -50.0))])
    judge = enumerate_best(problem)[0].value
    for name, method in registry.methods_for(cls).items():
        if method.needs_backbone:
            continue  # where the type has one: the tests of maximisers
        if not method.supports_factors:
            with pytest.raises(gl.InvalidProblem, match=f"method '{name}' does not count factors, and this"):
                gl.solve(problem, name)
            batch = gl.solve_many([problem, problem], name)
            assert sorted(batch.errors) == [0, 1]
            assert [r is not gl.Status.OPTIMAL for r in batch.statuses] == [True, True]
            continue
        result = gl.solve(problem, name)
        assert problem.sense.sign * result.bound >= problem.sense.sign * judge - 1e-6
        if result.status is gl.Status.OPTIMAL:
            assert result.value == pytest.approx(judge, abs=1e-6)


def test_evidence_without_factors_is_refused_where_there_are_some():
    rng = np.random.default_rng(6)
    for kind in ("chain", "tree", "linking", "ordering"):
        bare = KINDS[kind](rng)
        result = gl.solve(bare)
        assert result.verify(bare)
        ids = bare.encode(result.solutions[0].structure)
        bad = attrs.evolve(bare, factors=[Conjunctions([[int(ids[0]), int(ids[1])]], [-100.0 * bare.sense.sign])])
        verdict = result.certificate.verify(bad)
        assert not verdict
        assert "does not count factors" in verdict.reason


def test_scores_that_change_fail_the_check():
    class Moody(Count):
        def value(self, on):
            object.__setattr__(self, "scores", self.scores + 1e-3)
            return super().value(on)

    problem = PlainChain(np.zeros((2, 2)), np.zeros((2, 2)))
    result = gl.solve(attrs.evolve(problem, factors=[Count([0, 3], [0.0, 1.0, 2.0])]))
    verdict = result.verify(attrs.evolve(problem, factors=[Moody([0, 3], [0.0, 1.0, 2.0])]))
    assert not verdict


def test_the_default_is_the_search_where_factors_are():
    plain = PlainChain(np.zeros((2, 2)), np.zeros((2, 2)))
    assert gl.solve(plain).method == "dominance"
    factored = attrs.evolve(plain, factors=[Conjunctions([[0, 3]], [1.0])])
    result = gl.solve(factored)
    assert (result.method, result.value) == ("split-bound", 1.0)
    assert result.verify(factored)
    batch = gl.solve_many([plain, factored, plain])
    assert [r.method for r in batch] == ["dominance", "split-bound", "dominance"]
    assert batch.values.tolist() == [0.0, 1.0, 0.0]


def test_many_share_factors():
    problems = ChainProblem.many([np.zeros((2, 2))] * 2, np.zeros((2, 2)), factors=[Conjunctions([[0, 2]], [1.0])])
    assert [p.value(np.array([0, 0])) for p in problems] == [1.0, 1.0]
    batch = ChainModel(np.zeros((2, 2))).batch(np.zeros((2, 3, 2)), lengths=[3, 2])
    assert all(not len(p.factors) for p in batch)


class Pick(Maximiser):
    """Exactly one of all decisions."""

    def solve(self, weights, fixings):
        left = [d for d in range(weights.size) if fixings.allows(np.array([d]))]
        if not left:
            return Optimum(-np.inf, np.zeros(0, np.int64))
        best = max(left, key=lambda d: weights[d])
        return Optimum(float(weights[best]), np.array([best]))

    def max_marginals(self, weights, fixings):
        raise NotImplementedError


class Cheapest(gl.Problem):
    """A cost to minimise: the backbone and factors are turned."""

    sense = Sense.MINIMISE

    def __init__(self, costs, factors=()):
        self.costs, self.factors = np.asarray(costs, float), factors
        self._decisions = Decisions(self.costs.size, exactly_one=(range(self.costs.size),))

    @property
    def decisions(self):
        return self._decisions

    def value(self, structure):
        return float(self.costs[structure]) + self.factor_value(structure)

    def violations(self, structure):
        return self.factor_violations(structure)

    def encode(self, structure):
        return np.array([structure])

    def decode(self, on_ids):
        return int(on_ids[0])

    def backbone(self):
        return Backbone(Pick(), -self.costs)


def test_minimising():
    problem = Cheapest([5.0, 3.0, 4.0], [Conjunctions([[0], [2]], [2.5, -np.inf])])
    result = gl.solve(problem)
    assert (result.value, result.solutions[0].structure) == (2.5, 0)
    assert result.verify(problem)
    assert problem.violations(2) == ["factors[0] (conjunctions) forbids decision 2"]
    check_problem(problem, json=False)
    assert Fixings.none(3).allows(np.array([0]))


def test_a_report_says_which_factors_score():
    problem = attrs.evolve(PlainChain(np.zeros((2, 2)), np.zeros((2, 2))), factors=[Conjunctions([[0, 3]], [1.0])])
    drawn = drawn_structures(gl.Record(problem, gl.solve(problem)))
    assert drawn[0].fired == ["+1  conjunctions: token 0 has label 0, token 1 has label 1"]
    bare = attrs.evolve(problem, factors=())
    assert drawn_structures(gl.Record(bare, gl.solve(bare)))[0].fired == []


@pytest.mark.parametrize(
    "written", mostly_long(["problem", "result", "certificate", "second structure"], quick=[0])
)
def test_another_process_reads_problem_and_proof(written):
    problem = ChainProblem(np.zeros((2, 2)), np.zeros((2, 2)), factors=[Conjunctions([[0, 3]], [1.0])])
    listed = PlainChain(np.zeros((2, 2)), np.zeros((2, 2)), factors=problem.factors)
    text = {
        "problem": lambda: dumps(problem),
        "result": lambda: gl.solve(listed).to_json(),
        "certificate": lambda: dumps(SplitCertificate.even(listed)),
        "second structure": lambda: dumps(StructureFactor(problem.backbone().maximiser, np.arange(4))),
    }[written]()
    code = "import sys; from gapless.arrays.serial import loads; print(type(loads(sys.stdin.read())).__name__)"
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == type(loads(text)).__name__
