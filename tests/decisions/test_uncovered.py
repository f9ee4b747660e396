"""`uncovered` against truth tables."""

import itertools

import pytest
from drawn import examples, generators, seeing
from hypothesis import given

from gapless.decisions.branch import uncovered
from gapless.roles import Branch, Decisions, Fixings


def worlds(parent, decisions):
    """All assignments under the parent that keep every group."""
    for bits in itertools.product((0, 1), repeat=decisions.count):
        if all(p in (-1, b) for p, b in zip(parent.state, bits, strict=True)) and all(
            sum(bits[d] for d in group) == 1 for group in decisions.exactly_one
        ):
            yield bits


def holds(branch, bits):
    return all(bits[d] for d in branch.on) and not any(bits[d] for d in branch.off)


def random_branch(rng, count):
    width = int(rng.integers(0, 4))
    chosen = rng.integers(count, size=width)
    signs = rng.random(width) < 0.5
    return Branch(on=chosen[signs], off=chosen[~signs])


def splits(rng, count, depth=3):
    """Branches that do cover: the leaves of a random decision tree."""
    if depth == 0 or rng.random() < 0.2:
        return [Branch()]
    d = int(rng.integers(count))
    grown = []
    for sign in ("on", "off"):
        for leaf in splits(rng, count, depth - 1):
            both = {"on": leaf.on, "off": leaf.off}
            both[sign] = (*both[sign], d)
            grown.append(Branch(**both))
    return grown


@pytest.mark.parametrize("groups", [(), ((0, 1, 2),), ((0, 1), (2, 3)), ((0, 1, 2, 3, 4),)])
@seeing("covered", "a hole")
@examples(150)
@given(rng=generators())
def test_equals_the_truth_table(seen, rng, groups):
    decisions = Decisions(5, exactly_one=groups)
    parent = Fixings(rng.choice([-1, -1, -1, 0, 1], 5))
    open_worlds = list(worlds(parent, decisions))
    if not open_worlds:
        return
    if rng.random() < 0.5:
        branches = [random_branch(rng, 5) for _ in range(rng.integers(0, 5))]
    else:
        branches = splits(rng, 5)
        if rng.random() < 0.4:
            branches.pop(int(rng.integers(len(branches))))
    covered = all(any(holds(b, bits) for b in branches) for bits in open_worlds)
    hole = uncovered(parent, branches, decisions)
    seen["covered" if covered else "a hole"] += 1
    assert (hole is None) == covered, (parent, branches)
    if hole is not None:
        inside = [bits for bits in open_worlds if all(bits[d] == v for d, v in hole.items())]
        assert inside
        assert not any(holds(b, bits) for b in branches for bits in inside)


ASSIGNMENT = Decisions(6, exactly_one=((0, 1, 2), (3, 4, 5), (0, 3), (1, 4)))
"""Rows, and columns but the last."""


@examples(150)
@given(rng=generators())
def test_never_calls_a_hole_covered_when_groups_overlap(rng):
    parent = Fixings(rng.choice([-1, -1, -1, -1, 0, 1], 6))
    branches = [random_branch(rng, 6) for _ in range(rng.integers(0, 6))]
    if uncovered(parent, branches, ASSIGNMENT) is None:
        assert all(any(holds(b, bits) for b in branches) for bits in worlds(parent, ASSIGNMENT))


def test_branching_on_one_row_or_one_column_covers_all():
    for group in ASSIGNMENT.exactly_one:
        assert uncovered(Fixings.none(6), [Branch(on=(d,)) for d in group], ASSIGNMENT) is None
        assert uncovered(Fixings.none(6), [Branch(on=(d,)) for d in group[1:]], ASSIGNMENT) is not None


def test_a_contradictory_branch_covers_nothing():
    decisions = Decisions(2)
    branches = [Branch(on=(0,), off=(0,)), Branch(off=(0,))]
    assert uncovered(Fixings.none(2), branches, decisions) == {0: 1}


def test_no_branches_cover_nothing():
    assert uncovered(Fixings.none(2), [], Decisions(2)) == {}


def test_lawler_partitions_stay_cheap():
    """A chain of 300 branches, as k best search makes them."""
    count = 300
    branches = [Branch(on=range(d), off=(d,)) for d in range(count)] + [Branch(on=range(count))]
    assert uncovered(Fixings.none(count), branches, Decisions(count)) is None
    assert uncovered(Fixings.none(count), branches[:-1], Decisions(count)) == dict.fromkeys(range(count), 1)
