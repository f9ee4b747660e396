"""Systems of the tables: methods for the same problems, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from gapless_tasks.price_and_cut import paper


@attrs.frozen
class System:
    """A column of the paper's tables, or one of ours.

    Parameters
    ----------
    method : str
        As `gapless.solve` takes it.
    options : tuple of (str, value)
    relaxation : bool
        Whether it solves a linear program and says its objective; else it searches for the best tree.
    paper : str or None
        The paper's column.
    """

    name: str
    method: str
    options: tuple[tuple[str, Any], ...] = ()
    relaxation: bool = True
    paper: str | None = None

    @property
    def method_options(self) -> Mapping[str, Any]:
        """The options as `gapless.solve` takes them."""
        return dict(self.options)


@attrs.frozen
class Systems:
    """Systems of the tables, and the one that parses the whole test part.

    Parameters
    ----------
    exact : System
        Parses the whole test part.
    table_1, table_2 : tuple of System
        The first of each is what speeds are relative to.
    at_most : tuple of (System, System)
        The objective of the first is at most that of the second, on every sentence.
    """

    exact: System
    table_1: tuple[System, ...]
    table_2: tuple[System, ...]
    at_most: tuple[tuple[System, System], ...] = ()


def _full(name: str, rows: str, *, tree: str = "flow", column: str | None = None) -> System:
    return System(name, "lp-full", (("rows", rows), ("tree", tree)), paper=column)


EXACT = System("lagrangian-cut", "lagrangian-cut", relaxation=False)
_BRUTE_FORCE = _full("brute force", "all", column=paper.BRUTE_FORCE)
_PAPER = System("parse, price and cut", "price-and-cut", (("variant", "paper"),), paper=paper.PRICE_AND_CUT)
_OURS = System("price-and-cut, ours", "price-and-cut", (("fix", False),))
_ARC_ROWS = _full("GPArc + ArcGP", "arcgp-gparc", column=paper.ARC_ROWS)
_HEAD_ROWS = _full("OneGP + NoGP", "onegp-nogp", column=paper.HEAD_ROWS)
_ALL_ROWS = _full("all", "all", column=paper.ALL_ROWS)
_LEAN = _full("lean, cut-sets", "lean", tree="cut-sets")

SHIPPED = Systems(
    EXACT,
    (_BRUTE_FORCE, _PAPER, _OURS, EXACT),
    (_ARC_ROWS, _HEAD_ROWS, _ALL_ROWS, _LEAN),
    (
        *((_PAPER, _BRUTE_FORCE), (_BRUTE_FORCE, _PAPER), (EXACT, _LEAN), (_OURS, _LEAN), (_LEAN, _OURS)),
        *((_LEAN, _BRUTE_FORCE), (_ALL_ROWS, _ARC_ROWS), (_ALL_ROWS, _HEAD_ROWS)),
    ),
)
"""Cut-sets are tighter than the flow, all rows together than some; ours solves the lean program with cut-sets."""
