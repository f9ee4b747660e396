"""Context of a verb at any distance: the auxiliary, `to` or relative word that decides its form."""

from __future__ import annotations

from collections.abc import Sequence

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
