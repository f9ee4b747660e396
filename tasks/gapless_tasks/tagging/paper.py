"""The paper's numbers, row by row, with the method of ours that answers each row.

Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, tables 1 and 2.
Theirs are 5,463 sentences of the Wall Street Journal (45 labels) and a joint task with 360 labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from gapless import Limits

_NONE: Mapping[str, Any] = MappingProxyType({})
_CG = "column-generation"
_DG = MappingProxyType({"gap": 0.0015})
_SAME_CODE = Limits(iterations=10**6)
"""Never reached. The fused kernel knows one reduced cost and leaves limits to the role objects: with it, every
row of table 2 B runs the same code, and what differs is the reduced cost, not the language."""


@attrs.frozen
class Row:
    """One row of a table.

    Parameters
    ----------
    method : str
        A registered method, or one of `two_best`.
    options : mapping
        Its options.
    exact : float or None
        The paper's share of sentences decoded exactly, in percent.
    speed : float or None
        The paper's sentences per second.
    gap_options : mapping
        Options that make an inexact method bound its gap, which takes time of its own.
    """

    name: str
    method: str
    options: Mapping[str, Any] = _NONE
    exact: float | None = None
    speed: float | None = None
    gap_options: Mapping[str, Any] = _NONE
    limits: Limits = attrs.field(factory=Limits)


def _beam(width: int, exact: float, speed: float) -> Row:
    return Row(f"beam {width}", "beam", {"width": width, "bound": False}, exact, speed, {"bound": True})


@attrs.frozen
class PaperTables:
    """The numbers of the paper for one task.

    Parameters
    ----------
    decoders : tuple of Row
        Table 1.
    oracles : tuple of Row
        Table 2 A: 0/1-loss margin oracles.
    reduced_costs : tuple of Row
        Table 2 B.
    """

    decoders: tuple[Row, ...]
    oracles: tuple[Row, ...]
    reduced_costs: tuple[Row, ...]


def _reduced_costs(speeds: tuple[float | None, float | None, float | None]) -> tuple[Row, ...]:
    kinds = (("CG (both)", "both"), ("CG-alpha", "alpha"), ("CG-alpha+theta", "alpha+theta"))
    return tuple(
        Row(name, _CG, {"reduced_cost": kind}, speed=speed, limits=_SAME_CODE)
        for (name, kind), speed in zip(kinds, speeds, strict=True)
    )


POS = PaperTables(
    decoders=(
        Row("Viterbi", "viterbi", exact=100, speed=3144.6),
        Row("Viterbi+P", "viterbi-pruned", exact=100, speed=4515.3),
        Row("CG", _CG, exact=100, speed=8227.6),
        Row("CG-DG 0.15 %", _CG, _DG, 98.9, 9355.6),
        _beam(1, 57.7, 12117.6),
        _beam(2, 92.6, 7519.3),
        _beam(3, 98.4, 6802.5),
        _beam(4, 99.5, 5731.2),
        Row("dominance", "dominance"),
    ),
    oracles=(
        Row("CG", _CG, speed=85.0),
        Row("Viterbi 2-best", "viterbi", speed=56.0),
        Row("Viterbi+P 2-best", "viterbi-pruned", speed=119.6),
        Row("dominance", "dominance"),
    ),
    reduced_costs=_reduced_costs((8227.6, 5125.8, 4532.1)),
)
"""Part-of-speech tags: 45 labels."""

JOINT = PaperTables(
    decoders=(
        Row("Viterbi", "viterbi", exact=100, speed=56.9),
        Row("Viterbi+P", "viterbi-pruned", exact=100, speed=498.9),
        Row("CG", _CG, exact=100, speed=779.9),
        Row("CG-DG 0.15 %", _CG, _DG, 98.4, 804),
        _beam(1, 66.6, 3717.0),
        _beam(5, 98.5, 994.97),
        _beam(7, 99.2, 772.8),
        _beam(10, 99.5, 575.1),
        Row("dominance", "dominance"),
    ),
    oracles=(
        Row("CG", _CG, speed=299.9),
        Row("Viterbi 2-best", "viterbi", speed=0.06),
        Row("Viterbi+P 2-best", "viterbi-pruned", speed=11.7),
        Row("dominance", "dominance"),
    ),
    reduced_costs=_reduced_costs((779.9, None, None)),
)
"""Part-of-speech tags with entities: 360 labels in the paper. Its table 2 B has part-of-speech tags only."""
