"""Feature templates for labelling a word in its sentence."""

from __future__ import annotations

from collections.abc import Sequence

from gapless_models.tagging.lexicon import LabelLexicon, normal, short_shape, spelling

_MARKERS = {
    "have": ("have", "has", "had", "having", "'ve"),
    "be": ("be", "am", "is", "are", "was", "were", "been", "being", "'m", "'re"),
    "be or have": ("'s",),
    "get": ("get", "got"),
    "do": ("do", "does", "did"),
    "modal": ("will", "would", "can", "could", "may", "might", "should", "must", "ca", "wo", "'ll", "'d"),
    "to": ("to",),
    "relative": ("that", "which", "who"),
    "end": (",", ".", ";", ":", "--", "and", "but", "``", "''"),
}
"""English. A word of the last kind ends the reach of those before it."""

_KIND = {word: kind for kind, words in _MARKERS.items() for word in words}
_FAR = 3


def verb_context(words: Sequence[str]) -> list[tuple[str, int]]:
    """Find the last marker before each word.

    A first-order chain sees one tag back; a participle after ``had not yet`` is decided further to the left.

    Parameters
    ----------
    words : sequence of str
        The ``n`` words of a sentence.

    Returns
    -------
    list of (str, int)
        For each word the kind of the marker and how many words lie between, 3 standing for more; the kind is
        empty if there is none, and ends are named by the word.
    """
    markers = []
    kind, between = "", 0
    for word in map(str.lower, words):
        markers.append((kind, min(between, _FAR)))
        if word in _KIND:
            kind, between = (word if _KIND[word] == "end" else _KIND[word]), 0
        else:
            between += 1
    return markers


BIAS = "bias"
"""The feature that every word has."""

_BOUNDARY = "\n"
"""Stands for the words before the first and after the last."""


class _WordView:
    """Views of a word type: from its own position (`own`) and from the neighbouring ones (`near`)."""

    __slots__ = ("key", "low", "near", "own")

    def __init__(self, word: str, lexicon: LabelLexicon) -> None:
        self.low = normal(word)
        self.key = lexicon[word]
        self.near = (f"suffix={self.low[-3:]}", f"ending={self.low[-2:]}", f"short={short_shape(word)}")
        own = [f"word={word}", f"low={self.low}", f"key={self.key}"]
        own += [*spelling(word), *lexicon.relatives(word)]
        self.own = tuple(dict.fromkeys(own))


class Templates:
    """The features of words in context under one lexicon, with the views of known word types kept.

    Parameters
    ----------
    lexicon : LabelLexicon
        Gives each word its class (`key` in feature names).

    Notes
    -----
    The choice follows Ratnaparkhi (EMNLP 1996, table 1) and Toutanova, Klein, Manning and Singer (NAACL 2003,
    section 3), with ambiguity classes of the neighbouring words in place of tag contexts, since a first-order
    chain sees only one previous tag.
    """

    def __init__(self, lexicon: LabelLexicon) -> None:
        self.lexicon = lexicon
        self._views: dict[str, _WordView] = {}
        self._boundary = _WordView(_BOUNDARY, lexicon)

    def features(self, words: Sequence[str]) -> list[list[str]]:
        """List the features of each word.

        Parameters
        ----------
        words : sequence of str
            The ``n`` words of a sentence.

        Returns
        -------
        list of list of str
            ``n`` lists without repetitions; :data:`BIAS` is in each.
        """
        edge = [self._boundary] * 2
        views = [*edge, *map(self._view, words), *edge]
        rows = [
            _in_context(views[i], views[i + 1], views[i + 2], views[i + 3], views[i + 4]) for i in range(len(words))
        ]
        for row, view, (marker, between) in zip(rows, views[2:-2], verb_context(words), strict=True):
            row += [f"marker, ending={marker} {between} {view.low[-2:]}", f"marker, key={marker} {view.key}"]
        if rows:
            rows[0].append(f"first={views[2].low[-3:]}")
        return rows

    def _view(self, word: str) -> _WordView:
        view = self._views.get(word)
        if view is None:
            view = _WordView(word, self.lexicon)
            if word in self.lexicon.classes:
                self._views[word] = view
        return view


def _in_context(w2: _WordView, w1: _WordView, w: _WordView, v1: _WordView, v2: _WordView) -> list[str]:
    """List the features of `w` after `w2`, `w1` and before `v1`, `v2`."""
    suffix = w.low[-3:]
    return [
        BIAS,
        *w.own,
        *[f"-1 {name}" for name in w1.near],
        *[f"+1 {name}" for name in v1.near],
        f"-2 low={w2.low}",
        f"-1 low={w1.low}",
        f"+1 low={v1.low}",
        f"+2 low={v2.low}",
        f"-2 key={w2.key}",
        f"-1 key={w1.key}",
        f"+1 key={v1.key}",
        f"+2 key={v2.key}",
        f"-1 low, low={w1.low} {w.low}",
        f"low, +1 low={w.low} {v1.low}",
        f"-1 key, key={w1.key} {w.key}",
        f"key, +1 key={w.key} {v1.key}",
        f"-2 key, -1 key={w2.key} {w1.key}",
        f"+1 key, +2 key={v1.key} {v2.key}",
        f"-1 key, +1 key={w1.key} {v1.key}",
        f"-1 key, low={w1.key} {w.low}",
        f"low, +1 key={w.low} {v1.key}",
        f"-1 low, suffix={w1.low} {suffix}",
        f"suffix, +1 low={suffix} {v1.low}",
        f"-1 key, suffix={w1.key} {suffix}",
        f"suffix, +1 key={suffix} {v1.key}",
    ]
