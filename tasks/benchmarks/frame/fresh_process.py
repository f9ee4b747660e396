"""Measurements in a new process, whose peak memory counts nothing else."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
_FORGET_THE_MARK = "5"


def in_new_process(
    work: Callable[Arguments, Returned], *arguments: Arguments.args, **options: Arguments.kwargs
) -> Returned:
    """Call a module's function in a new process and return its result."""
    fresh = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=fresh) as pool:
        return pool.submit(work, *arguments, **options).result()


def high_water() -> int | None:
    """Return the peak resident bytes of this process; None if the system does not report them.

    getrusage does not serve: after a fork it reports the parent's peak if that is larger.
    """
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)


def forget_high_water() -> bool:
    """Reset the peak that `high_water` reports; return whether the system can."""
    try:
        Path("/proc/self/clear_refs").write_text(_FORGET_THE_MARK, "ascii")
    except OSError:
        return False
    return True
