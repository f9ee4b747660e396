"""A factor that the search calls by the addresses of C functions, which ctypes makes from Python functions."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless_kernels
from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, float_array, int_array
from gapless.decisions.decisions import Decisions
from gapless.factors.factor import ConfigurationFactor

_VOID, _DOUBLES = ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)
_STATES = ctypes.POINTER(ctypes.c_int8)
_MAXIMISE = ctypes.CFUNCTYPE(ctypes.c_int, _VOID, _DOUBLES, _STATES, _DOUBLES, _STATES)
_VALUE = ctypes.CFUNCTYPE(ctypes.c_int, _VOID, _STATES, _DOUBLES)
_FOUND, _NOTHING = 0, 1


def _by_address(kind: Any, function: Any) -> Any:
    """A C function that does not show that it is Python inside, where nothing is raised: see `ForeignFactor`."""
    inner = kind(function)
    outer = kind(ctypes.cast(inner, _VOID).value)
    outer.inner = inner
    return outer


@serialisable("gapless.testing.AddressedTable")
@attrs.frozen(eq=False)
class AddressedTable(ConfigurationFactor):
    """A score for each configuration of a few decisions; the search calls it by address.

    Parameters
    ----------
    scope_ids : int64 (m,)
    scores : float64 (2 ** m,)
        By configuration, the first decision slowest.
    """

    name: ClassVar[str] = "addressed-table"
    scope_ids: IntArray = attrs.field(converter=int_array)
    scores: FloatArray = attrs.field(converter=float_array)

    def scope(self, decisions: Decisions) -> IntArray:
        """Return the decisions as given."""
        return self.scope_ids

    def value(self, on: BoolArray) -> float:
        """Look up the score of a configuration."""
        return float(self.scores[int("0" + "".join("1" if one else "0" for one in on), 2)])

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Try all configurations."""
        rows = self._rows()
        totals = np.where(rows, weights, 0.0).sum(axis=1) + self.scores
        most = int(np.argmax(totals))
        return float(totals[most]), rows[most]

    def _rows(self) -> BoolArray:
        size = self.scope_ids.size
        return np.array(list(itertools.product((False, True), repeat=size)), bool).reshape(1 << size, size)

    def compiled(self, decisions: Decisions) -> Any:
        """Return the addresses; None without compiled kernels."""
        if not gapless_kernels.COMPILED:
            return None
        from gapless_kernels.search.foreign import ForeignFactor  # noqa: PLC0415  compiled only

        size, rows = self.scope_ids.size, self._rows()

        def maximise(_: Any, prices: Any, state: Any, value: Any, y: Any) -> int:
            fixed = np.array(state[:size], np.int8)
            totals = self.scores - rows @ np.array(prices[:size])
            totals[((fixed >= 0) & (rows != (fixed == 1))).any(axis=1)] = -np.inf
            most = int(np.argmax(totals))
            if totals[most] == -np.inf:
                return _NOTHING
            value[0] = float(totals[most])
            for index, is_on in enumerate(rows[most].tolist()):
                y[index] = is_on
            return _FOUND

        def worth(_: Any, y: Any, value: Any) -> int:
            value[0] = self.value(np.array(y[:size], bool))
            return _FOUND

        return ForeignFactor(self.scope_ids, _by_address(_MAXIMISE, maximise), _by_address(_VALUE, worth))
