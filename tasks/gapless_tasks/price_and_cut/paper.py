"""The paper's numbers beside which ours are printed.

Source: Riedel, Smith and McCallum, Parse, Price and Cut: Delayed Column and Row Generation for Graph Based Parsers,
EMNLP 2012, tables 1 and 2. Danish is that of CoNLL 2006, Italian and Hungarian are those of CoNLL 2007.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

BRUTE_FORCE, PRICE_AND_CUT = "BF", "PPC"
ARC_ROWS, HEAD_ROWS, ALL_ROWS = "GPArc + ArcGP", "OneGP + NoGP", "All"


@attrs.frozen
class Numbers:
    """One column of a table; None where the paper does not say.

    Parameters
    ----------
    speed : float or None
        Sentences per second, relative to the table's first column.
    integral, uas : float or None
        Shares of sentences with an integral solution, and of words with the right head.
    scored, added : float or None
        Shares of the grandparent parts.
    """

    speed: float | None = None
    integral: float | None = None
    uas: float | None = None
    scored: float | None = None
    added: float | None = None


UNKNOWN = Numbers()
TABLE_1: Mapping[str, Mapping[str, Numbers]] = {
    name: {BRUTE_FORCE: Numbers(1.0, integral, uas, 1.0, 1.0), PRICE_AND_CUT: Numbers(speed, integral, uas, *parts)}
    for name, integral, uas, speed, *parts in (
        ("italian", 0.98, 0.88, 7.6, 0.06, 0.05),
        ("hungarian", 0.97, 0.81, 3.8, 0.12, 0.07),
        ("danish", 0.97, 0.88, 3.9, 0.13, 0.07),
    )
}
"""Both columns have the same objective, the same integral solutions and the same accuracy."""

TABLE_2: Mapping[str, Mapping[str, Numbers]] = {
    name: dict(zip((ARC_ROWS, HEAD_ROWS, ALL_ROWS), (Numbers(*row) for row in rows), strict=True))
    for name, *rows in (
        ("italian", (1.0, 0.77, 0.87), (10.0, 0.09, 0.85), (12.0, 0.98, 0.88)),
        ("hungarian", (1.0,), (1.62,), (1.05, 0.97, 0.81)),
    )
}
"""Part b is Hungarian in the text and Danish in the caption; here is what our copy shows of it, or table 1."""


def language(treebank: str) -> str | None:
    """Return the name under which the paper's tables list a treebank; None for any other."""
    return next((name for name in TABLE_1 if name == treebank.lower()), None)
