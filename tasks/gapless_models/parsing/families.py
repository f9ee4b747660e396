"""The shipped templates: arcs, one family for each higher-order factor, and the hand-crafted patterns.

Patterns are small subtrees in which parsers often err, for English, Danish and Chinese. The errors are those of a
parser with grandchildren and siblings on training sentences that it had not seen, as Qian and Liu found theirs
(2013, section 4.3). Of their thirteen patterns they print one, figure 3 on page 44: it is the first of
``data/patterns.toml``, which explains its notation. The parser predicts no relation labels, so no pattern asks for
one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from itertools import combinations
from typing import Any

from gapless_dependency import PatternNode
from gapless_models.parsing.patterns import PATTERN, PatternTemplate
from gapless_models.parsing.templates import Templates


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("gapless_models.parsing") / "data" / name).read_text("utf-8"))


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


_LISTED: dict[str, list[str]] = _read("templates.toml")
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
"""Templates of the higher-order families by name; those of patterns are `HAND_CRAFTED`."""


_SEED, _STEP = 9000, 100
"""The first hash of the patterns' features, and the room for each."""


def _nodes(tags: Mapping[str, str], words: Mapping[str, str]) -> dict[str, PatternNode]:
    """Build the kinds of words: any, by tag, by word with the case aside, and by word as it is written."""
    return {
        "any": PatternNode(),
        **{kind: PatternNode(tag=expression) for kind, expression in tags.items()},
        **{kind: PatternNode(word=f"(?i:{expression})") for kind, expression in words.items()},
        "final": PatternNode(word=r"[.?!。？！]|\.\.\."),
        "unit": PatternNode(word="[$]|.*[$]|%|pct[.]?|percent|kr[.]?|kroner|cents?"),
        "around": PatternNode(word=words["first"], tag=f"{tags['preposition']}|V.*"),
    }


def _pattern(
    number: int, kinds: Mapping[str, PatternNode], name: str, nodes: str, relations: str, features: str
) -> PatternTemplate:
    """Compile a pattern; next to the features listed is one of it alone, one of all tags, one for every two."""
    slots_of_nodes = {slot: kinds[kind] for slot, _, kind in (node.partition(":") for node in nodes.split())}
    slots = list(slots_of_nodes)
    pairs = (f"{a}.tag {b}.tag" for a, b in combinations(slots, 2))
    texts = ["", " ".join(f"{slot}.tag" for slot in slots), *pairs, *features.split(", ")]
    seed = _SEED + _STEP * number
    compiled = _family(f"{PATTERN} {name}", seed, " ".join(slots), f"{slots[0]} {slots[-1]}", texts)
    arcs, *others = (tuple(re.findall(rf"(\w+){re.escape(sign)}(\w+)", relations)) for sign in "><+=")
    return PatternTemplate(slots_of_nodes, arcs, compiled, *others)


def _shipped() -> tuple[PatternTemplate, ...]:
    data = _read("patterns.toml")
    kinds, lists = _nodes(data["tags"], data["words"]), data["features"]
    return tuple(
        _pattern(number, kinds, **{**row, "features": lists.get(row["features"], row["features"])})
        for number, row in enumerate(data["pattern"])
    )


HAND_CRAFTED = _shipped()
"""The patterns of the family, in the order of their seeds."""
