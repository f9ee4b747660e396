"""The shipped patterns: small subtrees in which parsers often err, for English, Danish and Chinese.

The errors are those of a parser with grandchildren and siblings on training sentences that it had not seen, as
Qian and Liu found theirs (2013, section 4.3). Of their thirteen patterns they print one, figure 3 on page 44: it is
the first here. An expression of words lists those of several languages side by side; tags are those of the Penn
Treebank, PAROLE and Universal Dependencies. The parser predicts no relation labels, so no pattern asks for one.
"""

from __future__ import annotations

import re
from itertools import combinations

from gapless_dependency import PatternNode
from gapless_models.parsing.patterns import PATTERN, PatternTemplate
from gapless_models.parsing.templates import Templates

_SEED, _STEP = 9000, 100
"""The first hash of the patterns' features, and the room for each."""

_PREPOSITION = "IN|TO|SP|ADP"
_FIRST = (
    "both|either|neither|nor|not|whether|from|between|if|because|although|though|so|"
    "både|enten|hverken|ikke|såvel|fra|mellem|hvis|når|da|så|jo|"
    "在|從|由|自|除|當|因|因為|由於|雖然|雖|儘管|如果|若|即使|不僅|不但|既|與|像|以"
)
_TAGS = {
    "preposition": _PREPOSITION,
    "noun": r"NN.*|N[CP].*|NOUN|PROPN|PRP|P[PIDO][-\d].*|PRON|CD|AC.*|NUM|[$]",
    "verb": "V.*|MD|AUX",
    "adverb": "RB.*|RG.*|RP|ADV|JJ",
    "conjunction": "CC|CCONJ|CONJ",
    "comparative": "JJR|RBR|ANC.*",
    "number": "CD|NUM|AC.*",
}
_WORDS = {
    "rather": "rather",
    "than": "than",
    "first": _FIRST,
    "second": (
        "and|or|nor|but|to|then|that|"
        "og|eller|men|til|så|at|som|"
        "中|上|下|內|裡|後|前|時|起|到|至|之間|間|之後|之前|以外|外|但|但是|卻|而且|也|所以|則|就|仍|又|一樣|來|為"
    ),
    "comparing": (
        "more|less|as|so|such|rather|other|same|enough|mere|mindre|så|lige|samme|anden|andet|andre|sådan|比|更"
    ),
    "compared": "than|as|that|end|som|at|比",
    "comma": ",",
    "quote": "''|``|\"|」|』|”|»",
    "opening": r"-LRB-|-LCB-|\(|（|「|《|『|``|--",
    "closing": r"-RRB-|-RCB-|\)|）|」|》|』|''|--",
}
_NODES = {
    "any": PatternNode(),
    **{kind: PatternNode(tag=expression) for kind, expression in _TAGS.items()},
    **{kind: PatternNode(word=f"(?i:{expression})") for kind, expression in _WORDS.items()},
    "final": PatternNode(word=r"[.?!。？！]|\.\.\."),
    "unit": PatternNode(word="[$]|.*[$]|%|pct[.]?|percent|kr[.]?|kroner|cents?"),
    "around": PatternNode(word=_FIRST, tag=f"{_PREPOSITION}|V.*"),
}
"""The kinds of words: any, by tag, by word with the case aside, and by word as it is written."""

_TWICE = "a.lower, a.lower c.lower, h.tag a.lower, h.word a.lower, a.tag marks(a,b), a.tag verbs(a,b)"
_CORRELATIVE = (
    "a.lower b.lower, a.lower b.lower h.tag, a.lower b.lower x.tag, a.lower b.lower marks(a,b) verbs(a,b)"
)
_COMPARISON = (
    "a.lower t.lower, t.lower x.tag h.tag, a.lower t.lower x.tag, a.lower h.lower t.lower, "
    "a.lower t.lower marks(a,t)"
)
_PHRASE = (
    "p.lower, v.lower p.lower, n.lower p.lower, p.lower o.lower, n.suffix p.lower, v.suffix p.lower, "
    "v.tag p.lower o.tag, n.tag p.lower o.tag, v.tag n.tag p.lower, p.lower marks(n,p)"
)
_ADVERBIAL = (
    "r.lower p.lower, p.lower, r.lower, v.word r.lower p.lower, v.word r.lower, r.lower p.lower o.tag, "
    "r.lower p.lower v.tag, p.lower o.suffix"
)
_CONJUNCTS = (
    "c.lower a.tag b.tag, c.lower g.tag a.tag b.tag, a.tag b.tag marks(a,b) verbs(a,b), "
    "a-1.tag a.tag b-1.tag b.tag, a.tag a+1.tag b.tag b+1.tag, a.shape b.shape a.tag b.tag"
)
_SPEECH = "s.lower, s.lower v.tag, s.suffix v.tag, s-1.tag s.tag v.tag"

_TABLE = (
    # Qian and Liu 2013, figure 3 (page 44): "A ... rather than A", A a preposition.
    (
        "rather than",
        "a:preposition r:rather t:than b:preposition",
        "a>t t>r t>b a<r t<b r+t a=b",
        "a.lower, a-1.tag a.lower",
    ),
    (
        "rather than between any words",
        "a:any r:rather t:than b:any",
        "a>t t>r t>b t<b r+t",
        "a.coarse b.coarse, a.suffix b.suffix, a.tag b.tag marks(a,t) verbs(a,t)",
    ),
    # The same for a conjunction: "to software as well as to works", "in Boston or in Maine".
    ("same word twice: one head", "h:any a:any c:conjunction b:any", "h>a h>c h>b a<c c+b a=b", _TWICE),
    ("same word twice: the first is head", "h:any a:any c:conjunction b:any", "h>a a>c a>b a<c c+b a=b", _TWICE),
    ("same word twice: a chain", "h:any a:any c:conjunction b:any", "h>a a>c c>b a<c c+b a=b", _TWICE),
    # "either ... or", "from ... to", "hverken ... eller", "雖然 ... 但".
    (
        "correlatives: one head",
        "g:any h:any a:first b:second",
        "g>h h>a h>b a<b",
        "a.lower b.lower, a.lower b.lower h.tag, a.lower b.lower h.tag g.tag, "
        "a.lower b.lower marks(a,b) verbs(a,b)",
    ),
    ("correlatives: the second below the first", "h:any a:first b:second x:any", "h>a a>b b>x a<b", _CORRELATIVE),
    (
        "correlatives: the first at what the second joins",
        "h:any a:first b:second x:any",
        "h>a h>x x>b a<b",
        _CORRELATIVE,
    ),
    # "fewer than", "as many as", "mere end", "så ... at".
    (
        "comparison below the comparative",
        "h:any a:comparative t:compared x:any",
        "h>a a>t t>x a<t t<x",
        "a.lower t.lower, t.lower x.tag h.tag, a.lower t.lower x.tag, t.lower marks(a,t) verbs(a,t)",
    ),
    (
        "comparison beside the comparing word",
        "h:any a:comparing t:compared x:any",
        "h>a h>t t>x a<t t<x",
        _COMPARISON,
    ),
    (
        "comparison below the comparing word",
        "h:any a:comparing t:compared x:any",
        "h>a a>t t>x a<t t<x",
        _COMPARISON,
    ),
    # Where a prepositional phrase goes (Collins and Brooks, VLC 1995): verb, noun, preposition, its noun.
    ("prepositional phrase at the verb", "v:verb n:noun p:preposition o:noun", "v>n v>p p>o v<n n<p p<o", _PHRASE),
    ("prepositional phrase at the noun", "v:verb n:noun p:preposition o:noun", "v>n n>p p>o v<n n<p p<o", _PHRASE),
    # The same where the noun is head of its adposition, as in Universal Dependencies.
    ("adposition and noun at the verb", "v:verb n:noun p:preposition o:noun", "v>n v>o o>p v<n n<p p<o", _PHRASE),
    ("adposition and noun at the noun", "v:verb n:noun p:preposition o:noun", "v>n n>o o>p v<n n<p p<o", _PHRASE),
    # "far below the high", "ind i huset".
    ("adverb and preposition: a chain", "v:any r:adverb p:preposition o:any", "v>r r>p p>o p<o r+p", _ADVERBIAL),
    ("adverb and preposition: one head", "v:any r:adverb p:preposition o:any", "v>r v>p p>o p<o r+p", _ADVERBIAL),
    # "在 ... 中": what Chinese puts around a noun.
    (
        "adpositions around a noun",
        "h:any p:around o:any l:second",
        "h>o o>p o>l p<o o<l",
        "p.lower l.lower, p.lower l.lower h.tag, p.lower l.lower o.tag, h.word p.lower l.lower, h.word, p.lower, "
        "l.lower, p.lower l.lower h+1.tag, p.lower l.lower marks(l,h) verbs(l,h)",
    ),
    # Conjuncts under the word above them.
    ("conjuncts: the first is head", "g:any a:any c:conjunction b:any", "g>a a>c a>b a<c c<b", _CONJUNCTS),
    ("conjuncts: the last is head", "g:any a:any c:conjunction b:any", "g>b b>c b>a a<c c<b", _CONJUNCTS),
    ("conjuncts: a chain", "g:any a:any c:conjunction b:any", "g>a a>c c>b a<c c<b", _CONJUNCTS),
    # "Vinken , 61 years old , will", "( see table 3 )".
    (
        "commas around",
        "h:any c:comma y:any d:comma",
        "h>c h>y h>d h<c c<y y<d h+c",
        "h.tag y.tag marks(c,d), h.tag y.word, c+1.tag y.tag d-1.tag, c+1.word, y.tag verbs(c,d), "
        "h.tag c+1.tag d-1.tag",
    ),
    (
        "brackets around",
        "g:any h:any l:opening r:closing",
        "g>h h>l h>r l<r",
        "l.lower r.lower, g.tag h.tag l.lower, l.lower l+1.tag r-1.tag h.tag, l.lower l-1.tag h.tag, "
        "l.lower marks(l,r), l.lower marks(l,h), l.lower r+1.tag h.tag",
    ),
    # "... , '' he said", "... , \" sagde en litauer".
    ("speech below the verb", "s:verb v:any m:comma q:quote", "s>v s>m s>q v<m m+q", _SPEECH),
    ("speech with its marks", "s:verb v:any m:comma q:quote", "s>v v>m v>q v<m m+q", _SPEECH),
    # "at $ 2.2 billion", "up 19 %", "med 20 pct.".
    (
        "amount",
        "h:any d:unit n:number",
        "h>d d>n",
        "h.lower d.lower, h.lower, h-1.tag h.tag, d.lower n-1.lower, h.tag n-1.tag d+1.tag, "
        "h.suffix d.lower d+1.tag",
    ),
    # What a sentence is: its root, what stands before it, and the mark that ends it.
    (
        "root with subject and final mark",
        "v:any s:noun f:final",
        "root>v v>s v>f s<v",
        "v.lower, v.lower s.tag, v.tag s.tag marks(s,v) verbs(s,v), v.tag verbs(v,f), f.word",
    ),
    (
        "root with clause and comma",
        "v:verb w:verb c:comma",
        "root>v v>w v>c",
        "v.lower, w.lower, v.lower w.tag, v.tag w.tag verbs(v,w) marks(v,w), w-1.tag w.tag v.tag, "
        "w-1.lower v.tag, v.tag w.tag c+1.tag, v.tag w.tag c+1.lower, v-1.tag v.tag w-1.tag w.tag",
    ),
)
"""Name, nodes, relations and features of each pattern.

``a>b`` is an arc, ``a<b`` says that a stands before b, ``a+b`` that b follows at once, ``a=b`` that both are the
same word. Next to the features listed, which commas separate, is one of the pattern alone, one of all tags,
and one for every two tags.
"""


def _pattern(number: int, name: str, nodes: str, relations: str, features: str) -> PatternTemplate:
    slots_of_nodes = {slot: _NODES[kind] for slot, _, kind in (node.partition(":") for node in nodes.split())}
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


HAND_CRAFTED: tuple[PatternTemplate, ...] = tuple(_pattern(number, *row) for number, row in enumerate(_TABLE))
"""The patterns of the family, in the order of their seeds."""
