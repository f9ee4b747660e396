"""The monolithic model in SCIP finds what enumeration finds, with every factor."""

import numpy as np
import pytest
from drawn import examples, seeded
from hypothesis import given
from hypothesis import strategies as st
from parsing_cases import best_score

from gapless import InvalidProblem, Status
from gapless.roles import ConfigurationFactor, DecisionDiagram
from gapless.scip import solve_monolithic
from gapless_dependency import ParsingProblem
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import FAMILIES, random_problem


@pytest.mark.parametrize("family", [*FAMILIES, "all", "none"])
@examples(6)
@given(rng=seeded(), n=st.integers(1, 5), ties=st.booleans(), projective=st.booleans(), single_root=st.booleans())
def test_against_enumeration(rng, n, ties, projective, single_root, family):
    families = {"all": FAMILIES, "none": ()}.get(family, (family,))
    problem = random_problem(
        rng,
        n,
        projective=projective,
        single_root=single_root,
        families=families,
        ties=ties,
        forbidden=0.1,
        forbidden_parts=0.05,
    )
    best = best_score(problem)
    result = solve_monolithic(problem)
    if best == -np.inf:
        assert result.status is Status.INFEASIBLE
    else:
        assert result.value == pytest.approx(best, abs=1e-6)


def test_a_factor_without_a_linear_form_is_named():
    class Odd(ConfigurationFactor):
        name = "odd"

        def scope(self, decisions):
            return np.arange(decisions.count)

        def value(self, on):
            return float(on.sum() % 2)

        def best(self, weights):
            raise NotImplementedError

    said = r"factors\[0\] \(odd\) cannot be written .* Give Odd a method linear_form"
    problem = ParsingProblem(np.zeros((9, 9)), factors=[Odd()])
    with pytest.raises(NotImplementedError, match=said):
        problem.linear_model()
    with pytest.raises(InvalidProblem, match=r"factors\[0\] \(odd\)"):
        solve_monolithic(problem)


def test_a_diagram_needs_no_linear_form():
    class Alternating(DecisionDiagram):
        """Long arcs, read from left to right, score 1 and -2 in turn; three of them are forbidden."""

        name = "alternating"

        def layers(self, decisions):
            return np.flatnonzero(np.abs(decisions.heads - decisions.modifiers) >= 2)[:, None].tolist()

        def step(self, layer, choice, states):
            if choice < 0:
                return states, 0.0
            return np.where(states < 2, states + 1, -1), np.where(states == 0, 1.0, -2.0)

    rng = np.random.default_rng(0)
    for projective in (False, True):
        problem = ParsingProblem(rng.normal(size=(5, 5)), factors=[Alternating()], projective=projective)
        _, scores = tree_scores(problem)
        result = solve_monolithic(problem)
        assert result.value == pytest.approx(scores.max(), abs=1e-6)
        assert problem.value(result.best) == pytest.approx(result.value)
