"""The shipped templates: arcs, and one family for each higher-order factor."""

from __future__ import annotations

from itertools import combinations

from gapless_models.parsing.templates import Templates

_ARC = [
    # One end, both ends (McDonald, Crammer and Pereira, ACL 2005, table 1 a and b).
    "order h.word h.tag *",
    "order h.word *",
    "order h.tag *",
    "order m.word m.tag *",
    "order m.word *",
    "order m.tag *",
    "order h.word h.tag m.word m.tag *",
    "order h.tag m.word m.tag *",
    "order h.word m.word m.tag *",
    "order h.word h.tag m.tag *",
    "order h.word h.tag m.word *",
    "order h.word m.word *",
    "order h.tag m.tag *",
    "order h.word m.tag *",
    "order h.tag m.word *",
    "order h.lower m.lower *",
    "order h.coarse m.coarse *",
    "order h.coarse m.lower *",
    "order h.lower m.coarse *",
    # What stands between and beside (table 1 c).
    "order h.tag m.tag each(h,m).tag",
    "order h.coarse m.coarse each(h,m).coarse",
    "order h.tag m.tag verbs(h,m) marks(h,m)",
    "order h.tag m.tag conjunctions(h,m) marks(h,m)",
    "order h.coarse m.coarse verbs(h,m) marks(h,m) conjunctions(h,m) *",
    "order h.tag h+1.tag m-1.tag m.tag *",
    "order h-1.tag h.tag m-1.tag m.tag *",
    "order h.tag h+1.tag m.tag m+1.tag *",
    "order h-1.tag h.tag m.tag m+1.tag *",
    "order h.tag h+1.tag m.tag *",
    "order h-1.tag h.tag m.tag *",
    "order h.tag m-1.tag m.tag *",
    "order h.tag m.tag m+1.tag *",
    "order h-1.tag h.tag h+1.tag m.tag *",
    "order h.tag m-1.tag m.tag m+1.tag *",
    "order h-2.tag h-1.tag h.tag m.tag",
    "order h.tag m.tag m+1.tag m+2.tag",
    "order h.tag m.tag m-1.tag m-2.tag",
    "order h.tag m.tag h+1.word",
    "order h.tag m.tag m+1.word",
    "order h.tag m.tag m-1.word",
    # Parts of words.
    "order h.suffix m.tag *",
    "order h.tag m.suffix *",
    "order h.suffix m.suffix *",
    "order h.prefix m.tag",
    "order h.tag m.prefix",
    "order h.tag h.shape m.tag m.shape",
]

# A tree has several times as many pairs of siblings as arcs. With every word and word pair of theirs as features,
# parts take all the credit of an update and learn the training sentences by heart: so few of them name words.
_GRANDCHILD = [
    # Carreras (CoNLL 2007), section 3.2; Koo and Collins (ACL 2010), section 5.
    "order g.tag h.tag m.tag *",
    "order g.tag m.tag *",
    "order g.coarse h.coarse m.coarse",
    "order g.word m.tag",
    "order g.tag m.word",
    "order g.word h.tag m.tag",
    "order g.tag h.word m.tag",
    "order g.tag h.tag m.word",
    "order g.tag h.tag m.tag marks(h,m)",
    "order g.word m.word",
]

_SIBLING = [
    # McDonald and Pereira (EACL 2006), section 4; here for all pairs of modifiers.
    "order h.tag a.tag b.tag *",
    "order a.tag b.tag *",
    "order h.coarse a.coarse b.coarse",
    "order a.word b.tag",
    "order a.tag b.word",
    "order h.word a.tag b.tag",
    # All pairs count: what stands between the two tells neighbours from others.
    "order h.tag a.tag b.tag verbs(a,b) marks(a,b) conjunctions(a,b)",
]


def _tags_and_one_word(*slots: str) -> list[str]:
    """List templates of all tags, all coarse tags, all tags with one word, and tags of all positions but one."""
    return [
        "order " + " ".join(f"{s}.tag" for s in slots) + " *",
        "order " + " ".join(f"{s}.coarse" for s in slots),
        *("order " + " ".join(f"{s}.{'word' if s == lexical else 'tag'}" for s in slots) for lexical in slots),
        *("order " + " ".join(f"{s}.tag" for s in rest) for rest in combinations(slots, len(slots) - 1)),
    ]


ARC = Templates.of("arc", 0, "h m", "h m", _ARC)

FAMILIES = {
    templates.name: templates
    for templates in (
        Templates.of("grandchild", 1000, "g h m", "g m", _GRANDCHILD),
        Templates.of("sibling", 2000, "h a b", "a b", _SIBLING),
        Templates.of("great-grandchild", 3000, "f g h m", "f m", _tags_and_one_word("f", "g", "h", "m")),
        Templates.of("tri-sibling", 4000, "h a b c", "a c", _tags_and_one_word("h", "a", "b", "c")),
        Templates.of("comb", 5000, "h a b c d", "a d", _tags_and_one_word("h", "a", "b", "c", "d")),
        # The backbones' own: the next modifier outwards (a = h before the first), the outermost grandchild.
        Templates.of("adjacent-sibling", 6000, "h a b", "a b", _SIBLING),
        Templates.of("outermost-grandchild", 7000, "g h m", "g m", _GRANDCHILD),
        Templates.of("grand-sibling", 8000, "g h a b", "a b", _tags_and_one_word("g", "h", "a", "b")),
    )
}
"""Templates of the higher-order families by name; those of patterns are in `hand_crafted`."""
