"""Dask and Ray by joblib's own backends: the same answers, in order, also when a worker is killed on the way."""

import importlib
import os
import signal

import pytest

import gapless as gl

joblib = pytest.importorskip("joblib", reason="clusters are reached through joblib")


@pytest.fixture(scope="module")
def dask_cluster():
    distributed = pytest.importorskip("distributed", reason="the extra 'distributed' is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster),
    ):
        yield cluster


@pytest.mark.long
def test_a_killed_dask_worker_loses_nothing(dask_cluster, mixed):
    problems = mixed * 6
    alone = list(gl.solve_stream(problems))
    victim = next(iter(dask_cluster.workers.values())).pid
    found = []
    with joblib.parallel_config(backend="dask"):
        for outcome in gl.solve_stream(iter(problems), jobs=-1, chunk_size=4):
            if len(found) == 10:
                os.kill(victim, signal.SIGKILL)
            found.append(outcome)
    assert victim not in [worker.pid for worker in dask_cluster.workers.values()]
    assert len(found) == len(problems)
    for problem, one, other in zip(problems, alone, found, strict=True):
        assert other.status is one.status
        assert [s.value for s in other.solutions] == [s.value for s in one.solutions]
        assert other.verify(problem)


def test_a_batch_on_dask(dask_cluster, mixed):
    with joblib.parallel_config(backend="dask"):
        together = gl.solve_many(mixed, jobs=2, chunk_size=5)
        here = gl.solve_many(mixed, jobs=1)
    assert together.statuses == here.statuses == gl.solve_many(mixed).statuses
    assert all(together[number].verify(problem) for number, problem in enumerate(mixed))


@pytest.mark.long
def test_ray(mixed):
    ray = pytest.importorskip("ray", reason="ray is not installed (it is no extra of ours: its wheels are large)")
    importlib.import_module("ray.util.joblib").register_ray()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        with joblib.parallel_config(backend="ray"):
            together = gl.solve_many(mixed, jobs=2, chunk_size=5)
            streamed = list(gl.solve_stream(iter(mixed), jobs=2, chunk_size=5))
    finally:
        ray.shutdown()
    alone = gl.solve_many(mixed)
    assert together.statuses == alone.statuses == [outcome.status for outcome in streamed]
    assert all(outcome.verify(problem) for problem, outcome in zip(mixed, streamed, strict=True))
