"""Branches on sums of decisions: coverage against truth tables, and what a search and a verifier refuse."""

import itertools

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless as gl
from gapless import InvalidProblem
from gapless.decisions.branch import uncovered
from gapless.decisions.branch_row import BranchRow
from gapless.roles import (
    Branch,
    Brancher,
    Decisions,
    Fixings,
    LinearDualCertificate,
    SolveBudget,
    TreeCertificate,
    UncoveredBranching,
)
from gapless.testing.examples import OptimisticBound, random_selection
from gapless.tree_search import tree_search

COUNT = 5


def random_row(rng):
    chosen = rng.permutation(COUNT)[: int(rng.integers(1, COUNT + 1))].tolist()
    coefficients = rng.integers(1, 3, len(chosen)).tolist()
    sides = sorted(rng.integers(0, 6, 2).tolist())
    kind = int(rng.integers(3))
    return BranchRow(chosen, sides[0] if kind != 1 else None, sides[1] if kind != 0 else None, coefficients)


@seeing("covered", "refused")
@examples(200)
@given(rng=generators())
def test_what_is_said_to_cover_covers(seen, rng):
    """Also among parents with rows, and branches that fix decisions as well."""
    parent = Fixings(rng.choice([-1, -1, 0, 1], COUNT)).fix(rows=[random_row(rng)] if rng.random() < 0.5 else [])
    row = random_row(rng)
    t = int(rng.integers(0, 6))
    below, above = (BranchRow(row.decisions, *side, row.coefficients) for side in ((None, t), (t + 1, None)))
    d = int(rng.integers(COUNT))
    branches = [Branch(rows=[below]), Branch(rows=[above], on=[d]), Branch(rows=[above], off=[d])]
    if rng.random() < 0.5:
        branches[int(rng.integers(3))] = Branch(rows=[random_row(rng)])
    if parent is None:
        return
    hole = uncovered(parent, branches, Decisions(COUNT))
    if hole is not None:
        seen["refused"] += 1
        return
    for bits in itertools.product((0, 1), repeat=COUNT):
        ids = np.flatnonzero(bits)
        if parent.allows(ids):
            seen["covered"] += 1
            assert any(
                child is not None and child.allows(ids) for child in (b.child_fixings(parent) for b in branches)
            )


@pytest.mark.parametrize(
    ("lower", "covers"), [(3, True), (2, True), (4, False)], ids=["complementary", "overlapping", "a gap"]
)
def test_at_most_two_needs_at_least_three(lower, covers):
    rows = BranchRow(range(COUNT), upper=2), BranchRow(range(COUNT), lower=lower)
    hole = uncovered(Fixings.none(COUNT), [Branch(rows=[row]) for row in rows], Decisions(COUNT))
    assert (hole is None) == covers
    if not covers:
        assert [*hole.values()] == [3]


def test_different_sums_cover_nothing_together():
    rows = BranchRow((0, 1), upper=0), BranchRow((0, 2), lower=1)
    assert uncovered(Fixings.none(3), [Branch(rows=[row]) for row in rows], Decisions(3)) is not None


def test_fixings_and_rows_may_contradict():
    row = BranchRow((0, 1, 2), lower=2)
    assert Fixings.none(3).fix(off=(0, 1), rows=[row]) is None
    limited = Fixings.none(3).fix(rows=[row])
    assert limited.fix(off=(0, 1)) is None
    assert limited.fix(rows=[BranchRow((2, 1, 0), upper=1)]) is None
    both = limited.fix(rows=[BranchRow((2, 1, 0), upper=2)])
    assert both.rows == (BranchRow((0, 1, 2), 2, 2),)
    assert both != limited
    assert both.allows(np.array([0, 2]))
    assert not both.allows(np.array([0, 1, 2]))
    assert both.rows_bound(np.array([1.5])) == 3.0
    grouped = Decisions(3, exactly_one=[(0, 1, 2)])
    assert limited.implied(grouped) is not None  # groups alone do not count
    assert limited.fix(on=[0]).implied(grouped) is None


@pytest.mark.parametrize(
    "fields",
    [{"decisions": ()}, {"decisions": (0, 0)}, {"decisions": (0,), "coefficients": (0,)},
     {"decisions": (0, 1), "coefficients": (1,)}, {"decisions": (0,), "upper": 0.5}],
)  # fmt: skip
def test_rows_are_checked(fields):
    with pytest.raises(InvalidProblem, match="BranchRow"):
        BranchRow(**fields)


def test_a_master_takes_whole_quantities_only():
    quantity, threshold = np.array([0, 0, 1]), np.array([1, 2, 1])
    assert BranchRow((0, 1, 2), upper=1).over_quantities(quantity, threshold) == ([0, 1], [1, 1])
    for row in BranchRow((0, 2), upper=1), BranchRow((0, 1), upper=1, coefficients=(1, 2)):
        with pytest.raises(InvalidProblem, match="all decisions of quantity 0"):
            row.over_quantities(quantity, threshold)


def test_branches_are_stored():
    branch = Branch(on=[3], rows=[BranchRow((2, 1), upper=4, coefficients=(1, 3), name="arcs")])
    again = gl.loads(gl.dumps(branch))
    assert again == branch
    assert again.rows[0].name == "arcs"
    assert '"rows"' not in gl.dumps(Branch(on=[3]))  # files of trees without rows are as before


def tree(problem, *rows):
    leaf = LinearDualCertificate(np.zeros(len(problem.linear_model().rows)))
    children = [Branch(rows=[row]) for row in rows]
    parents = (-1, *[0] * len(rows))
    return TreeCertificate(parents, (Branch(), *children), {str(n + 1): leaf for n in range(len(rows))})


def test_the_verifier_wants_complementary_rows():
    problem = random_selection(np.random.default_rng(0), 6)
    at_most, at_least, more = (BranchRow(range(6), *side) for side in ((None, 2), (3, None), (4, None)))
    assert tree(problem, at_most, at_least).verify(problem)
    verdict = tree(problem, at_most, more).verify(problem)
    assert not verdict
    assert "no child covers the case" in verdict.reason
    assert ">= 3" in verdict.reason
    unknown = tree(problem, BranchRow((0, 6), upper=1), BranchRow((0, 6), lower=2)).verify(problem)
    assert "no decision 6" in unknown.reason
    rooted = TreeCertificate((-1,), (Branch(rows=[at_most]),), {})
    assert "the root fixes" in rooted.verify(problem).reason
    none = TreeCertificate((-1,), (Branch(rows=["x"]),), {})
    assert "a row that is none" in none.verify(problem).reason


def test_a_relaxation_that_heeds_no_rows_is_not_asked_for_ever():
    problem = random_selection(np.random.default_rng(1), 6)

    class OnSums(Brancher):
        def split(self, fixings, relaxed):
            return [Branch(rows=[BranchRow(range(6), upper=2)]), Branch(rows=[BranchRow(range(6), lower=3)])]

    class Loose(OptimisticBound):
        def solve(self, *arguments, **options):
            relaxed = super().solve(*arguments, **options)
            return attrs.evolve(relaxed, bound=relaxed.bound + 100)

    with pytest.raises(UncoveredBranching, match="does not heed"):
        tree_search(problem, Loose(problem), OnSums(), SolveBudget(gl.Limits(nodes=50)))


def test_rows_of_a_child_begin_with_its_parents():
    """So prices of a parent's rows, which a leaf may inherit, are prices of the leaf's rows."""
    rows = BranchRow((2, 3), lower=1), BranchRow((0, 1, 2), upper=2), BranchRow((3, 2), lower=2)
    parent = Fixings.none(COUNT).fix(rows=rows[:1])
    child = parent.fix(rows=rows[1:])
    assert child.rows == (rows[2], rows[1])
    other = Fixings.none(COUNT).fix(rows=rows[::-1])
    assert child == other
    assert hash(child) == hash(other)
    assert child != parent
