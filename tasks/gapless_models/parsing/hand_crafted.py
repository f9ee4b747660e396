"""The shipped patterns: small subtrees in which parsers often err, for English, Danish and Chinese.

The errors are those of a parser with grandchildren and siblings on training sentences that it had not seen, as
Qian and Liu found theirs (2013, section 4.3). Of their thirteen patterns they print one, figure 3 on page 44: it is
the first of ``data/patterns.toml``, which explains its notation. The parser predicts no relation labels, so no
pattern asks for one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from itertools import combinations
from typing import Any

from gapless_dependency import PatternNode
from gapless_models.parsing.patterns import PATTERN, PatternTemplate
from gapless_models.parsing.templates import Templates

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
    texts = [
        "order",
        "order " + " ".join(f"{slot}.tag" for slot in slots),
        *(f"order {a}.tag {b}.tag" for a, b in combinations(slots, 2)),
        *(f"order {text}" for text in features.split(", ")),
    ]
    seed = _SEED + _STEP * number
    compiled = Templates.of(f"{PATTERN} {name}", seed, " ".join(slots), f"{slots[0]} {slots[-1]}", texts)
    arcs, *others = (tuple(re.findall(rf"(\w+){re.escape(sign)}(\w+)", relations)) for sign in "><+=")
    return PatternTemplate(slots_of_nodes, arcs, compiled, *others)


def _shipped() -> tuple[PatternTemplate, ...]:
    data: dict[str, Any] = tomllib.loads(
        (files("gapless_models.parsing") / "data" / "patterns.toml").read_text("utf-8")
    )
    kinds, lists = _nodes(data["tags"], data["words"]), data["features"]
    return tuple(
        _pattern(number, kinds, **{**row, "features": lists.get(row["features"], row["features"])})
        for number, row in enumerate(data["pattern"])
    )


HAND_CRAFTED = _shipped()
"""The patterns of the family, in the order of their seeds."""
