"""Every version of a kernel in one process (`instruction_set`)."""

from collections.abc import Iterator

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
