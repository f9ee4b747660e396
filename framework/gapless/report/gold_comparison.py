"""Comparison of a structure with the right one, part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import attrs

from gapless.certificates.certificate import UNREADABLE
from gapless.plugins.manager import load_plugins
from gapless.plugins.named_structure import NamedStructure
from gapless.problems.problem import Problem
from gapless.results.record import Record

Names = str | tuple[str, ...]
"""The right name, or several right names."""


class Token(NamedTuple):
    """Word with the part that was found for it.

    Parameters
    ----------
    word, found : str
    gold : str
        The right part, if it is known and another was found; otherwise empty.
    """

    word: str
    found: str
    gold: str = ""


@attrs.frozen
class GoldComparison:
    """Comparison of a structure with the right one.

    Parameters
    ----------
    kind : str
        As in `NamedStructure`; empty where no plug-in names the parts.
    tokens : sequence of Token
    gold : sequence of str
        The right sequence, for sequences only, if it is another one.
    right : sequence of bool
        For each token whether it is right; empty where nothing is known.
    pairs : sequence of (str, str)
        Right and found label of each known part; empty where parts have no labels.
    """

    kind: str
    tokens: Sequence[Token]
    gold: Sequence[str] = ()
    right: Sequence[bool] = ()
    pairs: Sequence[tuple[str, str]] = ()

    @property
    def known(self) -> int:
        """Number of parts of which the right one is known."""
        return len(self.right)

    @property
    def wrong(self) -> int | None:
        """Number of wrong parts; None if the right structure is unknown."""
        return self.right.count(False) if self.known else None


def compared(record: Record) -> GoldComparison:
    """Compare the best structure of a record with the right one, as far as either is known."""
    found = parts_of(record.problem, record.result.best) if record.result.solutions else None
    words = record.words
    if found is None:
        return GoldComparison("", [Token(word, "") for word in words])
    gold = record.gold
    right = gold if gold is None or isinstance(gold, tuple) else parts_of(record.problem, gold)
    if found.kind == "sequence":
        return _sequence(found, right.names if isinstance(right, NamedStructure) else right)
    if len(words) != len(found.names):
        words = tuple(str(place) for place in range(1, len(found.names) + 1))
    if found.kind == "arcs":
        return _arcs(words, found, right if isinstance(right, NamedStructure) else None)
    return _names(words, found, right.names if isinstance(right, NamedStructure) else right)


def parts_of(problem: Problem[Any], structure: Any) -> NamedStructure | None:
    """Name the parts of a structure; None without a plug-in for them, or if it is no structure of this problem."""
    try:
        parts: NamedStructure | None = load_plugins().hook.gapless_named_structure(
            problem=problem, structure=structure
        )
    except UNREADABLE:
        return None
    return parts


def _names(words: Sequence[str], found: NamedStructure, gold: Sequence[Names] | None) -> GoldComparison:
    """Compare labels and choices."""
    if gold is None or len(gold) != len(words):
        return GoldComparison(found.kind, [Token(*pair) for pair in zip(words, found.names, strict=True)])
    right = [
        name == one or (type(one) is tuple and name in one) for name, one in zip(found.names, gold, strict=True)
    ]
    said = [one if isinstance(one, str) else " or ".join(one) for one in gold]
    tokens = [
        Token(word, name, "" if fits else one or "unknown")
        for word, name, one, fits in zip(words, found.names, said, right, strict=True)
    ]
    pairs = [(name if fits else one, name) for name, one, fits in zip(found.names, said, right, strict=True)]
    return GoldComparison(found.kind, tokens, (), right, pairs if found.kind == "labels" else ())


def _arcs(words: Sequence[str], found: NamedStructure, gold: NamedStructure | None) -> GoldComparison:
    """Compare heads, with the labels of arcs if both sides have them."""
    often = Counter(words)

    def head(number: int) -> str:
        if not 0 < number <= len(words):
            return "root"
        word = words[number - 1]
        return word if often[word] == 1 else f"{word} ({number})"

    def said(parts: NamedStructure, place: int) -> str:
        return " ".join(part for part in (parts.names[place], "← " + head(parts.heads[place])) if part)

    heads = [said(found, place) for place in range(len(words))]
    if gold is None or gold.kind != "arcs" or len(gold.heads) != len(words):
        return GoldComparison("arcs", [Token(*pair) for pair in zip(words, heads, strict=True)])
    labelled = any(found.names) and any(gold.names)
    right = [
        mine == head_ and (not labelled or label == other)
        for mine, head_, label, other in zip(found.heads, gold.heads, found.names, gold.names, strict=True)
    ]
    tokens = [
        Token(word, name, "" if right[place] else said(gold, place))
        for place, (word, name) in enumerate(zip(words, heads, strict=True))
    ]
    return GoldComparison("arcs", tokens, (), right, _arc_pairs(found, gold, right, labelled))


def _arc_pairs(
    found: NamedStructure, gold: NamedStructure, right: Sequence[bool], labelled: bool
) -> Sequence[tuple[str, str]]:
    if labelled:
        return list(zip(gold.names, found.names, strict=True))
    if not any(gold.names):
        return ()
    # A parser without labels: count for each relation how often its head was found.
    return [(name, RIGHT_HEAD if fits else WRONG_HEAD) for name, fits in zip(gold.names, right, strict=True)]


RIGHT_HEAD, WRONG_HEAD = "right head", "wrong head"
"""Labels in the confusion matrix for arcs without labels."""


def _sequence(found: NamedStructure, gold: Sequence[Names] | None) -> GoldComparison:
    if gold is None:
        return GoldComparison("sequence", [Token(name, "") for name in found.names])
    names = [one if isinstance(one, str) else " or ".join(one) for one in gold]
    left = Counter(name.lower() for name in names)
    right = []
    for name in found.names:
        right.append(left[name.lower()] > 0)
        left[name.lower()] -= 1
    tokens = [
        Token(name, "", "" if fits else "not in the right one")
        for name, fits in zip(found.names, right, strict=True)
    ]
    same = [name.lower() for name in names] == [name.lower() for name in found.names]
    if not same and all(right):  # the same words in another order, or some are missing
        right = [name.lower() == other.lower() for name, other in zip(found.names, names, strict=False)]
        right += [False] * (max(len(names), len(found.names)) - len(right))
    return GoldComparison("sequence", tokens, () if same else names, right or [not names])
