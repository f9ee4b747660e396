"""One section of a book: its title and its body, as tokens."""

from __future__ import annotations

import attrs


@attrs.frozen
class Section:
    """Section of a text, with its title.

    Parameters
    ----------
    name : str
        Its ``id``.
    title : tuple of str
        Tokens; punctuation marks and clitics are tokens of their own.
    body : tuple of tuple of str
        Tokens of each sentence.
    """

    name: str
    title: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]
