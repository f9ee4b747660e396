"""Measurements in a process of their own, whose memory nobody has used before."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
_FORGET_THE_MARK = "5"


def in_fresh_process(
    work: Callable[Arguments, Answer], *arguments: Arguments.args, **options: Arguments.kwargs
) -> Answer:
    """The answer of a function of a module, called in a new process."""
    fresh = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=fresh) as pool:
        return pool.submit(work, *arguments, **options).result()


def high_water() -> int | None:
    """Most bytes that this process has held; None where the system does not say.

    Not from getrusage: after a fork its mark is the parent's where that is larger.
    """
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)


def forget_high_water() -> bool:
    """Begin to look for the most bytes anew; whether the system can."""
    try:
        Path("/proc/self/clear_refs").write_text(_FORGET_THE_MARK, "ascii")
    except OSError:
        return False
    return True
