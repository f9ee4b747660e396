"""The corpora of the benchmark: three label sets, from tens to a thousand labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

import gapless as gl
from gapless_models.tagging import TaggedFileError, TaggedSentence, read_tagged
from gapless_models.tagging.product_labels import ProductLabels
from gapless_models.tagging.readers import JOINT
from gapless_models.text_lines import numbered_lines


@attrs.frozen
class Corpus:
    """The place of a corpus, and its labels.

    Parameters
    ----------
    name : str
        Short, for tables and file names.
    about : str
        A description of the labels.
    size : int
        About how many there are.
    folder : Path
        Inside the folder of corpora.
    suffix : str
        Of the files ``train``, ``dev`` and ``test``.
    read : callable
        Reads one file.
    product : bool
        Whether labels have two parts, whose whole product is the label set.
    epochs : int
        Passes of training.
    """

    name: str
    about: str
    size: int
    folder: Path
    suffix: str
    read: Callable[[Path], list[TaggedSentence]]
    product: bool
    epochs: int

    def part(self, root: str | Path, part: str) -> list[TaggedSentence]:
        """Read ``train``, ``dev`` or ``test``.

        Raises
        ------
        InvalidProblem
            The file is missing or damaged; the message names it.
        """
        try:
            return self.read(Path(root) / self.folder / f"{part}{self.suffix}")
        except (TaggedFileError, OSError) as error:
            raise gl.InvalidProblem(f"{error} (--data names the folder that holds {self.folder}/)") from error

    def labels(self, sentences: Sequence[TaggedSentence]) -> ProductLabels | None:
        """The product labels of a training part; None if its labels have no parts."""
        if not self.product:
            return None
        return ProductLabels.seen(label for sentence in sentences for label in sentence.labels)


def read_functions(path: Path) -> list[TaggedSentence]:
    """Read words of a CoNLL-U file with the joint label UPOS and DEPREL (columns 4 and 8).

    Raises
    ------
    TaggedFileError
        If the file is damaged or a line does not have ten columns; the message names the place.
    """
    return [
        TaggedSentence(*zip(*((f[1], f"{f[3]}{JOINT}{f[7]}") for f in rows), strict=True)) for rows in _conll(path)
    ]


def _conll(path: Path) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    for number, line in numbered_lines(path, TaggedFileError, ".conllu"):
        if line.startswith("#"):
            continue
        if line.strip():
            rows.append(line.split("\t"))
            if len(rows[-1]) != 10:
                raise TaggedFileError(f"{path}, line {number}: {len(rows[-1])} columns, expected 10")
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


CORPORA = (
    Corpus(
        "wsj",
        "part-of-speech tags of the Wall Street Journal sample",
        45,
        Path("tagging", "wsj_pos"),
        ".tsv.gz",
        read_tagged,
        product=False,
        epochs=3,
    ),
    Corpus(
        "ewt",
        "part-of-speech tags x entity tags of the English Web Treebank, the whole product",
        350,
        Path("tagging", "ewt_pos_ner"),
        ".tsv.gz",
        read_tagged,
        product=True,
        epochs=2,
    ),
    Corpus(
        "danish",
        "part-of-speech tags x grammatical functions of the Danish Dependency Treebank, the whole product",
        1000,
        Path("parsing", "danish"),
        ".conllu.gz",
        read_functions,
        product=True,
        epochs=2,
    ),
)
"""From few labels to many."""
