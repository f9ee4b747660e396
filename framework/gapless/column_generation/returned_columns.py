"""Check of the columns that a generator returns: a warning names one that cannot improve the viewed master.

A generator that forgets the price of a row computes other reduced costs than the master, returns columns that the
master has or cannot use, and claims a pricing gap that never closes: bounds stay valid, but the search never ends.
"""

from __future__ import annotations

import warnings
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import RELATIVE
from gapless.decisions.decisions import Fixings
from gapless.errors import FixedColumn, PricingWarning
from gapless.oracles.generator import Generator, GeneratorResult
from gapless.oracles.views import LinearView


@attrs.frozen(eq=False)
class Useless:
    """Indices of returned columns that cannot improve the viewed master.

    Parameters
    ----------
    known : int64
        Columns that the view has.
    worthless : int64
        Columns that the view lacks, of negative reduced cost there beyond rounding. One with an entry in a row
        of the same batch does not count: the row may need it.
    reduced_costs : float64 (columns,)
        Reduced costs of all returned columns.
    """

    known: IntArray
    worthless: IntArray
    reduced_costs: FloatArray


def useless_columns(answer: GeneratorResult, view: LinearView) -> Useless:
    """Find the columns of an answer that cannot improve the viewed master."""
    columns = answer.batch.columns
    reduced_costs, known = view.reduced_costs(columns), view.has_columns(columns.keys)
    # Prices may cancel against the objective; a reduced cost of 0 within the rounding of both deserves no warning.
    rounding = RELATIVE * np.maximum(1.0, np.abs(columns.objective) + np.abs(columns.objective - reduced_costs))
    worthless = np.flatnonzero(~known & (reduced_costs < -rounding))
    if worthless.size:
        entries = columns.coefficients.take(worthless)
        new = ~np.isin(entries.indices, view.row_keys)
        worthless = np.delete(worthless, np.unique(entries.row_numbers()[new]))
    return Useless(np.flatnonzero(known), worthless, reduced_costs)


class ReturnedColumns:
    """Warnings of useless columns, one for each generator and kind of uselessness in a solve.

    Parameters
    ----------
    master : object
        Has `RestrictedMaster.excluded`.
    """

    def __init__(self, master: Any) -> None:
        self._master = master
        self._named: set[tuple[int, str]] = set()

    def check(self, generator: Generator[Any], answer: GeneratorResult, view: LinearView, *, exact: bool) -> None:
        """Check one answer.

        Parameters
        ----------
        exact : bool
            Whether it is a result of the generator's last stage. A heuristic stage may return any columns.

        Raises
        ------
        FixedColumn
            A returned column is part of no structure under the fixings.

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
        # Without a claim the round ends with `MissingBound`, which names the known columns itself.
        if useless.known.size and answer.pricing_gap is not None:
            j = int(useless.known[0])
            self._warn(
                generator,
                "known",
                f"returned column {keys[j]}, which the master has (view.column_keys) and ignores; its reduced cost "
                f"there is {useless.reduced_costs[j]:.6g}",
            )
        if useless.worthless.size:
            j = int(useless.worthless[0])
            self._warn(
                generator,
                "worthless",
                f"returned column {keys[j]}, which cannot improve the master, from its exact stage: its reduced "
                f"cost at the viewed prices is {useless.reduced_costs[j]:.6g}",
            )

    def _refuse_excluded(self, generator: Generator[Any], answer: GeneratorResult, fixings: Fixings) -> None:
        keys = answer.batch.columns.keys
        # Refused instead of named: exclusion has no price, so no reduced cost would tell (decision 063).
        excluded = self._master.excluded(fixings, keys)
        if excluded is not None and excluded.any():
            raise FixedColumn(
                f"{type(generator).__name__} returned column {keys[np.flatnonzero(excluded)[0]]} although no "
                "structure under the fixings contains it (Formulation.forbidden_columns): the master would ignore "
                "it. Look at view.fixings"
            )

    def _warn(self, generator: Generator[Any], kind: str, finding: str) -> None:
        if (id(generator), kind) in self._named:
            return
        self._named.add((id(generator), kind))
        warnings.warn(
            f"{type(generator).__name__} {finding}. Such columns leave the bound weak and the tree large. Compare "
            "the generator's reduced cost with view.reduced_costs: are all rows of view.row_keys charged, with "
            "their signs? Others of this kind are not reported",
            PricingWarning,
            stacklevel=2,
        )
