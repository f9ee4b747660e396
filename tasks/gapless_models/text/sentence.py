"""A sentence of the user's own, and the same sentence as CoNLL-U with what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from gapless_models.parsing.conllu_reader import Entry

FORM, UPOS, XPOS, HEAD, DEPREL, MISC = 1, 3, 4, 6, 7, 9
"""Columns of CoNLL-U, counted from 0."""
_COLUMNS = 10
_EMPTY = "_"


@attrs.frozen
class TextSentence:
    """Words, and the tags that came with them.

    Parameters
    ----------
    place : str
        File and line, for messages and names.
    words : tuple of n str
        At least one.
    upos, xpos : tuple of n str
        Given tags; empty where not every word has one.
    glued : frozenset of int
        Words, counted from 0, that no space follows in the text.
    entry : Entry or None
        The lines of CoNLL-U that it was read from.
    starts : bool
        Whether a text begins here: after an empty line, or at ``# newdoc``.
    """

    place: str
    words: tuple[str, ...]
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    glued: frozenset[int] = frozenset()
    entry: Entry | None = attrs.field(default=None, repr=False)
    starts: bool = False

    @property
    def text(self) -> str:
        """Sentence as running text."""
        return "".join(w if i in self.glued else w + " " for i, w in enumerate(self.words)).strip()

    def conllu(self, number: int, columns: Mapping[int, Sequence[str]], comments: Sequence[str] = ()) -> str:
        """Format the sentence as CoNLL-U, with a blank line.

        What was read from CoNLL-U keeps all but the given columns: comments, multiword tokens, empty nodes.

        Parameters
        ----------
        number : int
            For ``sent_id``, where there is none.
        columns : mapping of int to sequence of n str
            New values: for each column, counted from 0, those of the words.
        comments : sequence of str
            Lines that begin with ``#``.
        """
        if self.entry is not None:
            return self.entry.with_columns(columns, comments)
        rows = [*comments, f"# sent_id = {number}", f"# text = {self.text}"]
        for i, word in enumerate(self.words):
            fields = [str(i + 1), word, *[_EMPTY] * (_COLUMNS - 2)]
            for column, values in columns.items():
                fields[column] = values[i]
            if i in self.glued:
                fields[MISC] = "|".join(part for part in (fields[MISC], "SpaceAfter=No") if part != _EMPTY)
            rows.append("\t".join(fields))
        return "\n".join(rows) + "\n\n"
