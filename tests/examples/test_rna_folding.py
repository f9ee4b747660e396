"""The RNA example: its backbone in Python, in Cython and by numba against all structures, and what it solves."""

import importlib.util
import itertools
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import attrs
import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless as gl
import gapless_kernels
from gapless import testing
from gapless.factors import Cardinality
from gapless.roles import Fixings
from gapless.scip import solve_monolithic

pytest.importorskip(
    "gapless_rna_folding",
    reason="the example is not installed: pip install --no-build-isolation -e docs/examples/rna_folding",
)

from gapless_rna_folding import (
    FoldingProblem,
    NonCrossing,
    Stacking,
    dot_bracket,
    from_dot_bracket,
    plugin,
)

EXAMPLE = Path(__file__).parents[2] / "docs/examples/rna_folding"


def structures(problem):
    """All of them, written down without a recursion: sets of pairs of which no two meet or cross."""
    pairs = problem.decisions
    every = list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    found = []

    def extend(chosen, at):
        found.append(chosen)
        for number in range(at, len(every)):
            i, k = every[number]
            if all(len({i, k, a, b}) == 4 and (a < i < b) == (a < k < b) for a, b in chosen):
                extend((*chosen, every[number]), number + 1)

    extend((), 0)
    return found


def random_problem(rng, longest=9):
    letters = np.array(list("ACGU"))
    sequence = "".join(letters[rng.integers(0, 4, int(rng.integers(1, longest + 1)))])
    return FoldingProblem(sequence, least_loop=int(rng.integers(0, 3)))


# --- the problem


@pytest.mark.parametrize("text", ["", "...", "((..))", "(.(..).)((...))."])
def test_dot_bracket_is_read_as_it_is_written(text):
    assert dot_bracket(from_dot_bracket(text), len(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [("())", "place 2 closes nothing"), ("(()", "place 0 is never closed"), ("(x)", "'x' at place 1")],
)
def test_dot_bracket_names_what_is_wrong(text, message):
    with pytest.raises(gl.InvalidProblem, match=message):
        from_dot_bracket(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sequence": "GCX"}, "'X' at place 2"),
        ({"sequence": ""}, "expected letters"),
        ({"sequence": "GC", "least_loop": -1}, "least_loop is -1"),
        ({"sequence": "GC", "pair_scores": {"G": 1.0}}, "'G' names no kind of pair"),
        ({"sequence": "GC", "pair_scores": {"GC": 1.0, "CG": 2.0}}, "'CG' is given twice"),
        ({"sequence": "GC", "pair_scores": {"GC": -np.inf}}, "leave out what cannot pair"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(gl.InvalidProblem, match=message):
        FoldingProblem(**arguments)


def test_violations_say_what_is_wrong():
    problem = FoldingProblem("GGAAACCU", least_loop=0)
    assert problem.violations(from_dot_bracket("((...)).")) == []
    assert problem.violations(((0, 5), (1, 6))) == ["the pair 0-5 crosses another"]
    assert problem.violations(((0, 5), (1, 5))) == ["base 5 is in two pairs"]
    assert problem.violations(((0, 2),)) == ["the bases 0 and 2 cannot pair"]
    assert problem.violations(((0, 99),)) == ["the bases 0 and 99 cannot pair"]


def folding(plain, most, *factors):
    """The same with factors, and with a limit on the number of pairs."""
    limit = () if most is None else (Cardinality.at_most(range(plain.decisions.count), most),)
    return attrs.evolve(plain, factors=(*factors, *limit))


@pytest.mark.parametrize("factors", [(None,), (2, Stacking())])
def test_the_kit_accepts_the_problem(factors):
    testing.check_problem(folding(FoldingProblem("GCGAAUGC", least_loop=1), *factors))


def test_stacks_are_read_from_either_end():
    problem = FoldingProblem("GCAAGC", least_loop=1)
    stacking, pairs = Stacking(), problem.decisions
    testing.check_factor(stacking, pairs)
    scopes = stacking.scopes(pairs)
    assert [pairs.name(d) for d in scopes[0]] == ["pair G0-C5", "pair C1-G4"]
    assert stacking.score(scopes, pairs).tolist() == [3.42]
    assert stacking._of("GC", "GC") == stacking._of("CG", "CG") == 3.26
    assert stacking._of("UA", "CG") == stacking._of("GC", "AU") == 2.35
    assert stacking._of("GU", "CG") == 1.0


def test_a_drawing_has_an_arc_for_each_pair():
    from gapless_rna_folding.drawing import draw_folding  # noqa: PLC0415

    problem = FoldingProblem("GGGAAACCC")
    drawn = draw_folding(problem, from_dot_bracket("(((...)))"))
    assert drawn.count("<path") == 3
    assert "GGGAAACCC folds as (((...)))" in drawn
    assert "<path" not in draw_folding(problem, ())


# --- the backbone


@examples(20)
@given(rng=generators())
def test_the_twin_equals_the_list_of_all_structures(rng):
    problem = random_problem(rng)
    on_sets = [problem.encode(structure) for structure in structures(problem)]
    testing.check_maximiser(problem.backbone().maximiser, problem.decisions, on_sets, samples=6)


@pytest.fixture(scope="session")
def kernel(tmp_path_factory):
    """The class of ``_noncrossing.pyx``, compiled as `pip install` would compile it, but without optimisation."""
    if not gapless_kernels.COMPILED:
        pytest.skip("GAPLESS_PURE=1")
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no C compiler {compiler}")
    pytest.importorskip("Cython", reason="Cython is not installed")
    place = tmp_path_factory.mktemp("rna")
    shutil.copytree(EXAMPLE, place / "source", ignore=shutil.ignore_patterns("*.so", "*.c", "build"))
    setup = place / "source/setup.py"
    setup.write_text(setup.read_text("utf-8").replace('"-O3"', '"-O0"'), "utf-8")
    command = [sys.executable, "-W", "ignore", "setup.py", "-q", "build_ext", "--build-lib", str(place / "built")]
    answer = subprocess.run(command, cwd=place / "source", capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout[-2000:] + answer.stderr[-4000:]
    (file,) = (place / "built/gapless_rna_folding").glob("_noncrossing.*")
    spec = importlib.util.spec_from_file_location("gapless_rna_folding._noncrossing", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.NonCrossingPairs


@pytest.fixture(scope="session")
def by_numba():
    if not gapless_kernels.COMPILED:
        pytest.skip("GAPLESS_PURE=1")
    pytest.importorskip("numba", reason="numba is not installed: pip install numba")
    from gapless_rna_folding.by_numba import noncrossing_pairs  # noqa: PLC0415

    return noncrossing_pairs


def questions(rng, count):
    """Weights with ties, zeros and -inf, and states."""
    for _ in range(4):
        weights = rng.integers(-2, 4, count).astype(float) if rng.random() < 0.5 else rng.normal(size=count)
        state = np.where(rng.random(count) < 0.7, -1, rng.integers(0, 2, count))
        if rng.random() < 0.5:
            weights = np.where(rng.random(count) < 0.2, -np.inf, weights)
        yield weights, state


def same_answers(compiled, twin, rng):
    count = twin.left.size
    for weights, state in questions(rng, count):
        theirs = twin.solve(weights, Fixings(state))
        value, on = compiled.solve(weights, state)
        assert value == theirs.value  # the same sums in the same order
        assert on.tolist() == theirs.on_ids.tolist()
        marginals = compiled.max_marginals(weights, state)
        if value > -np.inf and marginals is not None:
            slacks = twin.max_marginals(weights, Fixings(state))
            assert slacks.off is not None
            assert value - marginals[0] == pytest.approx(slacks.on, abs=1e-9)
            assert value - marginals[1] == pytest.approx(slacks.off, abs=1e-9)
    for _ in range(5):
        on = rng.integers(0, count, int(rng.integers(0, 4))) if count else np.zeros(0, np.int64)
        pairs = [(int(twin.left[d]), int(twin.right[d])) for d in on]
        meet = any(
            len({i, k, a, b}) < 4 or (a < i < b) != (a < k < b)
            for (i, k), (a, b) in itertools.combinations(pairs, 2)
        )
        assert compiled.internal_score_of(on) == (None if meet else 0.0)


@pytest.mark.long
@examples(40)
@given(rng=generators())
def test_the_compiled_class_answers_as_the_twin(kernel, rng):
    twin = random_problem(rng, 20).backbone().maximiser
    assert isinstance(twin, NonCrossing)
    same_answers(kernel(twin.length, twin.left, twin.right), twin, rng)


@examples(40)
@given(rng=generators())
def test_numbas_functions_answer_as_the_twin(by_numba, rng):
    twin = random_problem(rng, 20).backbone().maximiser
    assert isinstance(twin, NonCrossing)
    same_answers(by_numba(twin.length, twin.left, twin.right), twin, rng)


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
def test_compiled_takes_what_is_there(monkeypatch):
    twin = NonCrossing(5, np.array([0]), np.array([4]))
    monkeypatch.setitem(sys.modules, "gapless_rna_folding._noncrossing", None)
    monkeypatch.setitem(sys.modules, "gapless_rna_folding.by_numba", None)
    assert twin.compiled() is None


# --- answers


def zuker_like(problem):
    """The best score with stacks, by a recursion that knows them: what is inside of a pair, and is it a pair."""
    stacking, pairs = problem.factors[0], problem.decisions
    assert isinstance(stacking, Stacking)
    scopes = stacking.scopes(pairs)
    stacks = dict(zip(map(tuple, scopes.tolist()), stacking.score(scopes, pairs).tolist(), strict=True))

    @cache
    def inside(d):
        """The best between the bases of pair d."""
        i, k = int(pairs.left[d]), int(pairs.right[d])
        best = span(i + 1, k)
        if k - i >= 3 and (inner := int(pairs.index[i + 1, k - 1])) >= 0 and (d, inner) in stacks:
            best = max(best, float(stacks[d, inner]) + float(problem.weights[inner]) + inside(inner))
        return best

    @cache
    def span(i, end):
        if i >= end:
            return 0.0
        return max(
            span(i + 1, end),
            *(
                float(problem.weights[d]) + inside(d) + span(int(pairs.right[d]) + 1, end)
                for d in np.flatnonzero((pairs.left == i) & (pairs.right < end)).tolist()
            ),
            0.0,
        )

    return span(0, len(problem.sequence))


def proved(problem):
    result = gl.solve(problem)
    assert result.status is gl.Status.OPTIMAL
    assert problem.violations(result.best) == []
    verdict = result.verify(problem)
    assert verdict, f"{verdict.location}: {verdict.reason}"
    return result


@examples(15)
@given(rng=generators())
def test_foldings_equal_enumeration(rng):
    plain = random_problem(rng, 9)
    for factors in ((None,), (None, Stacking()), (1,), (2, Stacking())):
        problem = folding(plain, *factors)
        best = max(problem.value(s) for s in structures(problem) if not problem.violations(s))
        assert proved(problem).value == pytest.approx(best, abs=1e-9)


TRANSFER = "GGGCUAUUAGCUCAGUUGGUUAGAGCGCACCCCUGAUAAGGGUGAGGUCGCUGAUUCGAAUUCAGCAUAGCCCA"  # a transfer RNA


@pytest.mark.parametrize("length", [30, 40, pytest.param(64, marks=pytest.mark.long)])
def test_a_transfer_rna_with_stacks_equals_its_recursion(length):
    problem = FoldingProblem(TRANSFER[:length], {"GC": 0.0, "AU": -0.45, "GU": -0.45}, factors=[Stacking()])
    assert proved(problem).value == pytest.approx(zuker_like(problem), abs=1e-6)


@pytest.mark.parametrize("limit", [0, 3, 5])
def test_a_limit_on_pairs_equals_the_integer_program(limit):
    problem = folding(FoldingProblem("GGGAAAUCCAGGCUUCGGCC"), limit, Stacking())
    result = proved(problem)
    assert len(result.best) <= limit
    assert result.value == pytest.approx(solve_monolithic(problem).value, abs=1e-6)


def test_specimens_can_be_enumerated():
    (specimens,) = plugin.gapless_selftest_instances()
    drawn = [specimens.draw(np.random.default_rng([0, number])) for number in range(400)]
    assert max(problem.decisions.count for problem in drawn) in range(6, 13)  # all subsets: at most 4,096
