"""A factor of width two, as a user writes it."""

from collections.abc import Iterator
from typing import Any

from gapless.roles import Factor


class Neighbours(Factor):
    """As a user writes it, of width two: two neighbours have one head, or one heads the other."""

    name = "neighbours"

    def __init__(self, scores: Any) -> None:
        self.table = scores

    def scopes(self, decisions: Any) -> Iterator[tuple[int, ...]]:
        arcs = decisions
        for a in range(arcs.count):
            for b in range(arcs.count):
                if arcs.modifiers[b] == arcs.modifiers[a] + 1 and (
                    arcs.heads[a] == arcs.heads[b] or arcs.modifiers[a] == arcs.heads[b]
                ):
                    yield (b, a) if arcs.heads[a] % 2 else (a, b)

    def score(self, scopes: Any, decisions: Any) -> Any:
        """By positions, never by numbers of arcs, which are others where fewer heads are kept."""
        place = decisions.heads + 3 * decisions.modifiers
        return self.table[place[scopes[:, 0]] % len(self.table), place[scopes[:, 1]] % len(self.table)]
