"""Views at other prices than the restricted master's, such as smoothed prices (decision 047)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.column_generation.master.master_data import MasterData
from gapless.column_generation.master.program import LinearProgram
from gapless.column_generation.master.view import LinearMasterView
from gapless.errors import SolveError
from gapless.limits.limits import SolveBudget
from gapless.oracles.views import LinearView
from gapless.tree_search.relaxation import Descent


def smoothed(
    data: MasterData[Any],
    view: LinearMasterView,
    centre: LinearView | Mapping[int, float],
    share: float,
    descent: Descent | None = None,
) -> LinearMasterView:
    """Return the view of a smaller master at prices between two views', see `RestrictedMaster.smoothed`.

    The fixings are those of `view`, and imposed on the master data. Columns of positive reduced cost are hidden, so
    that the prices are feasible for the dual of the remaining master and prove its bound. Columns that generators
    need not know (`MasterData.unpriceable`) stay, and the bound counts their reduced costs.
    """
    count = view.row_prices.size
    outer = np.concatenate([view.row_prices, view.limit_prices])
    inner = _prices(data, centre, count)
    straight = share * inner + (1 - share) * outer
    row_price, use_price = data.supported(straight[:count], straight[count:])
    gain = data.gain(row_price, use_price)
    if descent is not None:
        turned = _turned(inner, outer, straight, _subgradient(data, inner, count, descent))
        prices = data.supported(turned[:count], turned[count:])
        turned_gain = data.gain(*prices)
        # On the line between two views of a node the columns that stay have no positive reduced cost. Beside
        # the line they may, which would weaken the bound: then Wentges' prices are used (decision 047).
        if not np.any(turned_gain[: data.unpriceable] > 0):
            (row_price, use_price), gain = prices, turned_gain
    return view_at(data, view, row_price, use_price, gain)


def view_at(
    data: MasterData[Any], view: LinearMasterView, row_price: FloatArray, use_price: FloatArray, gain: FloatArray
) -> LinearMasterView:
    """Return the view at supported prices of the master without the columns of positive reduced cost.

    `gain`: reduced costs of all columns at these prices, overwritten.
    """
    # A column that the fixings set to 0 bounds nothing, so hiding it would only hide its key from generators.
    hidden = (gain > 0) & (data.upper_now > 0)
    hidden[: data.unpriceable] = False
    # Columns that the smaller master lacks add nothing to its bound.
    gain[hidden] = 0.0
    bound = view.constant + data.dual_bound(row_price, use_price, gain)
    return data.view(
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
    data: MasterData[Any],
    program: LinearProgram,
    position: IntArray,
    prices_of: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    view: LinearView,
    budget: SolveBudget,
) -> LinearMasterView | None:
    """Return the view of the master without the column that the solution uses most, see `RestrictedMaster.lacking`.

    Parameters
    ----------
    program : LinearProgram
        Has the columns at `position`, int64 (columns,); solved without that column, and returned unsolved with it.
    prices_of : callable
        Prices of rows and quantities, from those of the program's rows.
    """
    z = view.column_values
    if not isinstance(view, LinearMasterView) or z is None or not z[data.unpriceable :].any():
        return None
    j = data.unpriceable + int(np.argmax(z[data.unpriceable :]))
    program.limit(int(position[j]), 0.0)
    try:
        if not program.optimise(budget.time_left):
            return None
        prices = prices_of(program.prices())
    except SolveError:  # the check is optional, so its program must not end the solve
        return None
    finally:
        program.limit(int(position[j]), float(data.upper_now[j]))
    return view_at(data, view, *prices, data.gain(*prices))


def _prices(data: MasterData[Any], centre: LinearView | Mapping[int, float], rows: int) -> FloatArray:
    """Return the centre's prices of all rows and quantities."""
    row_price, use_price = np.zeros(rows), np.zeros(data.singleton.size)
    if isinstance(centre, LinearMasterView):
        # Rows and sums that have come since the centre's view have price 0, as in every dual solution before them.
        row_price[: centre.row_prices.size] = centre.row_prices
        limit_prices = centre.limit_prices
        use_price[: limit_prices.size] = limit_prices
    elif isinstance(centre, Mapping):
        index = data.rows.find(np.fromiter(centre, np.int64, len(centre)))
        values = np.fromiter(centre.values(), np.float64, len(centre))
        row_price[index[index >= 0]] = values[index >= 0]
    return np.concatenate([row_price, use_price])


def _subgradient(data: MasterData[Any], price: FloatArray, rows: int, descent: Descent) -> FloatArray:
    """Compute the subgradient of the bound: sides minus the activities of the columns of `descent`."""
    lower = np.concatenate([data.row_lower, data.use_lower])
    upper = np.concatenate([data.row_upper, data.use_upper])
    # The side whose price has this sign. At price 0 either is a subgradient; the finite one is of use.
    side = np.where((price > 0) | (price == 0) & np.isinf(lower), upper, lower)
    activity = np.zeros(price.size)
    for columns, times in zip(*descent, strict=True):
        row = data.rows.find(columns.coefficients.indices)
        np.add.at(activity, row, times * columns.coefficients.values)
        used, use = columns.uses.indices, times * columns.uses.values
        np.add.at(activity, rows + used, use)
        total = np.bincount(used, use, data.singleton.size).astype(np.float64)
        if data.over.row.size:
            activity[:rows] += data.over.times(total, rows)
        if len(data.sums):
            activity[rows:] += data.sums.entries.priced(total, data.singleton.size)
    return np.where(np.isfinite(side), side - activity, 0.0)


def _turned(inner: FloatArray, outer: FloatArray, prices: FloatArray, subgradient: FloatArray) -> FloatArray:
    """Turn `prices` around the centre `inner`, from the direction of `outer` toward the direction of descent."""
    out = outer - inner
    length, steepness = float(np.linalg.norm(out)), float(np.linalg.norm(subgradient))
    if not (length > 0 and 0 < steepness < math.inf):
        return prices
    # The share of the descent is its cosine with the direction of `outer` (Pessoa et al. 2018, section 4): a
    # descent that points away from the master's prices is ignored.
    down = -subgradient * (length / steepness)
    share = max(0.0, float(out @ down) / length**2)
    turned = share * down + (1 - share) * out
    size = float(np.linalg.norm(turned))
    if not size > 0:
        return prices
    # Scaled to the distance of `prices`, so that the smoothing factor keeps its meaning.
    return np.asarray(inner + turned * (float(np.linalg.norm(prices - inner)) / size))
