"""`solve_stream`: order, laziness, what iterables raise, what cannot be solved, flat memory."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from drawn import mostly_long

import gapless as gl
from gapless.parallel import ChunkResult, ChunkSizer
from gapless_chains import ChainModel, DomainMessages

pytest.importorskip("joblib", reason="jobs=2 needs joblib")


@pytest.mark.parametrize("jobs", [1, 2])
def test_outcomes_come_in_order_and_whole(mixed, jobs):
    alone = [gl.solve(problem) for problem in mixed]
    outcomes = list(gl.solve_stream(iter(mixed), jobs=jobs, chunk_size=7))
    assert len(outcomes) == len(mixed)
    for problem, one, outcome in zip(mixed, alone, outcomes, strict=True):
        assert isinstance(outcome, gl.Result)
        assert outcome.status is one.status
        assert outcome.method == one.method
        assert len(outcome.solutions) == len(one.solutions)
        assert not one.solutions or outcome.value == pytest.approx(one.value)
        assert outcome.verify(problem)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("chunk_size", [1, 5])
def test_problems_are_taken_only_when_they_are_needed(chains, jobs, chunk_size):
    taken = 0

    def problems():
        nonlocal taken
        for problem in itertools.islice(itertools.cycle(chains), 150):
            taken += 1
            yield problem

    outcomes = gl.solve_stream(problems(), jobs=jobs, chunk_size=chunk_size)
    assert taken == 0
    most = 0
    for done, _ in enumerate(outcomes):
        most = max(most, taken - done)
    assert taken == 150
    assert chunk_size <= most <= 4 * jobs * chunk_size


def test_a_stream_may_be_left_early(chains):
    endless = itertools.cycle(chains)
    for _ in range(2):
        outcomes = gl.solve_stream(endless, jobs=2, chunk_size=3)
        assert all(next(outcomes).proved for _ in range(8))
        outcomes.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_iterable_comes_after_the_outcomes_before_it(chains, jobs):
    def problems():
        yield from chains[:11]
        raise OSError("the disk is gone")

    outcomes = gl.solve_stream(problems(), jobs=jobs, chunk_size=4)
    assert sum(1 for _ in itertools.islice(outcomes, 11)) == 11
    with pytest.raises(OSError, match="the disk is gone"):
        next(outcomes)


@pytest.mark.parametrize("jobs", mostly_long([1, 2], quick=[0]))
def test_what_is_no_problem_is_named_by_its_number(chains, jobs):
    outcomes = gl.solve_stream([*chains[:5], "chain"], jobs=jobs)
    assert sum(1 for _ in itertools.islice(outcomes, 5)) == 5
    with pytest.raises(gl.InvalidProblem, match=r"problem 5 of solve_stream\(\) is no gapless\.Problem, got str"):
        next(outcomes)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failure_is_an_outcome(mixed, jobs):
    parses = mixed[15:28]
    outcomes = list(gl.solve_stream(parses, "first-order", jobs=jobs, chunk_size=4))
    failed = [isinstance(outcome, gl.SolveError) for outcome in outcomes]
    assert failed == [bool(parse.factors) for parse in parses]
    assert "has factors (grandchild)" in str(outcomes[0])


@pytest.mark.parametrize("jobs", mostly_long([1, 2], quick=[0]))
def test_misspelt_options_end_it(chains, jobs):
    with pytest.raises(gl.UnknownOption, match="did you mean 'width'"):
        next(gl.solve_stream(chains, "beam", jobs=jobs, widht=3))
    with pytest.raises(gl.UnknownName, match="did you mean 'viterbi'"):
        next(gl.solve_stream(chains, "vitrebi", jobs=jobs))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"jobs": 0}, "jobs is 0"), ({"chunk_size": 0}, "chunk_size is 0"), ({"limits": 3}, "Limits")],
)
def test_wrong_arguments_are_refused_at_once(chains, arguments, words):
    with pytest.raises(gl.UnknownOption, match=words):
        gl.solve_stream(chains, **arguments)
    with pytest.raises(gl.InvalidProblem, match="got one ChainProblem: use solve"):
        gl.solve_stream(chains[0])


def test_control_c_comes_after_what_is_finished(monkeypatch, chains):
    honest, calls = DomainMessages.__init__, []

    def interrupted(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        honest(self, *args, **kwargs)

    monkeypatch.setattr(DomainMessages, "__init__", interrupted)
    outcomes = gl.solve_stream(chains, "column-generation", limits=gl.Limits(time=1000.0))
    found = []
    with pytest.raises(KeyboardInterrupt):
        found.extend(outcome.proved for outcome in outcomes)
    assert found in ([True] * 3, [])  # list.extend may drop what came before an exception


def test_control_c_at_the_end_of_a_chunk_ends_the_stream(monkeypatch, chains):
    """The kernel had finished the chunk: its answers are given, and no other chunk is begun."""
    method = gl.plugins.load_plugins().registry.find_method(type(chains[0]), None)
    honest, chunks = method.run_many, []

    def late(problems, solve, **options):
        batch = honest(problems, solve, **options)
        chunks.append(len(problems))
        solve.budget.interrupt()
        return batch

    monkeypatch.setattr(f"{honest.__module__}.{honest.__name__}", late)
    found = []

    def take() -> None:
        for outcome in gl.solve_stream(chains, chunk_size=4):
            found.append(outcome.proved)

    with pytest.raises(KeyboardInterrupt):
        take()
    assert found == [True] * sum(chunks)
    assert len(chunks) == 1


def resident():
    """Bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize(("jobs", "count"), mostly_long([(1, 600), (2, 300)], quick=[1]))
def test_memory_stays_flat(jobs, count):
    """Problems of 0.4 MB each: 120 to 240 MB of them, and the results hold nearly as much."""
    rng = np.random.default_rng(0)
    model = ChainModel(rng.normal(size=(20, 20)))
    scores = rng.normal(size=(2500, 20))
    problems = (model.problem(scores + i) for i in range(count))
    readings = [resident() for _ in gl.solve_stream(problems, "viterbi", jobs=jobs, chunk_size=8)]
    settled = count // 4
    assert max(readings[settled:]) - max(readings[:settled]) < 80e6


def test_chunks_grow_until_they_take_a_fifth_of_a_second():
    pace = ChunkSizer(limit=100)
    sizes = []
    for _ in range(4):
        sizes.append(pace.size)
        pace.learn(ChunkResult(0, pace.size, 1e-3 * pace.size, None))
    assert sizes == [1, 8, 64, 100]
    pace.learn(ChunkResult(0, 100, 100.0, None))
    assert pace.size == 1
