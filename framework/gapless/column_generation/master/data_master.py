"""What linear masters have in common, whatever solves the program: columns, rows, arithmetic on prices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from gapless.arrays.sparse import FloatArray
from gapless.column_generation.formulation import Formulation
from gapless.column_generation.master.master_data import ForbiddenColumns, MasterData
from gapless.column_generation.master.objective import check_objective
from gapless.column_generation.master.program import FEASIBLE
from gapless.column_generation.master.smoothing import smoothed
from gapless.column_generation.master.view import LinearMasterView
from gapless.decisions.decisions import Fixings
from gapless.errors import SolveError
from gapless.oracles.views import LinearView
from gapless.problems.problem import Problem
from gapless.tree_search.relaxation import Descent, RelaxationResult, RestrictedMaster

S = TypeVar("S")


class DataMaster(RestrictedMaster[S, LinearView], Generic[S]):
    """A linear master over `MasterData`.

    Parameters
    ----------
    problem : Problem
    formulation : Formulation
    forbidden_columns : callable, optional
        As in `Formulation`, for masters without rows that imply it.
    """

    supports_branch_rows = True

    def __init__(
        self, problem: Problem[S], formulation: Formulation[S], forbidden_columns: ForbiddenColumns | None = None
    ) -> None:
        self.problem, self.formulation, self.decisions = problem, formulation, problem.decisions
        self._data = MasterData(problem, forbidden_columns)
        self._view: LinearMasterView | None = None

    def _enter_initial(self) -> None:
        """Enter the initial batch of the formulation."""
        self.extend(self.formulation.initial)
        priceable = self.formulation.pricing.initial_columns_priceable
        self._data.unpriceable = 0 if priceable else len(self._data.columns)

    def _make_view(
        self,
        fixings: Fixings,
        z: FloatArray | None,
        row_price: FloatArray,
        use_price: FloatArray,
        *,
        weight: float = 1.0,
        objective: float = -math.inf,
    ) -> tuple[LinearMasterView, FloatArray]:
        """Make the view of these prices and this solution; return it with all reduced costs, without the bans."""
        gain = self._data.gain(row_price, use_price, weight)
        self._view = view = self._data.view(
            fixings,
            z,
            row_price,
            use_price,
            gain,
            weight=weight,
            objective=objective,
            constant=self.formulation.constant,
        )
        return view, gain

    def _optimum(
        self, fixings: Fixings, z: FloatArray, row_price: FloatArray, use_price: FloatArray, state: Any = None
    ) -> RelaxationResult[S]:
        """Make the view and the result of a solved program."""
        constant, attained = self.formulation.constant, float(self._data.objective @ z)
        view, gain = self._make_view(fixings, z, row_price, use_price, objective=attained + constant)
        bound = self._data.dual_bound(row_price, use_price, gain)
        # A column without any upper bound has a reduced cost of 1e-12, say: weak duality gives no finite bound,
        # and the LP solver's optimum within its tolerance must do.
        if math.isinf(bound) and self._is_complete():
            bound = attained + FEASIBLE * max(1.0, abs(attained))
        view.bound = bound + constant
        structure, rounding = self._data.structure(view), view.rounding
        # The optimum of the LP may exceed a valid bound by the solver's tolerance.
        primal_value = min(attained, bound) + constant
        return RelaxationResult(
            bound + constant, lambda: view.point, structure, primal_value, state=state, rounding=rounding
        )

    def _is_complete(self) -> bool:
        """Return whether the program has all columns of positive reduced cost."""
        return True

    def view(self) -> LinearView:
        """Return prices and point of the last `solve`, unaffected by later additions."""
        if self._view is None:
            raise SolveError("the restricted master has not been solved yet: call solve() before view()")
        return self._view

    def check_consistency(self, relaxed: RelaxationResult[S], bound: float) -> None:
        """Compare the objective of an integral point with the score of its structure."""
        z = self.view().column_values
        if self.formulation.exact and relaxed.structure is not None and z is not None:
            check_objective(self._data, z, relaxed.structure, self.formulation.constant, bound)

    def reduced_cost_bounds(self, view: LinearView) -> FloatArray | None:
        """Return the largest reduced costs of the master's columns at the prices of a view."""
        if not isinstance(view, LinearMasterView):
            return None
        return self._data.reduced_cost_bounds(view.row_prices, view.limit_prices)

    def with_usage_charge(self, view: LinearView, quantity: int, price: float) -> LinearView:
        """Return a view with a price added to each use of a quantity."""
        return view.with_usage_charge(quantity, price) if isinstance(view, LinearMasterView) else view

    def smoothed(
        self,
        view: LinearView,
        centre: LinearView | Mapping[int, float],
        share: float,
        descent: Descent | None = None,
    ) -> LinearView | None:
        """Return a view of the last `solve`, at smoothed prices."""
        if not isinstance(view, LinearMasterView):
            return None
        return smoothed(self._data, view, centre, share, descent)
