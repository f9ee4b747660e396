# cython: language_level=3
"""The one choice of an instruction set: the kernels of all rooms read it at each call. See README.md."""

cdef extern from "lanes/processor.h" nogil:
    int gapless_best_set()

_NAMES = ("plain", "avx2", "avx512")
chosen = gapless_best_set()


def instruction_sets():
    """Names of the instruction sets that the processor has and GAPLESS_SIMD allows, best last."""
    return _NAMES[:gapless_best_set() + 1]


def choose_instruction_set(name):
    """Make all kernels use another instruction set from here on; return the name of the one before.

    For tests and measurements: answers do not depend on it. No kernel may run in another thread meanwhile.
    """
    global chosen
    if name not in instruction_sets():
        raise ValueError(f"instruction set {name!r}: this process can use {', '.join(instruction_sets())}")
    before = _NAMES[chosen]
    chosen = _NAMES.index(name)
    return before
