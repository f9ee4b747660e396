"""The shipped patterns: small subtrees in which parsers often err, for English, Danish and Chinese.

The errors are those of a parser with grandchildren and siblings on training sentences that it had not seen, as
Qian and Liu found theirs (2013, section 4.3). Of their thirteen patterns they print one, figure 3 on page 44: it is
the first here. An expression of words lists those of several languages side by side; tags are those of the Penn
Treebank, PAROLE and Universal Dependencies. The parser predicts no relation labels, so no pattern asks for one.
"""

from __future__ import annotations

from itertools import combinations

from gapless_dependency import Node
from gapless_models.parsing.patterns import PATTERN, PatternTemplate
from gapless_models.parsing.templates import Templates

_SEED, _STEP = 9000, 100
"""The first hash of the patterns' features, and the room for each."""

_PREPOSITION = "IN|TO|SP|ADP"
_NOUN = r"NN.*|N[CP].*|NOUN|PROPN|PRP|P[PIDO][-\d].*|PRON|CD|AC.*|NUM|[$]"
_NOMINAL = "NN.*|N[CP].*|NOUN|PROPN"
_VERB = "V.*|MD|AUX"
_ADVERB = "RB.*|RG.*|RP|ADV|JJ"
_CONJUNCTION = "CC|CCONJ|CONJ"
_FIRST = (
    "both|either|neither|nor|not|whether|from|between|if|because|although|though|so|"
    "både|enten|hverken|ikke|såvel|fra|mellem|hvis|når|da|så|jo|"
    "在|從|由|自|除|當|因|因為|由於|雖然|雖|儘管|如果|若|即使|不僅|不但|既|與|像|以"
)
_SECOND = (
    "and|or|nor|but|to|then|that|"
    "og|eller|men|til|så|at|som|"
    "中|上|下|內|裡|後|前|時|起|到|至|之間|間|之後|之前|以外|外|但|但是|卻|而且|也|所以|則|就|仍|又|一樣|來|為"
)
_COMPARATIVE = "JJR|RBR|ANC.*"
_COMPARING = "more|less|as|so|such|rather|other|same|enough|mere|mindre|så|lige|samme|anden|andet|andre|sådan|比|更"
_THAN = "than|as|that|end|som|at|比"
_QUOTE = "''|``|\"|」|』|”|»"
_OPENING = r"-LRB-|-LCB-|\(|（|「|《|『|``|--"
_CLOSING = r"-RRB-|-RCB-|\)|）|」|》|』|''|--"
_FINAL = r"[.?!。？！]|\.\.\."


def _word(expression: str) -> Node:
    """A word that is one of these, case aside."""
    return Node(word=f"(?i:{expression})")


def _tag(expression: str) -> Node:
    return Node(tag=expression)


_patterns: list[PatternTemplate] = []


def _add(
    name: str,
    nodes: dict[str, Node],
    arcs: str,
    features: str,
    *,
    before: str = "",
    adjacent: str = "",
    same_word: str = "",
) -> None:
    """Append a pattern.

    Parameters
    ----------
    arcs, before, adjacent, same_word : str
        Pairs of nodes as ``a>b``, separated by blanks.
    features : str
        Templates, separated by commas; besides them there is one of the pattern alone, one of all tags, and one for
        every two tags.
    """

    def pairs(text: str) -> tuple[tuple[str, str], ...]:
        return tuple((a, b) for a, _, b in (pair.partition(">") for pair in text.split()))

    slots = list(nodes)
    texts = [
        "order",
        "order " + " ".join(f"{slot}.tag" for slot in slots),
        *(f"order {a}.tag {b}.tag" for a, b in combinations(slots, 2)),
        *(f"order {text}" for text in features.split(", ")),
    ]
    seed = _SEED + _STEP * len(_patterns)
    compiled = Templates.of(f"{PATTERN} {name}", seed, " ".join(slots), f"{slots[0]} {slots[-1]}", texts)
    _patterns.append(
        PatternTemplate(nodes, pairs(arcs), compiled, pairs(before), pairs(adjacent), pairs(same_word))
    )


# Qian and Liu 2013, figure 3 (page 44): "A ... rather than A", A a preposition.
_add(
    "rather than",
    {"a": _tag(_PREPOSITION), "r": _word("rather"), "t": _word("than"), "b": _tag(_PREPOSITION)},
    "a>t t>r t>b",
    "a.lower, a-1.tag a.lower",
    before="a>r t>b",
    adjacent="r>t",
    same_word="a>b",
)
_add(
    "rather than between any words",
    {"a": Node(), "r": _word("rather"), "t": _word("than"), "b": Node()},
    "a>t t>r t>b",
    "a.coarse b.coarse, a.suffix b.suffix, a.tag b.tag marks(a,t) verbs(a,t)",
    before="t>b",
    adjacent="r>t",
)
# The same for a conjunction: "to software as well as to works", "in Boston or in Maine".
_add(
    "same word twice: one head",
    {"h": Node(), "a": Node(), "c": _tag(_CONJUNCTION), "b": Node()},
    "h>a h>c h>b",
    "a.lower, a.lower c.lower, h.tag a.lower, h.word a.lower, a.tag marks(a,b), a.tag verbs(a,b)",
    before="a>c",
    adjacent="c>b",
    same_word="a>b",
)
_add(
    "same word twice: the first is head",
    {"h": Node(), "a": Node(), "c": _tag(_CONJUNCTION), "b": Node()},
    "h>a a>c a>b",
    "a.lower, a.lower c.lower, h.tag a.lower, h.word a.lower, a.tag marks(a,b), a.tag verbs(a,b)",
    before="a>c",
    adjacent="c>b",
    same_word="a>b",
)
_add(
    "same word twice: a chain",
    {"h": Node(), "a": Node(), "c": _tag(_CONJUNCTION), "b": Node()},
    "h>a a>c c>b",
    "a.lower, a.lower c.lower, h.tag a.lower, h.word a.lower, a.tag marks(a,b), a.tag verbs(a,b)",
    before="a>c",
    adjacent="c>b",
    same_word="a>b",
)
# "either ... or", "from ... to", "hverken ... eller", "雖然 ... 但".
_add(
    "correlatives: one head",
    {"g": Node(), "h": Node(), "a": _word(_FIRST), "b": _word(_SECOND)},
    "g>h h>a h>b",
    "a.lower b.lower, a.lower b.lower h.tag, a.lower b.lower h.tag g.tag, a.lower b.lower marks(a,b) verbs(a,b)",
    before="a>b",
)
_add(
    "correlatives: the second below the first",
    {"h": Node(), "a": _word(_FIRST), "b": _word(_SECOND), "x": Node()},
    "h>a a>b b>x",
    "a.lower b.lower, a.lower b.lower h.tag, a.lower b.lower x.tag, a.lower b.lower marks(a,b) verbs(a,b)",
    before="a>b",
)
_add(
    "correlatives: the first at what the second joins",
    {"h": Node(), "a": _word(_FIRST), "b": _word(_SECOND), "x": Node()},
    "h>a h>x x>b",
    "a.lower b.lower, a.lower b.lower h.tag, a.lower b.lower x.tag, a.lower b.lower marks(a,b) verbs(a,b)",
    before="a>b",
)
# "fewer than", "as many as", "mere end", "så ... at".
_add(
    "comparison below the comparative",
    {"h": Node(), "a": _tag(_COMPARATIVE), "t": _word(_THAN), "x": Node()},
    "h>a a>t t>x",
    "a.lower t.lower, t.lower x.tag h.tag, a.lower t.lower x.tag, t.lower marks(a,t) verbs(a,t)",
    before="a>t t>x",
)
_COMPARISON = (
    "a.lower t.lower, t.lower x.tag h.tag, a.lower t.lower x.tag, a.lower h.lower t.lower, "
    "a.lower t.lower marks(a,t)"
)
_add(
    "comparison beside the comparing word",
    {"h": Node(), "a": _word(_COMPARING), "t": _word(_THAN), "x": Node()},
    "h>a h>t t>x",
    _COMPARISON,
    before="a>t t>x",
)
_add(
    "comparison below the comparing word",
    {"h": Node(), "a": _word(_COMPARING), "t": _word(_THAN), "x": Node()},
    "h>a a>t t>x",
    _COMPARISON,
    before="a>t t>x",
)
# Where a prepositional phrase goes, both ways (Collins and Brooks, VLC 1995): verb, noun, preposition, its noun.
_PHRASE = (
    "p.lower, v.lower p.lower, n.lower p.lower, p.lower o.lower, n.suffix p.lower, v.suffix p.lower, "
    "v.tag p.lower o.tag, n.tag p.lower o.tag, v.tag n.tag p.lower, p.lower marks(n,p)"
)
_add(
    "prepositional phrase at the verb",
    {"v": _tag(_VERB), "n": _tag(_NOUN), "p": _tag(_PREPOSITION), "o": _tag(_NOUN)},
    "v>n v>p p>o",
    _PHRASE,
    before="v>n n>p p>o",
)
_add(
    "prepositional phrase at the noun",
    {"v": _tag(_VERB), "n": _tag(_NOUN), "p": _tag(_PREPOSITION), "o": _tag(_NOUN)},
    "v>n n>p p>o",
    _PHRASE,
    before="v>n n>p p>o",
)
# The same where the noun is head of its adposition, as in Universal Dependencies.
_add(
    "adposition and noun at the verb",
    {"v": _tag(_VERB), "n": _tag(_NOUN), "p": _tag(_PREPOSITION), "o": _tag(_NOUN)},
    "v>n v>o o>p",
    _PHRASE,
    before="v>n n>p p>o",
)
_add(
    "adposition and noun at the noun",
    {"v": _tag(_VERB), "n": _tag(_NOUN), "p": _tag(_PREPOSITION), "o": _tag(_NOUN)},
    "v>n n>o o>p",
    _PHRASE,
    before="v>n n>p p>o",
)
# "far below the high", "ind i huset".
_ADVERBIAL = (
    "r.lower p.lower, p.lower, r.lower, v.word r.lower p.lower, v.word r.lower, r.lower p.lower o.tag, "
    "r.lower p.lower v.tag, p.lower o.suffix"
)
_add(
    "adverb and preposition: a chain",
    {"v": Node(), "r": _tag(_ADVERB), "p": _tag(_PREPOSITION), "o": Node()},
    "v>r r>p p>o",
    _ADVERBIAL,
    before="p>o",
    adjacent="r>p",
)
_add(
    "adverb and preposition: one head",
    {"v": Node(), "r": _tag(_ADVERB), "p": _tag(_PREPOSITION), "o": Node()},
    "v>r v>p p>o",
    _ADVERBIAL,
    before="p>o",
    adjacent="r>p",
)
# "在 ... 中": what Chinese puts around a noun.
_add(
    "adpositions around a noun",
    {"h": Node(), "p": Node(word=_FIRST, tag=f"{_PREPOSITION}|V.*"), "o": Node(), "l": _word(_SECOND)},
    "h>o o>p o>l",
    "p.lower l.lower, p.lower l.lower h.tag, p.lower l.lower o.tag, h.word p.lower l.lower, h.word, "
    "p.lower, l.lower, p.lower l.lower h+1.tag, p.lower l.lower marks(l,h) verbs(l,h)",
    before="p>o o>l",
)
# Conjuncts under the word above them.
_CONJUNCTS = (
    "c.lower a.tag b.tag, c.lower g.tag a.tag b.tag, a.tag b.tag marks(a,b) verbs(a,b), "
    "a-1.tag a.tag b-1.tag b.tag, a.tag a+1.tag b.tag b+1.tag, a.shape b.shape a.tag b.tag"
)
_add(
    "conjuncts: the first is head",
    {"g": Node(), "a": Node(), "c": _tag(_CONJUNCTION), "b": Node()},
    "g>a a>c a>b",
    _CONJUNCTS,
    before="a>c c>b",
)
_add(
    "conjuncts: the last is head",
    {"g": Node(), "a": Node(), "c": _tag(_CONJUNCTION), "b": Node()},
    "g>b b>c b>a",
    _CONJUNCTS,
    before="a>c c>b",
)
_add(
    "conjuncts: a chain",
    {"g": Node(), "a": Node(), "c": _tag(_CONJUNCTION), "b": Node()},
    "g>a a>c c>b",
    _CONJUNCTS,
    before="a>c c>b",
)
# "Vinken , 61 years old , will", "( see table 3 )".
_add(
    "commas around",
    {"h": Node(), "c": _word(","), "y": Node(), "d": _word(",")},
    "h>c h>y h>d",
    "h.tag y.tag marks(c,d), h.tag y.word, c+1.tag y.tag d-1.tag, c+1.word, y.tag verbs(c,d), "
    "h.tag c+1.tag d-1.tag",
    before="h>c c>y y>d",
    adjacent="h>c",
)
_add(
    "brackets around",
    {"g": Node(), "h": Node(), "l": _word(_OPENING), "r": _word(_CLOSING)},
    "g>h h>l h>r",
    "l.lower r.lower, g.tag h.tag l.lower, l.lower l+1.tag r-1.tag h.tag, l.lower l-1.tag h.tag, "
    "l.lower marks(l,r), l.lower marks(l,h), l.lower r+1.tag h.tag",
    before="l>r",
)
# "... , '' he said", "... , \" sagde en litauer".
_add(
    "speech below the verb",
    {"s": _tag(_VERB), "v": Node(), "m": _word(","), "q": _word(_QUOTE)},
    "s>v s>m s>q",
    "s.lower, s.lower v.tag, s.suffix v.tag, s-1.tag s.tag v.tag",
    before="v>m",
    adjacent="m>q",
)
_add(
    "speech with its marks",
    {"s": _tag(_VERB), "v": Node(), "m": _word(","), "q": _word(_QUOTE)},
    "s>v v>m v>q",
    "s.lower, s.lower v.tag, s.suffix v.tag, s-1.tag s.tag v.tag",
    before="v>m",
    adjacent="m>q",
)
# "at $ 2.2 billion", "up 19 %", "med 20 pct.".
_add(
    "amount",
    {"h": Node(), "d": Node(word="[$]|.*[$]|%|pct[.]?|percent|kr[.]?|kroner|cents?"), "n": _tag("CD|NUM|AC.*")},
    "h>d d>n",
    "h.lower d.lower, h.lower, h-1.tag h.tag, d.lower n-1.lower, h.tag n-1.tag d+1.tag, h.suffix d.lower d+1.tag",
)
# What a sentence is: its root, what stands before it, and the mark that ends it.
_add(
    "root with subject and final mark",
    {"v": Node(), "s": _tag(_NOUN), "f": Node(word=_FINAL)},
    "root>v v>s v>f",
    "v.lower, v.lower s.tag, v.tag s.tag marks(s,v) verbs(s,v), v.tag verbs(v,f), f.word",
    before="s>v",
)
_add(
    "root with clause and comma",
    {"v": _tag(_VERB), "w": _tag(_VERB), "c": _word(",")},
    "root>v v>w v>c",
    "v.lower, w.lower, v.lower w.tag, v.tag w.tag verbs(v,w) marks(v,w), w-1.tag w.tag v.tag, w-1.lower v.tag, "
    "v.tag w.tag c+1.tag, v.tag w.tag c+1.lower, v-1.tag v.tag w-1.tag w.tag",
)

HAND_CRAFTED: tuple[PatternTemplate, ...] = tuple(_patterns)
"""The patterns of the family, in the order of their seeds."""
