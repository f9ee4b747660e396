"""The decoders that table 1 compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gapless.plugins import load_plugins
from gapless_ordering import OrderingProblem
from gapless_tasks.stored_answers import file_name
from gapless_tasks.titles import paper

EXACT, COLOUR_CODING, BEAM = "exact", "color-coding", "beam"
INTEGER_PROGRAMS = ("ilp-cuts", "ilp")
METHODS = (EXACT, COLOUR_CODING, BEAM)


@attrs.frozen(eq=False)
class Decoder:
    """One row of table 1.

    Parameters
    ----------
    name : str
        Its name for people.
    method : str
        As it is registered.
    together : bool
        All titles in one call of `solve_many`.
    kept : bool
        Whether ``--out`` keeps the answers with their certificates: one row of each method.
    """

    name: str
    method: str
    options: Mapping[str, Any] = attrs.field(factory=dict)
    together: bool = False
    kept: bool = True
    paper: paper.Numbers = paper.UNKNOWN

    @property
    def log(self) -> str:
        """The file of ``--out`` for the answers: records, or in ``tables`` numbers without certificates."""
        if self.records:
            return f"{self.method}.jsonl.gz"
        return f"tables/{file_name(self.name)}.jsonl"

    @property
    def records(self) -> bool:
        """Whether they are kept with their problems and certificates; integer programs have none."""
        return self.kept and not self.slow

    @property
    def slow(self) -> bool:
        """Whether a title takes seconds."""
        return self.method in INTEGER_PROGRAMS


def decoders(methods: Sequence[str]) -> list[Decoder]:
    """Select the rows of some methods, in their order.

    Raises
    ------
    UnknownName
        Not registered for such problems; the message names the nearest known one.
    """
    registry = load_plugins().registry
    selected = []
    for method in dict.fromkeys(methods):
        registry.find_method(OrderingProblem, method)
        selected += _rows(method)
    return selected


def _rows(method: str) -> list[Decoder]:
    if method == EXACT:
        return [Decoder(EXACT, method), Decoder("exact, solve_many", method, together=True, kept=False)]
    if method == COLOUR_CODING:
        first = Decoder("colour coding (paper)", method, {"bounds": False}, paper=paper.COLOUR_CODING)
        return [first, Decoder("colour coding, bounds", method, kept=False)]
    if method == BEAM:
        printed = {1: paper.BEAM_1, 80: paper.UNKNOWN, 1345: paper.BEAM_1345}
        return [
            Decoder(f"beam {width}", method, {"width": width, "bound": False}, kept=False, paper=numbers)
            for width, numbers in printed.items()
        ]
    beside_ilp = paper.INTEGER_PROGRAM if method == "ilp" else paper.UNKNOWN
    return [Decoder(method, method, paper=beside_ilp)]
