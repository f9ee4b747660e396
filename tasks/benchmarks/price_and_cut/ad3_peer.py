"""AD3 with its tree factor and an exact star factor for each head, from a shared library that the user builds.

AD3 (https://github.com/andre-martins/AD3) is no package that installs, so nothing of it is here. The library has
one function::

    int32_t gapless_ad3_grandparents(int64_t words, const double *arcs, const double *grandparents,
                                     int32_t single_root, int32_t exact, double eta, double tolerance,
                                     int32_t iterations, double *value, int64_t *heads);

``arcs`` is (words + 1, words + 1) [head, modifier], row-major, ``grandparents`` (words + 1,) * 3 [grandparent,
head, modifier]. It returns 0 for an integral optimum, 1 for a fractional one, 2 when there is none, 3 when the
iterations did not suffice; any other number refuses the sentence. ``exact`` asks for AD3's own branch and bound.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_dependency import Grandchild
from gapless_tasks.parsing.sentence_arrays import SentenceArrays

FUNCTION = "gapless_ad3_grandparents"
ETAS = (0.1, 0.3, 1.0)
"""Step sizes worth trying when arc scores have a standard deviation of 1; ten times less or more is far slower."""
_TOLERANCE, _ITERATIONS = 1e-6, 5000
_INTEGRAL = 0


@attrs.frozen(eq=False)
class DenseScores:
    """The input of AD3.

    Parameters
    ----------
    arcs : float64 (n + 1, n + 1)
    grandparents : float64 (n + 1, n + 1, n + 1)
        [grandparent, head, modifier].
    """

    arcs: FloatArray
    grandparents: FloatArray
    single_root: bool

    @classmethod
    def of(cls, arrays: SentenceArrays) -> DenseScores:
        """Divide scores of a sentence by the standard deviation of its arc scores: step sizes depend on that.

        Raises
        ------
        InvalidProblem
            Not all arcs are candidates, or the factor is no grandparent factor.
        """
        scores = arrays.arcs
        weights = scores[scores > -np.inf]
        if weights.size != (len(scores) - 1) ** 2:
            raise InvalidProblem("AD3's star factors are written for sentences with all arcs")
        if [kind for kind, _ in arrays.parts] != [Grandchild]:
            raise InvalidProblem("AD3's star factors are written for grandparents alone")
        unit = float(weights.std()) or 1.0
        return cls(np.ascontiguousarray(scores / unit), arrays.parts[0][1] / unit, arrays.single_root)


class Ad3:
    """The library.

    Raises
    ------
    InvalidProblem
        It cannot be loaded, or has no such function.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._function: Callable[..., int] = _declared(ctypes.CDLL(str(path.resolve())))
        except (OSError, AttributeError) as error:
            raise InvalidProblem(f"--ad3 {path}: no library with a function {FUNCTION} ({error})") from error

    def __call__(self, scores: DenseScores, eta: float) -> IntArray | None:
        """Heads of the words, int64 (n,), which AD3 has proved to be the best ones; None if it has not."""
        words = len(scores.arcs) - 1
        heads = np.zeros(words, np.int64)
        given = words, scores.arcs, scores.grandparents, scores.single_root
        value = ctypes.byref(ctypes.c_double())
        status = self._function(*given, True, eta, _TOLERANCE, _ITERATIONS, value, heads)
        return heads if status == _INTEGRAL else None


def _declared(library: ctypes.CDLL) -> Callable[..., int]:
    function = getattr(library, FUNCTION)
    floats = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
    whole, real = ctypes.c_int32, ctypes.c_double
    heads = np.ctypeslib.ndpointer(np.int64, flags="C_CONTIGUOUS")
    function.argtypes = [
        *(ctypes.c_int64, floats, floats, whole, whole, real, real, whole),
        *(ctypes.POINTER(real), heads),
    ]
    function.restype = ctypes.c_int32
    declared: Callable[..., int] = function
    return declared
