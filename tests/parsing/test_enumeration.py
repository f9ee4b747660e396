"""The vectorised enumerator agrees with the kit's and with the problem's own value."""

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

from gapless.testing import SpaceTooLarge, feasible_structures
from gapless_dependency.enumeration import all_trees, tree_scores
from gapless_dependency.random_problems import FAMILIES, random_problem


def test_how_many_trees_there_are():
    # (n + 1)^(n - 1) by Cayley; of one root n^(n - 1); projective ones by OEIS A006013 and A001764.
    assert [len(all_trees(n, False, False)) for n in range(1, 6)] == [1, 3, 16, 125, 1296]
    assert [len(all_trees(n, False, True)) for n in range(1, 6)] == [1, 2, 9, 64, 625]
    assert [len(all_trees(n, True, True)) for n in range(1, 6)] == [1, 2, 7, 30, 143]
    assert [len(all_trees(n, True, False)) for n in range(1, 6)] == [1, 3, 12, 55, 273]
    with pytest.raises(SpaceTooLarge, match="8 words"):
        all_trees(8, True, True)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("ties", [False, True])
@examples(4)
@given(rng=generators())
def test_against_the_kit(rng, projective, single_root, ties):
    n = int(rng.integers(1, 6))
    problem = random_problem(
        rng,
        n,
        projective=projective,
        single_root=single_root,
        families=FAMILIES,
        ties=ties,
        forbidden=0.2,
        forbidden_parts=0.05,
    )
    heads, scores = tree_scores(problem)
    mine = {tuple(h): s for h, s in zip(heads.tolist(), scores.tolist(), strict=True) if s > -np.inf}
    theirs = {tuple(f.structure.heads.tolist()): f.score for f in feasible_structures(problem)}
    assert mine.keys() == theirs.keys()
    for key, score in theirs.items():
        assert mine[key] == pytest.approx(score, abs=1e-12)
