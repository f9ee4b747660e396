"""Names of the parts of a structure, with which reports compare it with the right answer."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from gapless.errors import InvalidProblem

KINDS = ("labels", "arcs", "choices", "sequence")


def _strings(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(values)


def _numbers(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(int, values))


@attrs.frozen
class NamedStructure:
    """Names of the parts of a structure.

    Parameters
    ----------
    kind : str
        ``"labels"``: a label for each word. ``"arcs"``: a head for each word. ``"choices"``: a name for each
        mention. ``"sequence"``: names in order, not tied to words.
    names : sequence of str
        Names of the parts; for arcs the labels, each empty where arcs have none.
    heads : sequence of int
        For arcs only: the head of each word, counted from 1; 0 is the root.

    Raises
    ------
    InvalidProblem
        Unknown kind, or the numbers of heads and arcs differ.

    Examples
    --------
    >>> from gapless.roles import NamedStructure
    >>> NamedStructure("labels", ["NOUN", "VERB"])
    NamedStructure(kind='labels', names=('NOUN', 'VERB'), heads=())
    >>> NamedStructure("arcs", ["nsubj", "root"], heads=[2, 0]).heads
    (2, 0)
    """

    kind: str
    names: tuple[str, ...] = attrs.field(converter=_strings)
    heads: tuple[int, ...] = attrs.field(default=(), converter=_numbers)

    def __attrs_post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidProblem(f"parts are {self.kind!r}, expected one of {', '.join(KINDS)}")
        if len(self.heads) != (len(self.names) if self.kind == "arcs" else 0):
            raise InvalidProblem(f"{len(self.heads)} heads for {len(self.names)} {self.kind}")
