"""Options of column-and-row generation, the same in our tree and in SCIP's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from gapless.core.errors import InvalidProblem
from gapless.core.tolerance import margin, round_bound

SMOOTHING = ("none", "wentges", "directional")


def _known_smoothing(_: object, attribute: attrs.Attribute[str], value: object) -> None:
    if value not in SMOOTHING:
        raise InvalidProblem(f"Pricing: {attribute.name} is {value!r}, expected one of {', '.join(SMOOTHING)}")


def _share(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < 1:
        raise InvalidProblem(
            f"Pricing: {attribute.name} is {value!r}, expected a number of at least 0, less than 1"
        )


def _prices(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if value is None:
        return
    if not isinstance(value, Mapping) or not all(math.isfinite(price) for price in value.values()):
        raise InvalidProblem(f"Pricing: {attribute.name} must map row keys to finite prices")


def _rounds(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise InvalidProblem(f"Pricing: {attribute.name} is {value!r}, expected a number of rounds, 0 for never")


def _flag(_: object, attribute: attrs.Attribute[bool], value: object) -> None:
    if not isinstance(value, bool | np.bool_):
        raise InvalidProblem(f"Pricing: {attribute.name} is {value!r}, expected True or False")


@attrs.frozen(kw_only=True)
class Pricing:
    """Options of column-and-row generation. None changes the optimum, or lets a bound be wrong.

    Parameters
    ----------
    smoothing : {"none", "wentges", "directional"}
        Prices for the generators between those of the best bound of the node and those of the master, which needs
        fewer rounds where prices jump. ``"directional"`` also turns toward the subgradient of the best bound.
        Generators then get smoothed views (`LinearView.smoothed`) now and then. Pessoa, Sadykov, Uchoa, Vanderbeck
        (2018), "Automation and combination of linear-programming based stabilization techniques in column
        generation", INFORMS Journal on Computing 30(2), sections 3 and 4.
    smoothing_share : float, optional
        Constant share of the best bound's prices, from 0 to less than 1. By default it adapts itself.
    first_prices : mapping of int to float, optional
        A guess of the prices by row key, from which the first node's smoothing starts: prices of one unit, as in
        `LinearView.prices`, so at most 0 in a row with a lower side only. Other rows cost 0. Any guess is valid.
        Later nodes start from the best prices of the node before.
    initial_priced : bool
        Whether every column of `Formulation.initial` is one that a generator would return if the master lacked it.
        False by default: smoothed views then keep these columns and turn less, and bounds count what they gain.
        True without reason may cut off the optimum.
    column_age : int
        Solves in a row in which a column lost before it leaves the linear program of our tree, not the master: it
        comes back, at any node, when it gains, before a generator is asked. 0, the default: never. SCIP's tree
        keeps all columns.
    row_age : int
        Solves in a row in which a row had room on both sides before it leaves the linear program of our tree, not
        the master: it comes back, at any node, when a solution violates it, before a generator is asked. Rows of
        branches leave once they limit nothing. Rows of `Formulation.initial` stay. 0, the default: never. SCIP's
        tree keeps all rows: PySCIPOpt removes none from a node.
    early : bool
        Whether a node is branched as soon as its bound, rounded to the problem's granularity, cannot change by more
        columns. Rows that generators separate only once no column is missing are then not asked for. False by
        default.
    lazy : bool
        Whether a node is branched as soon as its restricted optimum beats the incumbent, by the problem's
        granularity: more columns cannot close it then, but rows that generators separate could, which are then not
        asked for. Its bound stays that of its parent, so that
        ``order="depth-first"`` suits it, and a limit leaves a weaker bound. Looks below a node (`Probe`), nodes
        before the first incumbent, and those whose restricted optimum is integral, are priced as ever. False by
        default.
    tail : int
        Rounds after which a node is branched where they closed less than `tail_share` of the gap between its bound
        and the restricted optimum. 0, the default: never.
    tail_share : float
        0.1 by default.
    fixing : bool
        Whether decisions are fixed off by reduced costs, where every generator has `Generator.usage_gains`. True by
        default. `Formulation.certify` is then also called with views in which one use of a quantity is paid for
        (`LinearView.usage_prices`), one view per quantity, and our tree records its certificates.

    Examples
    --------
    >>> from gapless.roles import Pricing
    >>> Pricing(smoothing="wentges", column_age=5).column_age
    5
    """

    smoothing: str = attrs.field(default="none", validator=_known_smoothing)
    smoothing_share: float | None = attrs.field(default=None, validator=_share)
    first_prices: Mapping[int, float] | None = attrs.field(default=None, validator=_prices)
    initial_priced: bool = attrs.field(default=False, validator=_flag)
    column_age: int = attrs.field(default=0, validator=_rounds)
    row_age: int = attrs.field(default=0, validator=_rounds)
    early: bool = attrs.field(default=False, validator=_flag)
    lazy: bool = attrs.field(default=False, validator=_flag)
    tail: int = attrs.field(default=0, validator=_rounds)
    tail_share: float = attrs.field(default=0.1, validator=_share)
    fixing: bool = attrs.field(default=True, validator=_flag)

    def leaves_open(self, attained: float, incumbent: float, granularity: float | None, structure: Any) -> bool:
        """Whether `lazy` asks for branching before a round: no column can close the node any more.

        Parameters
        ----------
        attained, structure
            Of the restricted optimum, as in `Relaxed`.
        incumbent : float
            -inf without one.
        granularity : float, optional
            As `Problem.granularity`.
        """
        if not self.lazy or structure is not None or not (math.isfinite(incumbent) and math.isfinite(attained)):
            return False
        return round_bound(attained - margin(attained), granularity) > incumbent + margin(incumbent)


PLAIN = Pricing()
"""The defaults."""
