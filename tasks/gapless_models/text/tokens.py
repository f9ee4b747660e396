"""Words of a line of text, by NLTK's rules of the Penn Treebank; no download is needed."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import gapless as gl

_SPACED = re.compile(r"\S+")

Span = tuple[int, int]
"""First character of a word, and the one after its last."""


def tokenise(line: str, *, spaced: bool = False) -> list[Span]:
    """Split one sentence into words.

    Parameters
    ----------
    line : str
    spaced : bool
        The words are separated by spaces already.

    Returns
    -------
    list of (int, int)
        Words as they stand in the line: quotation marks are not replaced. None is empty or holds a space.

    Raises
    ------
    MissingDependency
        NLTK is not installed, and `spaced` is not set.
    """
    if not spaced:
        try:
            return list(_treebank().span_tokenize(line))
        except ValueError:  # quotation marks of several kinds, which its rules cannot find again
            pass
    return [match.span() for match in _SPACED.finditer(line)]


@cache
def _treebank() -> Any:
    try:
        from nltk.tokenize.destructive import NLTKWordTokenizer  # noqa: PLC0415  an extra, slow to load
    except ImportError as error:
        raise gl.MissingDependency(
            "words are found by nltk: pip install 'gapless[tasks]'; or separate them by spaces and give --tokens"
        ) from error
    return NLTKWordTokenizer()
