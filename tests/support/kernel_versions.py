"""Shared by the tests of kernels: both versions of a module, random scores, arrays of unusual layout."""

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gapless_kernels import COMPILED

if COMPILED:
    from gapless_kernels.lanes import _sets

Array = npt.NDArray[Any]

needs_compiled = pytest.mark.skipif(not COMPILED, reason="GAPLESS_PURE=1")
rules = pytest.mark.parametrize("single_root", [True, False])


def versions(name):
    """Import the twin and the compiled version of a module, such as "trees._trees"; without it, the twin twice."""
    twin = import_module(f"gapless_kernels.{name}_twin")
    return twin, import_module(f"gapless_kernels.{name}") if COMPILED else twin


def both(name):
    """Run a test with `kernels` set to each version of a module."""
    modules = dict(zip(("numpy", "compiled")[: 1 + COMPILED], versions(name), strict=False))
    return pytest.mark.parametrize("kernels", modules.values(), ids=modules)


def every_set(twin, compiled):
    """Make a fixture of the twin, then of the compiled version with each instruction set of this processor."""

    @pytest.fixture(scope="module", params=("numpy", *(_sets.instruction_sets() if COMPILED else ())))
    def kernels(request):
        if request.param == "numpy":
            yield twin
            return
        before = _sets.choose_instruction_set(request.param)
        yield compiled
        _sets.choose_instruction_set(before)

    return kernels


def random_scores(rng, shape, integers, forbidden):
    """Small integers, which tie often, or normal numbers; each is -inf with probability `forbidden`."""
    scores = rng.integers(-3, 4, shape).astype(float) if integers else rng.normal(size=shape)
    scores[rng.random(shape) < forbidden] = -np.inf
    return np.asarray(scores)


def strided(array):
    """Copy an array to one that is read-only and not contiguous."""
    copy = np.repeat(np.asfortranarray(array), 2, axis=-1)[..., ::2]
    copy.flags.writeable = False
    return copy


def zeros(*shape, dtype=np.float64):
    return np.zeros(shape, dtype)


def changed(array, index, value):
    """Copy an array with another value at one index."""
    copy = array.copy()
    copy[index] = value
    return copy
