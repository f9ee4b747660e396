"""Work in chunks over the workers of a joblib backend: processes, threads, a Dask or a Ray cluster.

This module does not depend on the kind of work. A chunk takes a fifth of a second: long enough that sending it
costs little in comparison, and short enough that no worker waits long for the last chunk of another (decision 014).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any, Generic, TypeVar

import attrs

from gapless.errors import MissingDependency, SolveError

P = TypeVar("P")
T = TypeVar("T")

CHUNK_SIZE = 256
"""Default limit on the problems in a chunk."""
_SECONDS = 0.2
"""Aimed duration of a chunk."""
_GROWTH = 8
"""Limit on the growth of a chunk: one quick problem may be followed by slow ones."""
_SLICES = 8
"""Slices of a shared batch per thread, so that a thread with long sentences holds up the others little."""
_AHEAD = 4
"""Chunks of a stream per worker that wait or are being solved, so that no worker waits for the caller."""


@attrs.frozen
class ChunkResult:
    """Outcome of one chunk.

    `start`: number of its first problem. `seconds`: duration of the work, without the transfer.
    """

    start: int
    count: int
    seconds: float
    outcome: Any


class ChunkSizer:
    """Size of the next chunk: one problem at first, then by the time of the last chunk.

    `limit`: limit on the size.
    """

    def __init__(self, limit: int = CHUNK_SIZE) -> None:
        self.limit = limit
        self.size = 1

    def learn(self, done: ChunkResult) -> None:
        """Adapt the size to the duration of a chunk."""
        fitting = int(_SECONDS * done.count / max(done.seconds, 1e-9))
        self.size = max(1, min(self.limit, fitting, _GROWTH * self.size))


def run_chunk(
    work: Callable[[int, Sequence[P]], T], start: int, chunk: tuple[Sequence[P]], caller: int | None = None
) -> ChunkResult:
    """Work on one chunk, in this process or a worker; a child of process `caller` ends with it.

    The chunk comes inside a tuple, because joblib scatters arguments that can be weakly referenced to Dask: one
    worker stores them, and they are lost with it (decision 014).
    """
    if caller is not None:
        _end_with(caller)
    (problems,) = chunk
    began = time.perf_counter()
    outcome = work(start, problems)
    return ChunkResult(start, len(problems), time.perf_counter() - began, outcome)


@functools.cache
def _end_with(caller: int) -> None:
    """Make this process end soon after its caller, which otherwise would wait minutes for more work.

    A caller that was killed, perhaps because memory ran out, cannot stop its workers.
    """

    def watch() -> None:
        while os.getppid() == caller:
            time.sleep(1.0)
        os._exit(1)  # `sys.exit` would end this thread only

    if os.getppid() == caller:
        threading.Thread(target=watch, daemon=True, name="gapless-caller").start()


def map_chunks(
    work: Callable[[int, Sequence[P]], T], problems: Sequence[P], jobs: int, chunk_size: int, *, threads: bool
) -> Iterator[ChunkResult]:
    """Work on all problems, in chunks; yield these in the order in which they finish.

    Raises `MissingDependency`: joblib is not installed. `SolveError`: a worker process was killed.

    Parameters
    ----------
    work : callable
        ``work(start, problems)`` gets the number of the first problem; function and result must be picklable by
        `cloudpickle`.
    jobs : int
        Number of workers; -1 for all.
    chunk_size : int
        Limit on the problems in a chunk.
    threads : bool
        If True, use threads unless the user has configured a backend: equal slices, and nothing is copied.
    """
    with _pool(jobs, "generator_unordered", threads=threads) as pool:
        workers = _workers(jobs)
        pace = ChunkSizer(chunk_size)

        def chunks() -> Iterator[tuple[int, Sequence[P]]]:
            start, total = 0, len(problems)
            while start < total:
                if threads:
                    size = -(-total // (_SLICES * workers))
                else:
                    # Near the end at most half a worker's share, so that all finish at about the same time.
                    size = min(pace.size, -(-(total - start) // (2 * workers)))
                yield start, problems[start : start + size]
                start += size

        for done in _running(pool, work, chunks()):
            pace.learn(done)
            yield done


def map_chunks_ordered(
    work: Callable[[int, Sequence[P]], T], problems: Iterator[P], jobs: int, chunk_size: int
) -> Iterator[ChunkResult]:
    """Work on the problems of an iterator; yield chunks in their order.

    The calling thread takes the problems, at most ``4 * chunk_size`` per worker before it takes their outcomes: a
    slow caller slows down the workers, and memory stays constant. An exception of `problems` is raised after the
    outcomes of the previous problems. Raises the same errors as `map_chunks`.

    Parameters
    ----------
    work, jobs, chunk_size
        As in `map_chunks`; ``jobs=1`` works in this process.
    """
    pace = ChunkSizer(chunk_size)
    source = _Source(problems, pace)
    if jobs == 1:
        while source.pull():
            for start, chunk in source.waiting():
                done = run_chunk(work, start, (chunk,))
                pace.learn(done)
                yield done
    else:
        with _pool(jobs, "generator") as pool:
            limit = _AHEAD * _workers(jobs)
            ahead = source.pull(limit)
            # Backends take chunks in threads of their own, whenever a worker is free. One that finds none ends the
            # round, because the source of problems, or the consumer of outcomes, is slower than the workers.
            while ahead:
                for done in _running(pool, work, source.waiting()):
                    pace.learn(done)
                    yield done
                    ahead += source.pull(limit - ahead + 1) - 1
                ahead += source.pull(limit - ahead)
    source.end()


class _Source(Generic[P]):
    """Queue of chunks of an iterator, filled by one thread and emptied by others.

    A user's generator may not run in joblib's threads, where its errors hang (decision 014).
    """

    def __init__(self, problems: Iterator[P], pace: ChunkSizer) -> None:
        self._problems = problems
        self._pace = pace
        self._chunks: deque[tuple[int, list[P]]] = deque()
        self._count = 0
        self._error: Exception | None = None

    def pull(self, limit: int = 1) -> int:
        """Take up to `limit` chunks from the iterator, and return their number."""
        for count in range(limit):
            chunk: list[P] = []
            try:
                # A loop instead of a list: the problems before an exception are solved.
                for problem in itertools.islice(self._problems, 0 if self._error else self._pace.size):
                    chunk.append(problem)
            except Exception as error:
                self._error = error
            if not chunk:
                return count
            self._chunks.append((self._count, chunk))
            self._count += len(chunk)
        return limit

    def waiting(self) -> Iterator[tuple[int, list[P]]]:
        """Yield chunks until the queue is empty."""
        while self._chunks:
            yield self._chunks.popleft()

    def end(self) -> None:
        """Raise the iterator's exception, if there was one."""
        if self._error is not None:
            raise self._error


def _pool(jobs: int, returned: str, *, threads: bool = False) -> Any:
    try:
        import joblib  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingDependency("jobs other than 1 need joblib: pip install 'gapless[distributed]'") from error
    # Our chunks are joblib's tasks: it must not group them again.
    options = {"n_jobs": jobs, "batch_size": 1, "prefer": "threads" if threads else None}
    try:
        return joblib.Parallel(return_as=returned, **options)
    except ValueError:  # a backend without generators, such as Ray
        return joblib.Parallel(return_as="list", **options)


def _workers(jobs: int) -> int:
    import joblib  # noqa: PLC0415

    return max(1, int(joblib.effective_n_jobs(jobs)))


def _running(
    pool: Any, work: Callable[[int, Sequence[P]], T], chunks: Iterator[tuple[int, Sequence[P]]]
) -> Iterator[ChunkResult]:
    from concurrent.futures import BrokenExecutor  # noqa: PLC0415  as joblib: for several workers alone

    import joblib  # noqa: PLC0415

    tasks = (joblib.delayed(run_chunk)(work, start, (chunk,), os.getpid()) for start, chunk in chunks)
    if not pool.return_generator:
        # In rounds, which wait for their slowest chunk.
        while batch := list(itertools.islice(tasks, _AHEAD * _workers(pool.n_jobs))):
            yield from pool(batch)
        return
    with contextlib.ExitStack() as stack:
        with contextlib.nullcontext() if _has_threads(pool) else _children_ignore_interrupts():
            running = pool(tasks)
            stack.callback(_close_quietly, running)
        try:
            for done in running:  # noqa: UP028  `yield from` would close it before `_close_quietly` does
                yield done
        except BrokenExecutor as error:
            raise SolveError(
                "a worker process was killed, perhaps because memory ran out: "
                "use fewer jobs, or a smaller chunk_size"
            ) from error


def _has_threads(pool: Any) -> bool:
    """Return True if the workers are threads of this process, so that no process is started."""
    return bool(getattr(pool._backend, "uses_threads", False))


def _close_quietly(running: Any) -> None:
    """Close joblib's generator without its warning that tasks are lost, which is the purpose here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        running.close()


@contextlib.contextmanager
def _children_ignore_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C; this process handles one that arrives meanwhile afterwards.

    Workers would print tracebacks at Ctrl-C (decision 014). They inherit a blocked signal; if this process ignored
    the signal instead, it would lose a Ctrl-C that arrives meanwhile.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _start_resource_trackers()
    received: list[tuple[int, FrameType | None]] = []
    # Only the main thread may set handlers, and None stands for one that was not set from Python.
    has_handler = (
        threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is not None
    )
    # Other threads do not block the signal, which must not stop a process halfway through its start either.
    previous = signal.signal(signal.SIGINT, lambda *call: received.append(call)) if has_handler else None
    try:
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    finally:
        if has_handler:
            signal.signal(signal.SIGINT, previous)
    if received and callable(previous):
        previous(*received[0])


def _start_resource_trackers() -> None:
    """Start the trackers before Ctrl-C is blocked: the start of that of `multiprocessing` unblocks it."""
    from multiprocessing import resource_tracker  # noqa: PLC0415  for processes alone

    resource_tracker.ensure_running()
    loky = sys.modules.get("joblib.externals.loky.backend.resource_tracker")
    if loky is not None:
        loky.ensure_running()
