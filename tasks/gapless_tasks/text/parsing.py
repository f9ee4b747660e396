"""``gapless parse``: tags where they are missing, a tree, and its relations."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence

import gapless as gl
from gapless.learn import DamagedFile
from gapless_models.parsing.terminal_drawing import draw
from gapless_models.text import TextParser, TextSentence, embedded_parser
from gapless_models.text import sentence as columns
from gapless_models.text.parsing import Parsed, parse
from gapless_models.text.steps import Solver
from gapless_tasks.text.stream import TextAnswer
from gapless_tasks.text.tagging import tag_columns, tag_document


def stored_parser(path: str | None) -> TextParser:
    """Load the parser of a file, or the embedded one.

    Raises `InvalidProblem`: the file is no stored parser.
    """
    if path is None:
        return embedded_parser()
    try:
        return TextParser.load(path)
    except DamagedFile as error:
        raise gl.InvalidProblem(f"--model {error}") from error


class Parsing:
    """Annotator that parses sentences.

    Parameters
    ----------
    retag : bool
        Whether tags that came with the text are passed over.
    """

    title = "parsing"

    def __init__(self, parser: TextParser, solver: Solver, *, retag: bool = False) -> None:
        self.parser, self.solver, self.retag = parser, solver, retag

    def answers(self, sentences: Sequence[TextSentence], first: int) -> Iterator[TextAnswer]:
        """Yield the answers in their order; Ctrl-C comes after those that are finished."""
        parsed, interrupted = parse(self.parser, sentences, self.solver, retag=self.retag)
        for i, parsed_sentence in enumerate(parsed):
            yield self._answer(parsed_sentence, first + i)
        if interrupted:
            raise KeyboardInterrupt

    def _answer(self, found: Parsed, number: int) -> TextAnswer:
        given_tags = found.given
        written = tag_columns(self.parser.column, found.tags) if found.tags else {}
        document = tag_document(written)
        if found.heads:
            relations = found.relations or ["_"] * len(found.heads)
            written |= {columns.HEAD: [str(head) for head in found.heads], columns.DEPREL: relations}
            document |= {"heads": list(found.heads), "relations": list(found.relations)}
            tags = found.sentence.coarse if found.sentence is not None else ()
            rows = [row for row in (tags, found.relations) if row]
            width = shutil.get_terminal_size().columns
            text = (
                "\n".join(line.text for line in draw(given_tags.words, found.heads, rows=rows, width=width)) + "\n"
            )
        else:  # what stands there is no tree of this parser
            empty = ["_"] * len(given_tags.words)
            written |= {columns.HEAD: empty, columns.DEPREL: empty}
            text = f"{given_tags.text} ({found.failure})"
        conllu = given_tags.conllu(number, written)
        return TextAnswer(given_tags.place, given_tags.words, document, text, conllu, found.proofs, found.failure)
