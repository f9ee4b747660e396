"""Options of column-and-row generation, the same in our tree and in SCIP's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np

from gapless.arrays.tolerance import round_bound, score_tolerance
from gapless.errors import InvalidProblem

SMOOTHING = ("none", "wentges", "directional")


def _expect(words: str, is_valid: Callable[[Any], bool]) -> Callable[[object, attrs.Attribute[Any], object], None]:
    """Make a validator that accepts None only as a default."""

    def check(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
        if not (is_valid(value) or (value is None and attribute.default is None)):
            raise InvalidProblem(f"PricingOptions: {attribute.name} is {value!r:.80}, expected {words}")

    return check


def _is_number(value: Any, kinds: Any) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool) and bool(value >= 0)


_known_smoothing = _expect(f"one of {', '.join(SMOOTHING)}", lambda value: value in SMOOTHING)
_share = _expect(
    "a number of at least 0, less than 1", lambda value: _is_number(value, int | float | np.number) and value < 1
)
_prices = _expect(
    "a mapping of row keys to finite prices",
    lambda value: isinstance(value, Mapping) and all(map(math.isfinite, value.values())),
)
_rounds = _expect("a number of rounds, 0 for never", lambda value: _is_number(value, int | np.integer))
_flag = _expect("True or False", lambda value: isinstance(value, bool | np.bool_))


@attrs.frozen(kw_only=True)
class PricingOptions:
    """Options of column-and-row generation. They affect speed; optimum and bounds stay valid.

    Parameters
    ----------
    smoothing : {"none", "wentges", "directional"}
        Prices for the generators between those of the best bound of the node and those of the master, which saves
        rounds if prices oscillate. ``"directional"`` also turns toward the subgradient of the best bound.
        Generators then get smoothed views (`LinearView.smoothed`) now and then. Pessoa, Sadykov, Uchoa, Vanderbeck
        (2018), "Automation and combination of linear-programming based stabilization techniques in column
        generation", INFORMS Journal on Computing 30(2), sections 3 and 4.
    smoothing_factor : float, optional
        Constant share alpha of the best bound's prices, from 0 to less than 1. By default it adapts itself.
    initial_prices : mapping of int to float, optional
        A guess of the prices by row key, from which the first node's smoothing starts: prices of one unit, as in
        `LinearView.prices`, so at most 0 in a row with a lower side only. Other rows have price 0. Any guess is
        valid. Later nodes start from the best prices of the previous node.
    initial_columns_priceable : bool
        Whether every column of `Formulation.initial` is one that a generator would return if the master lacked it.
        False by default: smoothed views then keep these columns and turn less, and bounds count their reduced
        costs. A wrong True may cut off the optimum.
    column_age_limit : int
        Number of consecutive solves with negative reduced cost after which a column leaves the linear program
        of our tree. It stays in the master and re-enters, at any node and before any generator is called, once
        its reduced cost is positive. 0, the default: never. SCIP's tree keeps all columns.
    row_age_limit : int
        Number of consecutive solves with slack on both sides after which a row leaves the linear program of our
        tree. It stays in the master and re-enters, at any node and before any generator is called, once a solution
        violates it. Rows of branches leave once they limit nothing. Rows of `Formulation.initial` stay. 0, the
        default: never. SCIP's tree keeps all rows: PySCIPOpt removes none from a node.
    early_branching : bool
        If True, branch a node as soon as its bound, rounded to the problem's granularity, cannot change by more
        columns. Rows that generators separate only once no column is missing are then not separated. False by
        default.
    branch_before_pricing : bool
        If True, branch a node as soon as its restricted optimum beats the incumbent, by the problem's
        granularity: more columns cannot close it then. Rows that generators separate could, but are then not
        separated. The node's bound stays that of its parent, so that ``order="depth-first"`` suits it, and a
        limit leaves a weaker bound. Probes below a node (`Probe`), nodes before the first incumbent, and nodes
        with an integral restricted optimum are priced as usual. False by default.
    tail_off_rounds : int
        Number of rounds after which a node is branched if they closed less than `tail_off_share` of the gap between
        its bound and the restricted optimum (tailing-off). 0, the default: never.
    tail_off_share : float
        0.1 by default.
    fixing : bool
        Whether decisions are fixed off by reduced costs, if every generator has `Generator.reduced_cost_bounds`.
        True by default. `Formulation.certify` is then also called with views that charge one use of a quantity
        (`LinearView.usage_prices`), one view per quantity, and our tree records its certificates.

    Examples
    --------
    >>> from gapless.roles import PricingOptions
    >>> PricingOptions(smoothing="wentges", column_age_limit=5).column_age_limit
    5
    """

    smoothing: str = attrs.field(default="none", validator=_known_smoothing)
    smoothing_factor: float | None = attrs.field(default=None, validator=_share)
    initial_prices: Mapping[int, float] | None = attrs.field(default=None, validator=_prices)
    initial_columns_priceable: bool = attrs.field(default=False, validator=_flag)
    column_age_limit: int = attrs.field(default=0, validator=_rounds)
    row_age_limit: int = attrs.field(default=0, validator=_rounds)
    early_branching: bool = attrs.field(default=False, validator=_flag)
    branch_before_pricing: bool = attrs.field(default=False, validator=_flag)
    tail_off_rounds: int = attrs.field(default=0, validator=_rounds)
    tail_off_share: float = attrs.field(default=0.1, validator=_share)
    fixing: bool = attrs.field(default=True, validator=_flag)

    def branches_before_pricing(
        self, attained: float, incumbent: float, granularity: float | None, structure: Any
    ) -> bool:
        """Return whether to branch before pricing: the option is set, and no column can close the node any more.

        Parameters
        ----------
        attained, structure
            Of the restricted optimum, as in `RelaxationResult`.
        incumbent : float
            -inf without one.
        granularity : float, optional
            As `Problem.granularity`.
        """
        if (
            not self.branch_before_pricing
            or structure is not None
            or not (math.isfinite(incumbent) and math.isfinite(attained))
        ):
            return False
        # Columns only raise the restricted optimum, so the bound of the priced node would exceed it (decision
        # 053). Both tolerances count against branching: a node that pricing could still close must be priced.
        return round_bound(attained - score_tolerance(attained), granularity) > incumbent + score_tolerance(
            incumbent
        )


DEFAULT_PRICING = PricingOptions()
"""Default options of column-and-row generation."""
