"""Nodes closed by looking at all their trees: the checker's own enumeration."""

import itertools

import attrs
import numpy as np
import pytest
from drawn import examples, seeded, seeing
from hypothesis import given

import gapless
from gapless import InvalidProblem, Result
from gapless.roles import Fixings, TreeCertificate
from gapless.search import layout
from gapless_dependency import ParsingProblem
from gapless_dependency.random_problems import random_problem
from gapless_splitbound import EnumeratedTrees
from gapless_splitbound.proofs.exhaustive_trees import are_trees


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("projective", [False, True])
def test_all_choices_of_heads_are_told_apart_from_trees(single_root, projective):
    rng = np.random.default_rng(1)
    kinds = {"single_root": single_root, "projective": projective}
    for n in (1, 2, 3, 4, 9, 33):
        rows = np.array(list(itertools.product(range(n + 1), repeat=n))) if n < 5 else likely_trees(rng, n, 400)
        problem = ParsingProblem(np.zeros((n + 1, n + 1)), **kinds)
        expected = [
            not np.any(row == np.arange(1, n + 1)) and not problem.violations(problem.tree(row)) for row in rows
        ]
        found = are_trees(rows, **kinds)
        assert found.tolist() == expected
        assert sum(expected) > 0


def likely_trees(rng, n, count):
    """Heads near their words: trees, circles, crossings, several roots, each many times."""
    rows = np.clip(np.arange(1, n + 1) + rng.choice([-2, -1, -1, -1, 1], size=(count, n)), 0, n)
    chain = np.arange(n) * np.ones((count // 4, 1), np.int64)
    chain[np.arange(len(chain)), rng.integers(1, n, len(chain))] -= 1
    return np.concatenate([rows, chain])


def test_too_much_is_refused():
    everything = ParsingProblem(np.zeros((9, 9)), projective=True)
    with pytest.raises(InvalidProblem, match="16777216 choices of heads are left, at most 65536"):
        EnumeratedTrees().upper_bound(everything, Fixings.none(everything.decisions.count))
    assert not EnumeratedTrees().verify(everything)


@pytest.fixture
def a_few_choices(monkeypatch):
    monkeypatch.setattr(layout, "CHOICES", 60)


@pytest.mark.usefixtures("a_few_choices")
@seeing("enumerated leaves")
@examples(10)
@given(rng=seeded())
def test_a_search_that_branches_and_enumerates_is_certified(seen, rng):
    """Every enumerated leaf stands for itself: put in another's place, it claims no less than the optimum."""
    problem = random_problem(rng, 6, projective=True, families=["sibling", "grandchild"], strength=2.0)
    result = gapless.solve(problem, "split-bound")
    tree = result.certificate
    if not isinstance(tree, TreeCertificate) or not result.stats.extra["enumerated"]:
        return
    seen["enumerated leaves"] += 1
    assert result.stats.extra["enumerated"] == sum(isinstance(v, EnumeratedTrees) for v in tree.leaves.values())
    copy = Result.from_json(result.to_json())
    assert copy.verify(problem)
    for node in tree.leaves:
        forged = attrs.evolve(tree, leaves={**tree.leaves, node: EnumeratedTrees()})
        verdict = attrs.evolve(copy, certificate=forged).verify(problem)
        assert not verdict or verdict.bound >= result.value - 1e-9
