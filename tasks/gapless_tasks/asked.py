"""What every task's command line asks for in the same way: numbers, seconds, processes, a folder for answers."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

import gapless as gl


def positive(text: str) -> int:
    """A positive whole number, for argparse."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive whole number")
    return number


def not_negative(text: str) -> int:
    """A whole number from 0 on, for argparse."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0 on")
    return number


def positive_seconds(text: str) -> float:
    """A positive number of seconds, for argparse."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number of seconds")
    return seconds


def check_jobs(jobs: int) -> None:
    """Raise `MissingDependency` for several processes without joblib."""
    if jobs > 1 and find_spec("joblib") is None:
        raise gl.MissingDependency("--jobs needs joblib: pip install 'gapless[distributed]'")
