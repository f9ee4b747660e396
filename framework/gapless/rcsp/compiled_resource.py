"""User-defined resource that a compiled function extends along arcs."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.errors import InvalidProblem
from gapless.rcsp.resources import floats
from gapless_kernels import UserState


def _listed(values: Any) -> tuple[Any, ...]:
    return tuple(np.atleast_1d(values).tolist())


@attrs.frozen(eq=False)
class CompiledResource:
    """A state of a few numbers that a compiled function extends along the arcs of a route, with costs.

    `extend` is a C function: a numba ``cfunc``, a ctypes function, a ``scipy.LowLevelCallable``, a capsule of a
    Cython module, or an address::

        int extend(void *data, int32_t arc, const double *state, double *next, double *cost)

    It reads the state at the tail of the arc, writes all numbers of the state at its head and the cost, and returns
    0; or it returns 1 where the route may not go on. It runs without the GIL.

    A label may dominate another only if no number of its state is larger. So `extend` must be *monotone*: from
    a state that is no larger, an arc is allowed if it is allowed from the larger one, leads to a state that is
    no larger, and costs no more. List numbers for which that does not hold in `same`: they must then be equal.
    If a function breaks this rule, bounds may be wrong, which no search can detect;
    `gapless.testing.check_resource` tests for it. NaN, numbers that were not written, costs outside their
    limits and other codes end every call with a RuntimeError that names the arc.

    Such a state is known from the source on only: labels do not meet half way, and
    `LabelSetting.cheapest_through_arcs` gives lower bounds only.

    Parameters
    ----------
    extend : function
    start : float64 (size,)
        The state at the source; infinite numbers are allowed.
    same : sequence of int
        Positions of numbers that must be equal.
    data : contiguous array or other buffer, ctypes pointer, or address, optional
        First argument of the function; NULL without. Kept alive, must stay as it is.
    least, most : float
        Limits of what the function writes as cost; by default it writes 0.

    Raises
    ------
    TypeError, ValueError
        If `extend` is no C function or has other argument types, or `data` is not contiguous.
    InvalidProblem
        If a number is out of range.
    """

    extend: Any
    start: FloatArray = attrs.field(converter=floats)
    same: tuple[int, ...] = attrs.field(converter=_listed, default=())
    data: Any = None
    least: float = 0.0
    most: float = 0.0
    _state: UserState = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        from gapless_kernels.search._addresses import Addresses  # noqa: PLC0415  only where there is such a resource

        if self.start.ndim != 1 or np.isnan(self.start).any():
            raise InvalidProblem(f"CompiledResource: start must be a list of numbers, got {self.start}")
        if not all(isinstance(k, (int, np.integer)) and 0 <= k < self.start.size for k in self.same):
            raise InvalidProblem(
                f"CompiledResource: same is {self.same}, expected indices of the state's {self.start.size} numbers"
            )
        if not -np.inf < self.least <= self.most < np.inf:
            raise InvalidProblem(
                f"CompiledResource: least and most must be finite and ascending, got {self.least} and {self.most}"
            )
        same = np.zeros(self.start.size, bool)
        same[list(self.same)] = True
        # Here and not in every search: the address is checked once, and kept with what must stay alive.
        addresses = Addresses("CompiledResource", self.data)
        address = addresses.function("extend", self.extend, "void* int double* double* double*")
        least, most = float(self.least), float(self.most)
        state = UserState("", address, addresses.data(), self.start, same, least, most, addresses.references())
        object.__setattr__(self, "_state", state)

    def at(self, location: str) -> UserState:
        """Return the state for the kernels; its errors name the location."""
        return self._state._replace(location=location)
