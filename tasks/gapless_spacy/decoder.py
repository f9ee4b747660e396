"""``gapless_decoder``: the scores of another model, decoded exactly together with scores of neighbouring labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import biluo_tags_to_spans, iob_to_biluo

import gapless as gl
from gapless.arrays.sparse import FloatArray
from gapless.learn import read_archive, write_archive
from gapless_chains import ChainModel
from gapless_models.text.parsing import failure_of
from gapless_models.text.steps import StepProof
from gapless_spacy.component import Component

Scores = Callable[[Sequence[Doc]], Sequence[Any]]
"""``scores(docs)`` gives an array (tokens, K) for each document."""
KIND = "chain decoder"
TAG, POS, ENT = "tag", "pos", "ent"
ATTRIBUTES = (TAG, POS, ENT)


class Decoder(Component[ChainModel]):
    """Component that sets tags or entities: the best sequence of labels, proved.

    Parameters
    ----------
    pipe : str
        The component of the pipeline whose model scores the tokens, such as ``tagger``: its
        ``model.predict(docs)`` gives an array (tokens, K) for each document, its ``labels`` are the K labels.
    scores : callable or None
        ``scores(docs)`` instead of a component: from a registered function, by ``{"@misc": NAME}`` in the config.
    labels : sequence of K str or None
        Needed with `scores`.
    attr : {"tag", "pos", "ent"}
        ``ent``: labels are ``B-X``, ``I-X`` and ``O``; ``I-X`` follows only ``B-X`` and ``I-X``.
    transition : sequence of K sequences of K float or None
        The score of label ``a`` followed by ``b``, at ``[a][b]``; None: 0, or what `initialize` counts.
    forbid : sequence of (str, str)
        Pairs of labels that never follow each other.
    log : bool
        Whether the scores are probabilities, whose logarithms are added up.
    """

    file = "transitions.npz"

    def __init__(
        self,
        nlp: Language,
        name: str,
        *,
        pipe: str,
        scores: Scores | None,
        labels: Sequence[str] | None,
        attr: str,
        transition: Sequence[Sequence[float]] | None,
        forbid: Sequence[Sequence[str]],
        log: bool,
        certificates: bool,
        time: float | None,
    ) -> None:
        super().__init__(nlp, name, model=None, certificates=certificates, time=time)
        if attr not in ATTRIBUTES:
            raise ValueError(f"{name}: attr is {attr!r}, choose one of {', '.join(ATTRIBUTES)}")
        if scores is not None and labels is None:
            raise ValueError(f"{name}: scores need labels, one for each column, in their order")
        self.nlp, self.pipe_name, self.scores, self.given_labels = nlp, pipe, scores, labels
        self.attr, self.transition, self.forbid, self.log = attr, transition, forbid, log

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the columns of the scores."""
        if self.given_labels is not None:
            return tuple(self.given_labels)
        return tuple(self.nlp.get_pipe(self.pipe_name).labels)

    def embedded(self) -> ChainModel:
        """Return the transitions of the config."""
        count = len(self.labels)
        pairs = np.zeros((count, count)) if self.transition is None else np.array(self.transition, np.float64)
        return self._restricted(pairs, np.zeros(count), np.zeros(count))

    def _restricted(self, transition: FloatArray, initial: FloatArray, final: FloatArray) -> ChainModel:
        """Remove the forbidden pairs from the model."""
        number = {label: i for i, label in enumerate(self.labels)}
        for a, b in self.forbid:
            if a not in number or b not in number:
                raise ValueError(f"{self.name}: forbid names {a} {b}; the labels are {', '.join(number)}")
            transition[number[a], number[b]] = -np.inf
        if self.attr == ENT:
            for label, column in number.items():
                if label.startswith("I-"):
                    initial[column] = -np.inf
                    allowed = {f"B-{label[2:]}", label}
                    rows = [row for other, row in number.items() if other not in allowed]
                    transition[rows, column] = -np.inf
        return ChainModel(transition, initial=initial, final=final, labels=self.labels)

    def load(self, path: Path) -> ChainModel:
        """Read transitions."""
        arrays, texts = read_archive(path, KIND)
        ends = {name: arrays[name] for name in ("initial", "final")}
        return ChainModel(arrays["transition"], **ends, labels=texts["labels"])

    def save(self, path: Path) -> None:
        """Write the transitions and labels."""
        model = self.loaded
        arrays = {name: np.asarray(getattr(model, name)) for name in ("transition", "initial", "final")}
        write_archive(path, KIND, arrays, {"labels": list(self.labels)})

    def initialize(self, get_examples: Callable[[], Iterable[Any]], *, nlp: Language | None = None) -> None:
        """Count which labels follow each other in gold documents; scores are logarithms of smoothed shares."""
        if self.transition is not None:
            return
        number = {label: i for i, label in enumerate(self.labels)}
        counts, first, last = np.ones((len(number),) * 2), np.ones(len(number)), np.ones(len(number))
        for example in get_examples():
            columns = [number.get(label) for label in _gold(example.reference, self.attr)]
            for a, b in pairwise(columns):
                if a is not None and b is not None:
                    counts[a, b] += 1
            for ends, column in ((first, columns[:1]), (last, columns[-1:])):
                if column and column[0] is not None:
                    ends[column[0]] += 1
        shares = np.log(counts / counts.sum(1, keepdims=True))
        self._loaded = self._restricted(shares, np.log(first / first.sum()), np.log(last / last.sum()))

    def annotate(self, docs: Sequence[Doc]) -> None:
        """Decode documents together, each as one sequence."""
        filled = [doc for doc in docs if len(doc)]
        if not filled:
            return
        if self.loaded.labels != self.labels:
            raise ValueError(
                f"{self.name}: the transitions are of labels {self.loaded.labels}, the scores of {self.labels}; "
                "give it the same ones in the same order, or initialise it again"
            )
        rows = [self._checked(doc, one) for doc, one in zip(filled, self._score(filled), strict=True)]
        batch = self.loaded.batch(np.concatenate(rows), [len(doc) for doc in filled])
        for doc, problem, outcome in zip(filled, batch, self.solved(batch), strict=True):
            failure = failure_of(outcome, "tags")
            if failure or isinstance(outcome, gl.SolveError):
                self.warn(doc, 0, failure)
                self.keep(doc, [(0, len(doc), "tags")])
                continue
            _set(doc, self.attr, [self.labels[label] for label in outcome.best])
            self.keep(doc, [(0, len(doc), StepProof("tags", problem, outcome))])

    def _score(self, docs: Sequence[Doc]) -> Sequence[Any]:
        if self.scores is not None:
            return self.scores(docs)
        model = self.nlp.get_pipe(self.pipe_name).model
        return [model.ops.to_numpy(scores) for scores in model.predict(docs)]

    def _checked(self, doc: Doc, scores: Any) -> FloatArray:
        array = np.asarray(scores, np.float64)
        if array.shape != (len(doc), len(self.labels)):
            raise ValueError(
                f"{self.name}: scores of shape {array.shape} for {len(doc)} tokens and {len(self.labels)} labels; "
                "one row for each token is needed"
            )
        if not self.log:
            return array
        with np.errstate(divide="ignore"):  # probability 0 forbids
            return np.log(array)


def _gold(doc: Doc, attr: str) -> list[str]:
    if attr == ENT:
        return [f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type_ else "O" for t in doc]
    return [token.pos_ if attr == POS else token.tag_ for token in doc]


def _set(doc: Doc, attr: str, labels: Sequence[str]) -> None:
    if attr == ENT:
        doc.ents = tuple(biluo_tags_to_spans(doc, iob_to_biluo(list(labels))))
        return
    for token, label in zip(doc, labels, strict=True):
        if attr == POS:
            token.pos_ = label
        else:
            token.tag_ = label
