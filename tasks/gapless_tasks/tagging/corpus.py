"""Corpora of a tagging job: a folder of corpora, or the embedded ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from gapless_models.corpora.places import not_a_corpus
from gapless_models.tagging import TaggedFileError, TaggedSentence, read_tagged
from gapless_models.tagging.product_labels import ProductLabels

PARTS = ("train", "dev", "test")


@attrs.frozen
class Corpus:
    """A tagged corpus in its parts; `dev` may be empty.

    Parameters
    ----------
    product : ProductLabels or None
        The combinations to decode over, where labels are joint ones.
    """

    name: str
    train: Sequence[TaggedSentence]
    dev: Sequence[TaggedSentence]
    test: Sequence[TaggedSentence]
    product: ProductLabels | None = None

    def first(self, count: int | None) -> Corpus:
        """Cut every part to at most `count` sentences, for a quick look."""
        return attrs.evolve(self, train=self.train[:count], dev=self.dev[:count], test=self.test[:count])


@attrs.frozen
class CorpusSource:
    """Reader of a corpus.

    Parameters
    ----------
    folder : Path
        Below the folder of all corpora; holds ``{train,dev,test}.tsv.gz``.
    embedded : callable
        ``embedded("train")`` and ``embedded("test")`` are the parts of the corpus that comes with gapless.
    columns : sequence of str
        Names of the label columns, for joint labels; ``labels.COLUMN.txt`` lists the labels of each.
    """

    folder: Path
    embedded: Callable[..., Sequence[TaggedSentence]]
    columns: Sequence[str] = ()

    def load(self, data: str | None) -> Corpus:
        """Read the embedded corpus, or ``DATA/{folder}/{train,dev,test}.tsv.gz``.

        Raises
        ------
        InvalidProblem
            The folder does not hold the corpus; the message names the missing file.
        """
        if data is None:
            train, test = self.embedded("train"), self.embedded("test")
            labels = (label for sentence in train for label in sentence.labels)
            return Corpus("embedded corpus", train, (), test, ProductLabels.seen(labels) if self.columns else None)
        root = Path(data) / self.folder
        try:
            train, dev, test = (read_tagged(root / f"{part}.tsv.gz") for part in PARTS)
            return Corpus(str(root), train, dev, test, self._product(root) if self.columns else None)
        except (TaggedFileError, OSError) as error:
            raise not_a_corpus(error, data, self.folder, (Path(data) / self.folder.name).is_dir()) from error

    def _product(self, root: Path) -> ProductLabels:
        lists = [(root / f"labels.{column}.txt").read_text("utf-8").split("\n") for column in self.columns]
        try:
            return ProductLabels([[label for label in labels if label] for labels in lists])
        except ValueError as error:
            raise TaggedFileError(f"{root}/labels.*.txt: {error}") from error
