"""Views at other prices than the restricted master's: smoothed ones, between these and those of the best bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gapless.core.errors import SolveError
from gapless.core.limits import Budget
from gapless.core.oracle import LinearView
from gapless.core.relaxation import Descent
from gapless.core.sparse import FloatArray, IntArray
from gapless.lp.ledger import Ledger
from gapless.lp.program import LinearProgram
from gapless.lp.view import MasterView


def smoothed(
    ledger: Ledger[Any],
    view: MasterView,
    centre: LinearView | Mapping[int, float],
    share: float,
    descent: Descent | None = None,
) -> MasterView:
    """The view of a smaller master at prices between two views', as of `Restricted.smoothed`.

    The fixings are those of `view`, and imposed on the ledger. Columns that gain at the prices are hidden, so that
    the prices are feasible for the dual of the master that is left, and prove its bound. Columns that perhaps no
    generator knows (`Ledger.kept`) stay, and the bound counts what they gain: nothing between two views of the same
    node, which is why prices do not turn where these gain.
    """
    count = view.row_prices.size
    here = np.concatenate([view.row_prices, view.limit_prices])
    inside = _prices(ledger, centre, count)
    straight = share * inside + (1 - share) * here
    row_price, use_price = ledger.supported(straight[:count], straight[count:])
    gain = ledger.gain(row_price, use_price)
    if descent is not None:
        turned = _turned(inside, here, straight, _subgradient(ledger, inside, count, descent))
        prices = ledger.supported(turned[:count], turned[count:])
        gains = ledger.gain(*prices)
        if not np.any(gains[: ledger.kept] > 0):
            (row_price, use_price), gain = prices, gains
    return view_at(ledger, view, row_price, use_price, gain)


def view_at(
    ledger: Ledger[Any], view: MasterView, row_price: FloatArray, use_price: FloatArray, gain: FloatArray
) -> MasterView:
    """The view at supported prices of the master without the columns that gain there (see `smoothed`).

    `gain`: reduced costs of all columns at these prices, overwritten.
    """
    hidden = (gain > 0) & (ledger.upper_now > 0)
    hidden[: ledger.kept] = False
    gain[hidden] = 0.0
    bound = view.constant + ledger.dual_bound(row_price, use_price, gain)
    return ledger.view(
        view.fixings,
        None,
        row_price,
        use_price,
        gain,
        objective=bound,
        bound=bound,
        constant=view.constant,
        hidden=hidden,
    )


def lacking(
    ledger: Ledger[Any],
    program: LinearProgram,
    place: IntArray,
    prices_of: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    view: LinearView,
    budget: Budget,
) -> MasterView | None:
    """The view of the master without the column that the solution uses most, as of `Restricted.lacking`.

    Parameters
    ----------
    program : LinearProgram
        Has the columns at `place`, int64 (columns,); solved without that column, and left unsolved with it.
    prices_of : callable
        Prices of rows and quantities, from those of the program's rows.
    """
    z = view.column_values
    if not isinstance(view, MasterView) or z is None or not z[ledger.kept :].any():
        return None
    j = ledger.kept + int(np.argmax(z[ledger.kept :]))
    program.limit(int(place[j]), 0.0)
    try:
        if not program.optimise(budget.time_left):
            return None
        prices = prices_of(program.prices())
    except SolveError:  # of a program that nobody but this check asks for
        return None
    finally:
        program.limit(int(place[j]), float(ledger.upper_now[j]))
    return view_at(ledger, view, *prices, ledger.gain(*prices))


def _prices(ledger: Ledger[Any], centre: LinearView | Mapping[int, float], rows: int) -> FloatArray:
    """The centre's prices of all rows and quantities."""
    row_price, use_price = np.zeros(rows), np.zeros(ledger.own.size)
    if isinstance(centre, MasterView):
        row_price[: centre.row_prices.size] = centre.row_prices
        known = centre.limit_prices  # without the sums that the master has met since
        use_price[: known.size] = known
    elif isinstance(centre, Mapping):
        place = ledger.rows.find(np.fromiter(centre, np.int64, len(centre)))
        given = np.fromiter(centre.values(), np.float64, len(centre))
        row_price[place[place >= 0]] = given[place >= 0]
    return np.concatenate([row_price, use_price])


def _subgradient(ledger: Ledger[Any], price: FloatArray, rows: int, descent: Descent) -> FloatArray:
    """Sides minus the activities of the columns of `descent`, per row and per quantity."""
    lower = np.concatenate([ledger.row_lower, ledger.use_lower])
    upper = np.concatenate([ledger.row_upper, ledger.use_upper])
    side = np.where((price > 0) | (price == 0) & np.isinf(lower), upper, lower)
    activity = np.zeros(price.size)
    for columns, times in zip(*descent, strict=True):
        row = ledger.rows.find(columns.coefficients.indices)
        np.add.at(activity, row, times * columns.coefficients.values)
        used, use = columns.uses.indices, times * columns.uses.values
        np.add.at(activity, rows + used, use)
        total = np.bincount(used, use, ledger.own.size).astype(np.float64)
        if ledger.over.row.size:
            activity[:rows] += ledger.over.times(total, rows)
        if len(ledger.sums):
            activity[rows:] += ledger.sums.entries.priced(total, ledger.own.size)
    return np.where(np.isfinite(side), side - activity, 0.0)


def _turned(inside: FloatArray, here: FloatArray, prices: FloatArray, subgradient: FloatArray) -> FloatArray:
    """`prices`, moved at the same distance from `inside` in a direction between that of `here` and of descent.

    The share of the descent is its cosine with the direction of `here` (section 4 of the source).
    """
    out = here - inside
    length, steepness = float(np.linalg.norm(out)), float(np.linalg.norm(subgradient))
    if not (length > 0 and 0 < steepness < math.inf):
        return prices
    down = -subgradient * (length / steepness)
    share = max(0.0, float(out @ down) / length**2)
    turned = share * down + (1 - share) * out
    size = float(np.linalg.norm(turned))
    if not size > 0:
        return prices
    return np.asarray(inside + turned * (float(np.linalg.norm(prices - inside)) / size))
