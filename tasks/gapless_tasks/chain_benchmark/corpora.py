"""The corpora of the benchmark: three label sets, from tens to a thousand labels."""

from __future__ import annotations

import gzip
import itertools
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

import gapless as gl
from gapless_tasks.chain_benchmark.part_perceptron import JOINT
from gapless_tasks.tagging import TaggedFileError, TaggedSentence, read_tagged


@attrs.frozen
class Corpus:
    """Where a corpus lies and how its labels are made.

    Parameters
    ----------
    name : str
        Short, for tables and file names.
    about : str
        What the labels are.
    size : int
        About how many there are.
    folder : Path
        Inside the folder of corpora.
    suffix : str
        Of the files ``train``, ``dev`` and ``test``.
    read : callable
        Reads one file.
    product : bool
        Whether the label set is the product of the parts' values, rather than the labels of the training part.
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

    def labels(self, sentences: Sequence[TaggedSentence]) -> list[str]:
        """The label set of a training part, sorted."""
        seen = {label for sentence in sentences for label in sentence.labels}
        if not self.product:
            return sorted(seen)
        columns = zip(*(label.split(JOINT) for label in seen), strict=True)
        return [JOINT.join(parts) for parts in itertools.product(*(sorted(set(column)) for column in columns))]


def read_morphology(path: Path) -> list[TaggedSentence]:
    """Read words of a CoNLL-U file with the joint label XPOS and DEPREL (columns 5 and 8).

    Raises
    ------
    TaggedFileError
        If the file is damaged or a line does not have ten columns; the message names the place.
    """
    return [
        TaggedSentence(*zip(*((f[1], f"{f[4]}{JOINT}{f[7]}") for f in rows), strict=True)) for rows in _conll(path)
    ]


def _conll(path: Path) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.startswith("#"):
                    continue
                if line.strip():
                    rows.append(line.rstrip("\n").split("\t"))
                    if len(rows[-1]) != 10:
                        raise TaggedFileError(f"{path}, line {number}: {len(rows[-1])} columns, expected 10")
                elif rows:
                    yield rows
                    rows = []
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError) as error:
        raise TaggedFileError(f"{path}, line {number + 1}: the file is damaged ({error})") from error
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
        "full PAROLE morphological tag and dependency relation of the Danish Dependency Treebank",
        1000,
        Path("parsing", "danish"),
        ".conllu.gz",
        read_morphology,
        product=False,
        epochs=2,
    ),
)
"""From few labels to many: 45, 350 and 957."""
