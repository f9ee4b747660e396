"""The peers are given the right problem: their optima are checked against enumeration and another LP solver."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

import gapless as gl
import gapless_kernels
from benchmarks.price_and_cut.ad3_peer import Ad3, DenseScores
from benchmarks.price_and_cut.cut_sets import violated_cut_sets
from benchmarks.price_and_cut.highs_peer import highs_side, solve_relaxation
from benchmarks.price_and_cut.lean_program import lean_program
from gapless import InvalidProblem
from gapless_dependency import Grandchild, ParsingProblem, Sibling
from gapless_dependency.enumeration import tree_scores
from gapless_tasks.parsing.sentence_arrays import SentenceArrays


def drawn(seed, words=5, second_order=1.0, **options):
    rng = np.random.default_rng(seed)
    table = rng.normal(0, second_order, (words + 1,) * 3)
    return ParsingProblem(
        rng.normal(0, 1, (words + 1,) * 2), factors=[Grandchild(lambda g, h, m: table[g, h, m])], **options
    )


def linprog_optimum(problem, *, flow):
    """The program read by other code; without a flow all cut-sets are written out."""
    program = lean_program(SentenceArrays.of(problem), flow=flow)
    columns = program.objective.size
    rows = csr_array((program.values, program.columns, program.starts), (program.lower.size, columns)).toarray()
    lower, upper = program.lower, program.upper
    if not flow:
        arcs = problem.decisions
        sets = [[w for w in range(1, arcs.length + 1) if s >> (w - 1) & 1] for s in range(1, 2**arcs.length)]
        cuts = np.zeros((len(sets), columns))
        for row, inside in enumerate(sets):
            entering = np.isin(arcs.modifiers, inside) & ~np.isin(arcs.heads, inside)
            cuts[row, : arcs.count] = entering
        rows = np.vstack([rows, cuts])
        lower = np.concatenate([lower, np.ones(len(sets))])
        upper = np.concatenate([upper, np.full(len(sets), np.inf)])
    both = np.vstack([rows[np.isfinite(upper)], -rows[np.isfinite(lower)]])
    sides = np.concatenate([upper[np.isfinite(upper)], -lower[np.isfinite(lower)]])
    return -linprog(-program.objective, both, sides).fun


@pytest.mark.parametrize("single_root", [True, False])
def test_the_relaxation_is_solved_over_cut_sets_and_over_a_flow(single_root):
    pytest.importorskip("highspy")
    fractional = weaker = 0
    for seed in range(40):
        problem = drawn(seed, single_root=single_root)
        cut_sets, flow = solve_relaxation(problem), solve_relaxation(problem, flow=True)
        best = tree_scores(problem)[1].max()
        assert cut_sets.objective == pytest.approx(linprog_optimum(problem, flow=False), abs=1e-6)
        assert flow.objective == pytest.approx(linprog_optimum(problem, flow=True), abs=1e-6)
        assert best <= cut_sets.objective + 1e-6
        assert cut_sets.objective <= flow.objective + 1e-6
        if cut_sets.integral:
            assert cut_sets.objective == pytest.approx(best, abs=1e-6)
        fractional += not cut_sets.integral
        weaker += flow.objective > cut_sets.objective + 1e-6
    assert fractional  # the draws tell both kinds of optima
    assert weaker


@pytest.mark.parametrize("flow", [True, False])
def test_every_tree_is_a_point_of_the_program_with_the_value_of_the_problem(flow):
    problem = drawn(7, words=4)
    program, arcs = lean_program(SentenceArrays.of(problem), flow=flow), problem.decisions
    shape = program.lower.size, program.objective.size
    rows = csr_array((program.values, program.columns, program.starts), shape)
    chains = gapless_kernels.arc_chains(arcs.heads, arcs.modifiers, arcs.first, 2)
    trees, values = tree_scores(problem)
    assert trees.shape == (64, 4)
    for heads, value in zip(trees, values, strict=True):
        on = (heads[arcs.modifiers - 1] == arcs.heads).astype(float)
        below = np.zeros(5)  # words at and below each word, which is what flows into it
        for word in range(1, 5):
            above = word
            while above:
                below[above] += 1
                above = heads[above - 1]
        parts = [on, on[chains].prod(axis=1), *[on * below[arcs.modifiers]] * flow]
        point = np.concatenate(parts)
        assert (rows @ point <= program.upper).all()
        assert (rows @ point >= program.lower).all()
        assert program.objective @ point == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("flow", [True, False])
def test_a_side_finds_the_optimum_of_the_problem(flow):
    pytest.importorskip("highspy")
    for seed in range(5):
        problem = drawn(seed, single_root=seed % 2 == 0)
        arrays, side = SentenceArrays.of(problem), highs_side(flow=flow)
        best = solve_relaxation(problem, flow=flow).objective
        assert side.solve(arrays).objective == pytest.approx(best)
        assert side.search(side.prepare(arrays)).objective == pytest.approx(best)


def test_cut_sets_of_cycles_and_of_fractional_points():
    arcs = drawn(0, words=3).decisions
    point = np.zeros(arcs.count)
    point[arcs.index[[0, 3, 2], [1, 2, 3]]] = 1.0
    (entering,) = violated_cut_sets(arcs, point)
    assert set(zip(arcs.heads[entering], arcs.modifiers[entering], strict=True)) == {(0, 2), (1, 2), (0, 3), (1, 3)}
    point[:] = 0.0
    point[arcs.index[[0, 1, 2], [1, 2, 3]]] = 1.0
    assert violated_cut_sets(arcs, point) == []
    # Words 2 and 3 are entered by half a unit each way, and by one in all.
    point[:] = 0.0
    point[arcs.index[[0, 1, 3, 1, 2], [1, 2, 2, 3, 3]]] = (1.0, 0.5, 0.5, 0.5, 0.5)
    assert violated_cut_sets(arcs, point) == []
    point[arcs.index[[1, 3], [2, 2]]] = (0.3, 0.7)
    assert len(violated_cut_sets(arcs, point)) == 1


def test_minimum_cuts_find_what_components_do_not_show():
    """Every component is entered by a unit, but a chain of three is not."""
    arcs = drawn(0, words=4).decisions
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(300):
        point = np.zeros(arcs.count)
        for word in range(1, 5):
            into = np.arange(arcs.first[word], arcs.first[word + 1])
            point[rng.choice(into, 2, replace=False)] = 0.5
        sets = [[w for w in range(1, 5) if s >> (w - 1) & 1] for s in range(1, 16)]
        inflow = [point[np.isin(arcs.modifiers, inside) & ~np.isin(arcs.heads, inside)].sum() for inside in sets]
        found = violated_cut_sets(arcs, point)
        assert bool(found) == (min(inflow) < 1 - 1e-6)
        assert all(point[entering].sum() < 1 for entering in found)
        missed += bool(found)
    assert 0 < missed < 300


def test_only_sentences_that_a_peer_can_take():
    problem = drawn(0)
    assert lean_program(SentenceArrays.of(problem), flow=False).objective.size == 5**2 + 5 * 4 * 4
    zeros = np.zeros((4, 4))
    for factors, message in (
        ([], "takes grandparents"),
        ([Sibling(lambda h, a, b: np.zeros(len(h)))], "takes grandparents"),
        ([Grandchild(lambda g, h, m: np.where(g == 0, -np.inf, 0.0))], "forbidden"),
    ):
        with pytest.raises(InvalidProblem, match=message):
            lean_program(SentenceArrays.of(ParsingProblem(zeros, factors=factors)), flow=False)
    heads = np.ones((6, 6), bool)
    heads[2, 3] = False
    with pytest.raises(InvalidProblem, match="all arcs"):
        DenseScores.of(SentenceArrays.of(problem.restricted(heads)))


def test_dense_scores_have_the_size_that_step_sizes_are_for():
    problem = drawn(3)
    dense = DenseScores.of(SentenceArrays.of(problem))
    unit = problem.arc_weights.std()
    tree = gl.solve(problem).best
    value = sum(dense.arcs[h, m] for m, h in enumerate(tree.heads, 1))
    value += sum(dense.grandparents[tree.heads[h - 1], h, m] for m, h in enumerate(tree.heads, 1) if h)
    assert value * unit == pytest.approx(problem.value(tree))
    assert dense.single_root


def test_what_is_no_library_is_refused(tmp_path):
    with pytest.raises(InvalidProblem, match=r"--ad3 .*none\.so: no library"):
        Ad3(tmp_path / "none.so")
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(InvalidProblem, match="no library with a function"):
        Ad3(tmp_path / "text.so")
