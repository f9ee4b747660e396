"""Roles of the search made of C functions."""

from typing import Any

import numpy.typing as npt

from gapless_kernels.search.roles import Factor, Maximiser

class ForeignFactor(Factor):
    """A factor made of C functions, as ``gs_factor`` in ``search/roles.h`` describes them.

    A function is given as a ``scipy.LowLevelCallable``, a numba ``cfunc``, a ctypes function, a capsule of a Cython
    module (``module.__pyx_capi__[name]``) or an address. Argument types are checked where the object knows them.
    Functions run without the GIL.

    Parameters
    ----------
    scope : int (count,)
        Its decisions, in the order in which the functions see them.
    maximise : function
        ``int (void *data, const double *prices, const int8_t *state, double *value, int8_t *y)``.
    value : function
        ``int (void *data, const int8_t *y, double *value)``.
    marginals : function, optional
        ``int (void *data, const double *prices, const int8_t *state, double *with, double *without)``.
    flips : function, optional
        ``int (void *data, const int8_t *y, double *difference)``.
    data : contiguous array or other buffer, ctypes pointer, or address, optional
        First argument of every function; NULL without. Kept alive. By default the user data of a
        ``scipy.LowLevelCallable``.

    Raises
    ------
    TypeError
        Something is no C function, or its argument types are others.
    ValueError
        A function is no address, or `data` is not contiguous.
    """

    def __init__(
        self,
        scope: npt.ArrayLike,
        maximise: Any,
        value: Any,
        marginals: Any = None,
        flips: Any = None,
        data: Any = None,
    ) -> None: ...

class ForeignMaximiser(Maximiser):
    """A backbone made of C functions, as ``gs_maximiser`` in ``search/roles.h`` describes them.

    Functions are given as to `ForeignFactor`.

    Parameters
    ----------
    decisions : int
        Number of decisions.
    maximise : function
        ``int (void *data, int chart, const double *weights, const int8_t *state, double *value, int32_t *on,
        ptrdiff_t *count)``.
    marginals : function, optional
        ``int (void *data, const double *weights, const int8_t *state, double *with, double *without)``. Without
        it no decision is fixed.
    own : function, optional
        ``int (void *data, const int32_t *on, ptrdiff_t count, double *own)``. Without it every set that has one
        decision of each choice group is a structure, and structures have no scores of their own.
    excludes : function, optional
        ``int (void *data, int32_t one, int32_t other)``.
    data : contiguous array or other buffer, ctypes pointer, or address, optional
        First argument of every function; NULL without. Kept alive.
    most_on : int, optional
        Decisions that a structure turns on, at most; all of them by default.
    has_own : bool, optional
        Whether structures have scores beyond the weights; by default where `own` is given.

    Raises
    ------
    TypeError
        Something is no C function, or its argument types are others.
    ValueError
        A function is no address, a number is out of range, or `data` is not contiguous.
    """

    def __init__(
        self,
        decisions: int,
        maximise: Any,
        marginals: Any = None,
        own: Any = None,
        excludes: Any = None,
        data: Any = None,
        *,
        most_on: int | None = None,
        has_own: bool | None = None,
    ) -> None: ...
