"""The corpora of the benchmark: three label sets, from tens to a thousand labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

import gapless as gl
from gapless_models.parsing.conllu_reader import ConlluError, read_conllu
from gapless_models.tagging import TaggedFileError, TaggedSentence, read_tagged
from gapless_models.tagging.product_labels import ProductLabels
from gapless_models.tagging.readers import JOINT


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
        except (TaggedFileError, ConlluError, OSError) as error:
            raise gl.InvalidProblem(f"{error} (--data names the folder that holds {self.folder}/)") from error

    def labels(self, sentences: Sequence[TaggedSentence]) -> ProductLabels | None:
        """Return the product labels of a training part; None if its labels have no parts."""
        if not self.product:
            return None
        return ProductLabels.seen(label for sentence in sentences for label in sentence.labels)


def read_functions(path: Path) -> list[TaggedSentence]:
    """Read the words of a treebank with the joint label of universal tag and grammatical function.

    Raises
    ------
    ConlluError
        The file is damaged or holds no trees; the message names the place.
    """
    return [
        TaggedSentence(one.words, tuple(map(JOINT.join, zip(one.coarse, one.labels, strict=True))))
        for one in read_conllu(path)
    ]


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
