"""Random small sentences against enumeration, every variant and order, each answer proved.

GAPLESS_RANDOM_SENTENCES sets the count; the default is what every test run can afford.
"""

import itertools
import os

import pytest
from drawn import examples, generators, seeing
from hypothesis import given
from parsing_cases import best_scores, check_solved, random_case

import gapless
from gapless_dependency.random_problems import FAMILIES, random_problem

SENTENCES = int(os.environ.get("GAPLESS_RANDOM_SENTENCES", "120"))
ORDERS = ("best-first", "depth-first", "breadth-first")


def sentence(rng):
    """Ties or floats, projective or not, one root or several, forbidden arcs and parts, up to three families."""
    families = rng.choice(FAMILIES, size=int(rng.integers(0, 4)), replace=False)
    n = int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.05, 0.1, 0.2, 0.3, 0.25, 0.1]))
    shares = {"forbidden": [0.0, 0.0, 0.2, 0.5, 0.8], "forbidden_parts": [0.0, 0.0, 0.2]}
    return random_case(rng, n, families, ties=bool(rng.integers(2)), **shares)


@pytest.mark.usefixtures("choices")
@pytest.mark.parametrize("choices", [0, 30, 1 << 14], indirect=True)
@seeing("feasible", "infeasible")
@examples(SENTENCES // 3)
@given(rng=generators())
def test_agrees_with_enumeration_and_proves_it(seen, rng):
    """Bounded only, enumerated at the end, and enumerated at once."""
    problem = sentence(rng)
    expected = best_scores(problem)
    seen["feasible" if expected.size else "infeasible"] += 1
    variant = ("default", "paper")[rng.integers(2)]
    check_solved(problem, expected, variant=variant, order=ORDERS[rng.integers(3)])


@examples(3)
@given(rng=generators())
def test_many_sentences_at_once(rng):
    problems = [sentence(rng) for _ in range(rng.integers(1, 21))]
    batch = gapless.solve_many(problems, "split-bound")
    for i, problem in enumerate(problems):
        alone = gapless.solve(problem, "split-bound")
        assert batch.statuses[i] is alone.status
        assert batch[i].verify(problem)
        if alone.solutions:
            assert batch.values[i] == pytest.approx(alone.value, rel=1e-12)
            assert problem.value(batch.structure(i)) == pytest.approx(alone.value, rel=1e-12)


@pytest.mark.usefixtures("bounds_alone")
@pytest.mark.parametrize(("variant", "order"), [*itertools.product(("default", "paper"), ORDERS)])
@examples(10)
@given(rng=generators())
def test_every_variant_in_every_order(rng, variant, order):
    problem = sentence(rng)
    check_solved(problem, best_scores(problem), variant=variant, order=order)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("projective", [False, True])
@examples(4)
@given(rng=generators())
def test_every_family(rng, family, projective):
    problem = random_problem(rng, int(rng.integers(1, 6)), projective=projective, families=[family], strength=2.0)
    check_solved(problem, best_scores(problem))
