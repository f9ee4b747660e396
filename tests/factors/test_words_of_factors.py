"""A verdict names the factors that are believed, and an error of a factor refutes it with the factor's name."""

from typing import ClassVar

import numpy as np
import pytest

import gapless as gl
import gapless.factors
from gapless.certificates.enumerated_choices import EnumeratedChoices
from gapless.certificates.split_certificate import SplitCertificate
from gapless.errors import InconsistentBound, OracleError
from gapless.roles import (
    Backbone,
    ConfigurationFactor,
    DecisionDiagram,
    Decisions,
    Maximiser,
    MaxMarginals,
    Optimum,
)
from gapless_chains import ChainProblem
from gapless_dependency import ParsingProblem


class Nothing(ConfigurationFactor):
    """Scores 0 everywhere, until it breaks."""

    name = "nothing"

    def __init__(self, count, error=None):
        self.count, self.error = count, error

    def scope(self, decisions):
        return np.arange(self.count)

    def value(self, on):
        if self.error is not None and on[0]:
            raise self.error
        return 0.0

    def best(self, weights):
        on = weights > 0
        return float(weights[on].sum()), on


class Coarse(DecisionDiagram):
    """Any number of decisions; too large a diagram unless it is relaxed."""

    name = "coarse"
    limit: ClassVar[int] = 6

    def layers(self, decisions):
        return [[d] for d in range(decisions.count)]

    def step(self, layer, choice, states):
        return states + choice + 1, 0.0

    def relax(self, layer, states):
        return states // 2 * 2


def chain(*factors):
    return ChainProblem([[1.0, 0.0]] * 6, np.zeros((2, 2)), factors=factors)


@pytest.mark.parametrize("kind", [chain, lambda *f: ParsingProblem(np.ones((5, 5)), factors=f)])
def test_a_best_over_many_decisions_is_named(kind):
    for count, named in ((8, False), (9, True)):
        problem = kind(Nothing(count))
        verdict = split_bound_of(problem).verify(problem)
        assert verdict
        assert ("rests on the word of its best()" in verdict.assumptions) is named


def split_bound_of(problem):
    if isinstance(problem, ParsingProblem):
        from gapless_splitbound.certificate import TreeSplitCertificate  # noqa: PLC0415

        return TreeSplitCertificate.even(problem)
    return SplitCertificate.even(problem)


def test_a_relaxed_diagram_is_named():
    problem = chain(Coarse())
    assert SplitCertificate.even(problem).verify(problem).assumptions == (
        "the bound on factor coarse rests on the word of its relax()"
    )


@pytest.mark.parametrize("error", [KeyError("not loaded"), ValueError("not loaded"), RuntimeError("not loaded")])
@pytest.mark.parametrize("evidence", [EnumeratedChoices(), None])
def test_what_a_factor_raises_refutes(evidence, error):
    factor = Nothing(4)
    problem = chain(factor)
    proof = SplitCertificate.even(problem) if evidence is None else evidence
    factor.error = error
    verdict = proof.verify(problem)
    assert not verdict
    assert f"factor nothing raised {type(error).__name__}" in verdict.reason


class Free(Maximiser):
    def solve(self, weights, fixings):
        on_ids = np.flatnonzero(np.where(fixings.state == -1, weights > 0, fixings.state == 1))
        return Optimum(float(weights[on_ids].sum()), on_ids)

    def max_marginals(self, weights, fixings):
        return MaxMarginals(np.maximum(0, -weights), np.maximum(0, weights))


class Whole(gl.Problem):
    """Any set of decisions; values are said to be whole."""

    granularity = 1.0

    def __init__(self, weights, factors):
        self.weights, self.factors = np.asarray(weights, float), factors
        self._decisions = Decisions(self.weights.size)

    decisions = property(lambda self: self._decisions)

    def value(self, structure):
        return float(self.weights[structure].sum()) + self.factor_value(structure)

    def violations(self, structure):
        return self.factor_violations(structure)

    def encode(self, structure):
        return np.asarray(structure, np.int64)

    def decode(self, on_ids):
        return np.asarray(on_ids, np.int64)

    def backbone(self):
        return Backbone(Free(), self.weights)


def test_values_off_the_grid_are_refused():
    halves = gl.factors.Cardinality([0, 1], [0.0, 0.5, 0.0])
    with pytest.raises(gl.InvalidProblem, match=r"may score 0\.5, no multiple of the granularity 1"):
        gl.solve(Whole([1, -1, 1], [halves]))
    with pytest.raises(gl.InvalidProblem, match="does not say which values it takes"):
        gl.solve(Whole([1, -1, 1], [Nothing(2)]))
    assert gl.solve(Whole([1, -1, 1], [gl.factors.Cardinality([0, 1], [0.0, 3.0, 0.0])])).value == 5.0


class Denies(Nothing):
    """Scores 0 everywhere, but its best() says that nothing is allowed."""

    name = "denies"

    def best(self, weights):
        return -np.inf, np.zeros(weights.size, bool)


def test_a_factor_that_denies_what_it_allows_is_named():
    with pytest.raises((OracleError, InconsistentBound), match=r"Denies|denies"):
        gl.solve(chain(Denies(12)))
