"""The shipped templates: arcs, and one family for each higher-order factor."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.resources import files
from itertools import combinations

from gapless_models.parsing.templates import Templates

_LISTED: dict[str, list[str]] = tomllib.loads(
    (files("gapless_models.parsing") / "data" / "templates.toml").read_text("utf-8")
)


def _family(name: str, seed: int, slots: str, distance: str, texts: Iterable[str]) -> Templates:
    return Templates.of(name, seed, slots, distance, [f"order {text}" for text in texts])


def _tags_and_one_word(*slots: str) -> list[str]:
    """List templates of all tags, all coarse tags, all tags with one word, and tags of all positions but one."""
    return [
        " ".join(f"{s}.tag" for s in slots) + " *",
        " ".join(f"{s}.coarse" for s in slots),
        *(" ".join(f"{s}.{'word' if s == lexical else 'tag'}" for s in slots) for lexical in slots),
        *(" ".join(f"{s}.tag" for s in rest) for rest in combinations(slots, len(slots) - 1)),
    ]


ARC = _family("arc", 0, "h m", "h m", _LISTED["arc"])

FAMILIES = {
    templates.name: templates
    for templates in (
        _family("grandchild", 1000, "g h m", "g m", _LISTED["grandchild"]),
        _family("sibling", 2000, "h a b", "a b", _LISTED["sibling"]),
        _family("great-grandchild", 3000, "f g h m", "f m", _tags_and_one_word("f", "g", "h", "m")),
        _family("tri-sibling", 4000, "h a b c", "a c", _tags_and_one_word("h", "a", "b", "c")),
        _family("comb", 5000, "h a b c d", "a d", _tags_and_one_word("h", "a", "b", "c", "d")),
        # The backbones' own: the next modifier outwards (a = h before the first), the outermost grandchild.
        _family("adjacent-sibling", 6000, "h a b", "a b", _LISTED["sibling"]),
        _family("outermost-grandchild", 7000, "g h m", "g m", _LISTED["grandchild"]),
        _family("grand-sibling", 8000, "g h a b", "a b", _tags_and_one_word("g", "h", "a", "b")),
    )
}
"""Templates of the higher-order families by name; those of patterns are in `hand_crafted`."""
