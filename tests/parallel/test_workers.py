"""`solve_many(jobs=...)`: processes and threads give what one process gives; what goes wrong is named."""

import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import BrokenExecutor

import numpy as np
import patience
import pytest
from drawn import mostly_long

import gapless as gl
from gapless.parallel import map_chunks
from gapless_chains import ChainModel

joblib = pytest.importorskip("joblib", reason="jobs=2 needs joblib")


def same(one, other):
    assert np.array_equal(one.values, other.values, equal_nan=True)
    assert np.array_equal(one.bounds, other.bounds, equal_nan=True)
    assert one.statuses == other.statuses
    assert one.errors.keys() == other.errors.keys()
    assert one.arrays.keys() == other.arrays.keys()
    for name in one.arrays.keys() - {
        "survivors"
    }:  # which tell whether tables had been made: that depends on history
        assert np.array_equal(one.arrays[name], other.arrays[name]), name


def test_processes_give_what_this_one_gives(mixed):
    alone = gl.solve_many(mixed)
    together = gl.solve_many(mixed, jobs=2, chunk_size=6)
    same(alone, together)
    for number, problem in enumerate(mixed):
        assert together[number].verify(problem)
        assert together[number].status is together.statuses[number]


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("chains", "dominance"),
        ("chains", "viterbi"),
        ("chains", "viterbi-pruned"),
        ("chains", "column-generation"),
        ("chains", "beam"),
        ("parses", "first-order"),
        ("parses", "split-bound"),
        ("parses", "lagrangian-cut"),
        ("paths", "exact"),
        ("paths", "beam"),
    ],
)
def test_each_batch_method_in_processes(chains, mixed, kind, method):
    problems = {"chains": chains, "parses": mixed[15:28], "paths": mixed[28:33]}[kind]
    alone = gl.solve_many(problems, method)
    together = gl.solve_many(problems, method, jobs=2, chunk_size=3)
    same(alone, together)
    for number, status in enumerate(together.statuses):
        if number in together.errors:
            assert str(together.errors[number]) == str(alone.errors[number])
        elif status is gl.Status.OPTIMAL:
            assert together[number].verify(problems[number])
            structure = together.structure(number)
            assert problems[number].value(structure) == pytest.approx(together.values[number])
    assert all(not array.flags.writeable for array in together.arrays.values())


@pytest.fixture(scope="module")
def batch():
    rng = np.random.default_rng(2)
    lengths = rng.integers(1, 12, 200)
    return ChainModel(rng.normal(size=(6, 6))).batch(rng.normal(size=(lengths.sum(), 6)), lengths)


@pytest.mark.parametrize("method", ["dominance", "column-generation", "beam"])
@pytest.mark.parametrize("backend", mostly_long([None, "loky"], quick=[0]))
def test_slices_of_a_batch(batch, method, backend):
    """Threads, unless processes are asked for."""
    alone = gl.solve_many(batch, method)
    if backend is None:
        together = gl.solve_many(batch, method, jobs=2)
    else:
        with joblib.parallel_config(backend=backend):
            together = gl.solve_many(batch, method, jobs=2)
    same(alone, together)
    assert together.structure(-1).tolist() == alone.structure(-1).tolist()
    assert together[150].verify(batch[150])


def test_a_wrong_score_is_named_as_in_one_process(batch):
    unary = batch.unary.copy()
    unary[batch.offsets[133] + 0, 2] = np.nan
    wrong = batch.model.batch(unary, np.diff(batch.offsets))
    for jobs in (1, 2):
        with pytest.raises(gl.InvalidProblem, match=r"^sentence 133: unary\[0, 2\]"):
            gl.solve_many(wrong, jobs=jobs)


def test_a_broken_pool_is_named(chains, monkeypatch):
    def broken(pool, tasks):
        raise BrokenExecutor
        yield

    monkeypatch.setattr(joblib.Parallel, "__call__", broken)
    with pytest.raises(gl.SolveError, match="a worker process was killed"):
        list(map_chunks(lambda *_: None, chains, 2, 4, threads=False))


@pytest.mark.long
def test_a_killed_worker_is_named(chains):
    def work(start, some):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(gl.SolveError, match="a worker process was killed"):
        list(map_chunks(work, chains, 2, 4, threads=False))
    assert gl.solve_many(chains, jobs=2).proved_share == 1.0


SCRIPT = """
    import itertools
    import numpy as np
    import gapless as gl
    from gapless_chains import ChainModel

    rng = np.random.default_rng(0)
    model = ChainModel(rng.normal(size=(60, 60)))
    problems = [model.problem(rng.normal(size=(40, 60))) for _ in range(40)] * 2000
    if {many}:
        class Loud(list):
            def __getitem__(self, at):
                if isinstance(at, slice) and at.start > 20:
                    print("going", flush=True)
                return super().__getitem__(at)

        import gapless.solving
        gapless.solving.list = Loud
        batch = gl.solve_many(problems, "column-generation", jobs=2, limits=gl.Limits(nodes=9))
        done = sum(status is not None for status in batch.statuses)
    else:
        done = 0
        try:
            for _ in gl.solve_stream(problems, "column-generation", jobs=2, limits=gl.Limits(nodes=9)):
                done += 1
                if done == 20:
                    print("going", flush=True)
        except KeyboardInterrupt:
            pass
    print("finished", 0 < done < len(problems), flush=True)
"""


@pytest.mark.parametrize("many", mostly_long([True, False], quick=[0]))
def test_control_c_leaves_what_is_finished_and_nobody_behind(many):
    """The whole group is interrupted, as a terminal does it."""
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT.replace("{many}", str(many)))]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:
        assert process.stdout.readline() == "going\n"
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
    assert out.splitlines()[-1] == "finished True"
    assert err == ""
    assert process.returncode == 0
    nobody_is_left(process.pid)


def test_nobody_outlives_a_killed_caller():
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT.replace("{many}", "False"))]
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "going\n"
        process.kill()
    nobody_is_left(process.pid)


def nobody_is_left(group):
    def gone():
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        return False

    patience.until(gone, os.getpid())


STARTING = """
    import os, signal
    import joblib
    import numpy as np
    import gapless as gl
    from gapless_chains import ChainProblem

    begin = joblib.Parallel.__call__

    def interrupted(pool, tasks):
        os.kill(os.getpid(), signal.SIGINT)
        running = begin(pool, tasks)
        print("started", flush=True)
        return running

    joblib.Parallel.__call__ = interrupted
    problems = [ChainProblem(np.zeros((3, 2)), np.zeros((2, 2)))] * 100
    if {many}:
        print(gl.solve_many(problems, jobs=2).statuses.count(None))
    else:
        try:
            print("lost", sum(1 for _ in gl.solve_stream(problems, jobs=2)))
        except KeyboardInterrupt:
            print(100)
"""


@pytest.mark.parametrize("many", mostly_long([True, False], quick=[1]))
def test_control_c_while_processes_are_started_is_not_lost(many):
    """They are started whole, and then it counts."""
    script = textwrap.dedent(STARTING.replace("{many}", str(many)))
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    # loky may say that it was stopped before it had sent anything; workers say nothing.
    assert (ended.stdout.split(), ended.returncode) == (["started", "100"], 0)
    assert "KeyboardInterrupt" not in ended.stderr
