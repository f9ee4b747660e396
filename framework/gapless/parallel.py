"""Work in chunks over the workers of a joblib backend: processes, threads, a Dask or a Ray cluster.

What a chunk holds is nothing to this module. Chunks are as large as takes a fifth of a second: enough that sending
one costs little beside it, and little enough that no worker waits long for another's last one.
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

from gapless.core.errors import MissingDependency, SolveError

P = TypeVar("P")
T = TypeVar("T")

AT_ONCE = 256
"""Problems in a chunk, at most, unless the caller knows better."""
_SECONDS = 0.2
_GROWTH = 8
_SLICES = 8
"""Of a batch that threads share, for each of them."""
_AHEAD = 4
"""Chunks of a stream that are on their way for each worker."""


@attrs.frozen
class Finished:
    """Outcome of one chunk.

    `start`: the number of its first problem. `seconds`: of the work, without the transfer.
    """

    start: int
    count: int
    seconds: float
    outcome: Any


class Pace:
    """Size of the next chunk: one problem at first, then from the time of the last ones.

    `most`: never more than this.
    """

    def __init__(self, most: int = AT_ONCE) -> None:
        self.most = most
        self.size = 1

    def learn(self, done: Finished) -> None:
        """Look at how long a chunk took."""
        fitting = int(_SECONDS * done.count / max(done.seconds, 1e-9))
        self.size = max(1, min(self.most, fitting, _GROWTH * self.size))


def work_on(
    work: Callable[[int, Sequence[P]], T], start: int, chunk: tuple[Sequence[P]], caller: int | None = None
) -> Finished:
    """Do one chunk, here or wherever this function was sent; a child of process `caller` does not outlive it.

    The chunk comes inside a tuple, because Dask scatters arguments that can be weakly referenced: it then keeps
    them on one worker only, and they are lost with it.
    """
    if caller is not None:
        _end_with(caller)
    (problems,) = chunk
    began = time.perf_counter()
    outcome = work(start, problems)
    return Finished(start, len(problems), time.perf_counter() - began, outcome)


@functools.cache
def _end_with(caller: int) -> None:
    """Have this process end soon after its caller, once: by itself it would wait for minutes for more work.

    Where the caller was killed, perhaps because memory ran out, nobody tells it.
    """

    def watch() -> None:
        while os.getppid() == caller:
            time.sleep(1.0)
        os._exit(1)

    if os.getppid() == caller:
        threading.Thread(target=watch, daemon=True, name="gapless-caller").start()


def spread(
    work: Callable[[int, Sequence[P]], T], problems: Sequence[P], jobs: int, at_once: int, *, threads: bool
) -> Iterator[Finished]:
    """Work on all problems, in chunks; they are returned in the order in which they finish.

    Raises `MissingDependency`: joblib is not installed. `SolveError`: a worker process was killed.

    Parameters
    ----------
    work : callable
        ``work(start, some)`` is given the number of the first of some problems; it and what it returns must be fit
        for `cloudpickle`.
    jobs : int
        Workers; -1 for all that there are.
    at_once : int
        The most problems in a chunk.
    threads : bool
        Whether threads do, where the user has not configured a backend: equal slices, and nothing is copied.
    """
    with _pool(jobs, "generator_unordered", threads=threads) as pool:
        workers = _workers(jobs)
        pace = Pace(at_once)

        def chunks() -> Iterator[tuple[int, Sequence[P]]]:
            start, total = 0, len(problems)
            while start < total:
                if threads:
                    size = -(-total // (_SLICES * workers))
                else:
                    size = min(pace.size, -(-(total - start) // (2 * workers)))
                yield start, problems[start : start + size]
                start += size

        for done in _running(pool, work, chunks()):
            pace.learn(done)
            yield done


def spread_in_order(
    work: Callable[[int, Sequence[P]], T], problems: Iterator[P], jobs: int, at_once: int
) -> Iterator[Finished]:
    """Work on problems that come one by one; chunks are returned in their order.

    The problems are taken by the thread that asks for the outcomes, and never more than ``4 * at_once`` for each
    worker before their outcomes have been taken: whoever asks slowly slows the whole down, and memory stays flat.
    An exception of `problems` is raised where it belongs, after the outcomes of those before it. Raises
    what `spread` raises.

    Parameters
    ----------
    work, jobs, at_once
        As in `spread`; with ``jobs=1`` all happens in this process.
    """
    pace = Pace(at_once)
    source = _Source(problems, pace)
    if jobs == 1:
        while source.pull():
            for start, chunk in source.waiting():
                done = work_on(work, start, (chunk,))
                pace.learn(done)
                yield done
    else:
        with _pool(jobs, "generator") as pool:
            most = _AHEAD * _workers(jobs)
            ahead = source.pull(most)
            # Backends take chunks in threads of their own, whenever a worker is free. One that finds none ends the
            # round: those who bring problems, or take outcomes, are then slower than the workers.
            while ahead:
                for done in _running(pool, work, source.waiting()):
                    pace.learn(done)
                    yield done
                    ahead += source.pull(most - ahead + 1) - 1
                ahead += source.pull(most - ahead)
    source.end()


class _Source(Generic[P]):
    """Chunks of what an iterator brings: pulled by one thread, given away to others."""

    def __init__(self, problems: Iterator[P], pace: Pace) -> None:
        self._problems = problems
        self._pace = pace
        self._chunks: deque[tuple[int, list[P]]] = deque()
        self._count = 0
        self._error: Exception | None = None

    def pull(self, most: int = 1) -> int:
        """Take so many chunks more, and say how many there were."""
        for taken in range(most):
            chunk: list[P] = []
            try:
                for problem in itertools.islice(self._problems, 0 if self._error else self._pace.size):
                    chunk.append(problem)
            except Exception as error:
                self._error = error
            if not chunk:
                return taken
            self._chunks.append((self._count, chunk))
            self._count += len(chunk)
        return most

    def waiting(self) -> Iterator[tuple[int, list[P]]]:
        """Give away chunks until there is none."""
        while self._chunks:
            yield self._chunks.popleft()

    def end(self) -> None:
        """Raise what the iterator raised."""
        if self._error is not None:
            raise self._error


def _pool(jobs: int, returned: str, *, threads: bool = False) -> Any:
    try:
        import joblib  # noqa: PLC0415  an extra: imported when asked for
    except ImportError as error:
        raise MissingDependency("jobs other than 1 need joblib: pip install 'gapless[distributed]'") from error
    how = {"n_jobs": jobs, "batch_size": 1, "prefer": "threads" if threads else None}
    try:
        return joblib.Parallel(return_as=returned, **how)
    except ValueError:  # a backend whose outcomes come all at once, such as Ray
        return joblib.Parallel(return_as="list", **how)


def _workers(jobs: int) -> int:
    import joblib  # noqa: PLC0415

    return max(1, int(joblib.effective_n_jobs(jobs)))


def _running(
    pool: Any, work: Callable[[int, Sequence[P]], T], chunks: Iterator[tuple[int, Sequence[P]]]
) -> Iterator[Finished]:
    from concurrent.futures import BrokenExecutor  # noqa: PLC0415  as joblib: for several workers alone

    import joblib  # noqa: PLC0415

    tasks = (joblib.delayed(work_on)(work, start, (chunk,), os.getpid()) for start, chunk in chunks)
    if not pool.return_generator:
        while some := list(itertools.islice(tasks, _AHEAD * _workers(pool.n_jobs))):
            yield from pool(some)
        return
    with contextlib.ExitStack() as stack:
        with contextlib.nullcontext() if _has_threads(pool) else _children_ignore_interrupts():
            running = pool(tasks)
            stack.callback(_throw_away, running)
        try:
            for done in running:  # noqa: UP028  `yield from` would close it before `_throw_away` does
                yield done
        except BrokenExecutor as error:
            raise SolveError(
                "a worker process was killed, perhaps because memory ran out: use fewer jobs, or a smaller at_once"
            ) from error


def _has_threads(pool: Any) -> bool:
    """Whether the workers are threads of this process: there is none to start."""
    return bool(getattr(pool._backend, "uses_threads", False))


def _throw_away(running: Any) -> None:
    """Close joblib's generator; it warns that tasks are thrown away, and that is what closing is for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        running.close()


@contextlib.contextmanager
def _children_ignore_interrupts() -> Iterator[None]:
    """Processes that are started meanwhile are deaf to Ctrl-C; this one hears it when they stand, and ends them.

    They inherit a blocked signal: one that is ignored here meanwhile would be lost for this process, too.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _start_resource_trackers()
    heard: list[tuple[int, FrameType | None]] = []
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is not None
    # Other threads do not block it: one that comes to them shall not break off a half-started process either.
    before = signal.signal(signal.SIGINT, lambda *call: heard.append(call)) if ours else None
    try:
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)
    if heard and callable(before):
        before(*heard[0])


def _start_resource_trackers() -> None:
    """Start them now: the start of the one of `multiprocessing` ends with an unblocked Ctrl-C."""
    from multiprocessing import resource_tracker  # noqa: PLC0415  for processes alone

    resource_tracker.ensure_running()
    loky = sys.modules.get("joblib.externals.loky.backend.resource_tracker")
    if loky is not None:
        loky.ensure_running()
