"""Every version of a kernel in one process (`instruction_set`), and errors that callbacks lose."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import gapless_kernels

SETS: tuple[str, ...] = ("numpy",)
if gapless_kernels.COMPILED:
    from gapless_kernels.lanes import _sets

    SETS = _sets.instruction_sets()


@pytest.fixture(scope="module", params=SETS)
def instruction_set(request: pytest.FixtureRequest) -> Iterator[str]:
    """The set that all kernels use in the test; "numpy" where the twins run instead."""
    if request.param == "numpy":
        yield "numpy"
        return
    before = _sets.choose_instruction_set(request.param)
    yield request.param
    _sets.choose_instruction_set(before)


@pytest.fixture
def raised_in_callbacks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Errors that ctypes reports and forgets."""
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: seen.append(told.exc_type))
    return seen
