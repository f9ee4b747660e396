"""Check of the columns that a generator returns: one that cannot improve the viewed master is named, not swallowed.

A generator that forgets the price of a row computes other reduced costs than the master, returns columns that the
master has or has no use for, and claims a slack that never closes: the answer stays true, the search never ends.
"""

from __future__ import annotations

import warnings
from typing import Any

import attrs
import numpy as np

from gapless.core.decisions import Fixings
from gapless.core.errors import FixedColumn, PricingWarning
from gapless.core.oracle import Answer, Generator, LinearView
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import RELATIVE


@attrs.frozen(eq=False)
class Useless:
    """Indices of returned columns that cannot improve the viewed master.

    Parameters
    ----------
    known : int64
        Columns that the view has.
    worthless : int64
        Columns that the view lacks, of negative reduced cost there beyond rounding. One that enters a row of the
        same batch does not count: the row may need it.
    gain : float64 (columns,)
        Reduced costs of all returned columns.
    """

    known: IntArray
    worthless: IntArray
    gain: FloatArray


def useless_columns(answer: Answer, view: LinearView) -> Useless:
    """Find the columns of an answer that cannot improve the viewed master."""
    columns = answer.batch.columns
    gain, known = view.gain(columns), view.has_columns(columns.keys)
    # What is paid may cancel against the objective; a gain of 0 within the rounding of both is none to complain of.
    rounding = RELATIVE * np.maximum(1.0, np.abs(columns.objective) + np.abs(columns.objective - gain))
    worthless = np.flatnonzero(~known & (gain < -rounding))
    if worthless.size:
        entries = columns.coefficients.take(worthless)
        new = ~np.isin(entries.indices, view.row_keys)
        worthless = np.delete(worthless, np.unique(entries.row_numbers()[new]))
    return Useless(np.flatnonzero(known), worthless, gain)


class ReturnedColumns:
    """Names useless columns, once for each generator and kind of uselessness in a solve.

    Parameters
    ----------
    master : object
        Has `Restricted.excluded`.
    """

    def __init__(self, master: Any) -> None:
        self._master = master
        self._named: set[tuple[int, str]] = set()

    def check(self, generator: Generator[Any], answer: Answer, view: LinearView, *, exact: bool) -> None:
        """Check one answer.

        Parameters
        ----------
        exact : bool
            Whether it is that of the generator's last stage. A heuristic stage may return what it likes.

        Raises
        ------
        FixedColumn
            No structure under the fixings is made of a column that was returned.

        Warns
        -----
        PricingWarning
            A column is known, or does not improve the viewed master.
        """
        self._refuse_excluded(generator, answer, view.fixings)
        if not exact:
            return
        useless = useless_columns(answer, view)
        keys = answer.batch.columns.keys
        if useless.known.size and answer.slack is not None:  # without a claim, the round ends with `MissingBound`
            j = int(useless.known[0])
            self._name(
                generator,
                "known",
                f"returned column {keys[j]}, which the master has (view.column_keys) and ignores; its reduced cost "
                f"there is {useless.gain[j]:.6g}",
            )
        if useless.worthless.size:
            j = int(useless.worthless[0])
            self._name(
                generator,
                "worthless",
                f"returned column {keys[j]}, which cannot improve the master, from its exact stage: its reduced "
                f"cost at the viewed prices is {useless.gain[j]:.6g}",
            )

    def _refuse_excluded(self, generator: Generator[Any], answer: Answer, fixings: Fixings) -> None:
        keys = answer.batch.columns.keys
        excluded = self._master.excluded(fixings, keys)
        if excluded is not None and excluded.any():
            raise FixedColumn(
                f"{type(generator).__name__} returned column {keys[np.flatnonzero(excluded)[0]]} although no "
                "structure under the fixings is made of it (Formulation.excludes): the master would ignore it. "
                "Look at view.fixings"
            )

    def _name(self, generator: Generator[Any], kind: str, finding: str) -> None:
        if (id(generator), kind) in self._named:
            return
        self._named.add((id(generator), kind))
        warnings.warn(
            f"{type(generator).__name__} {finding}. Such columns leave the bound loose and the tree large. Compare "
            "the generator's reduced cost with view.gain: are all rows of view.row_keys charged, with their signs? "
            "Others of this kind are not reported",
            PricingWarning,
            stacklevel=2,
        )
