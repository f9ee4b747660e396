"""Stream, settings and storage that the components share."""

from __future__ import annotations

import logging
import tempfile
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from spacy.language import DEFAULT_CONFIG, Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

import gapless as gl
from gapless_models.text.sentence import TextSentence
from gapless_models.text.steps import Outcome, Solver, StepProof
from gapless_spacy.proofs import keep

M = TypeVar("M")
BATCH = 128
_LOGGER = logging.getLogger("gapless_spacy")


class Component(ABC, Generic[M]):
    """A component with a model in one file.

    Parameters
    ----------
    nlp : Language
    name : str
        In the pipeline.
    model : str or None
        The file of the model; None is the embedded one.
    certificates : bool
        Whether documents keep certificates, next to bounds and gaps.
    time : float or None
        Seconds for each problem.
    """

    file: str
    """Name of the model's file in a stored pipeline."""

    def __init__(
        self, nlp: Language, name: str, *, model: str | None, certificates: bool, time: float | None
    ) -> None:
        self.vocab, self.name = nlp.vocab, name
        self.path, self.certificates = model, certificates
        self.solver = Solver(gl.Limits(time=time))
        self._loaded: M | None = None
        if nlp.batch_size == DEFAULT_CONFIG["nlp"]["batch_size"]:
            nlp.batch_size = BATCH  # a batch goes to one process, and spaCy's default is 1000 texts

    @property
    def loaded(self) -> M:
        """The model; spaCy asks every component whether it has a ``model`` of its own kind, hence the name."""
        if self._loaded is None:
            self._loaded = self._read()
        return self._loaded

    def _read(self) -> M:
        return self.embedded() if self.path is None else self.load(Path(self.path))

    @abstractmethod
    def embedded(self) -> M:
        """Load the model that comes with gapless."""

    @abstractmethod
    def load(self, path: Path) -> M:
        """Read a model."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write the model."""

    @abstractmethod
    def annotate(self, docs: Sequence[Doc]) -> None:
        """Annotate documents together."""

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one document."""
        self.annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = BATCH) -> Iterator[Doc]:
        """Annotate a stream of documents in batches."""
        remaining = iter(stream)
        while docs := list(islice(remaining, batch_size)):
            self.annotate(docs)
            yield from docs

    def solved(self, problems: Sequence[Any]) -> list[Outcome]:
        """Solve every problem and return the outcomes.

        Raises `KeyboardInterrupt`: Ctrl-C.
        """
        outcomes, interrupted = self.solver.solve(problems)
        if interrupted:
            raise KeyboardInterrupt
        return outcomes

    def keep(self, doc: Doc, found: Iterable[tuple[int, int, StepProof | str]]) -> None:
        """Store proofs, and the names of steps that failed, in a document."""
        keep(doc, self.name, found, certificates=self.certificates)

    def warn(self, doc: Doc, first: int, failure: str) -> None:
        """Warn that a sentence was not annotated."""
        warnings.warn(f"{self.name}: {doc[first : first + 8].text!r} ...: {failure}", stacklevel=2)

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        """Write the model into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        self.save(folder / self.file)

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> Component[M]:
        """Read the model from a folder of `to_disk`."""
        self._loaded = self.load(Path(path) / self.file)
        return self

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """Return the bytes of the model's file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / self.file
            self.save(path)
            return path.read_bytes()

    def from_bytes(self, data: bytes, *, exclude: Sequence[str] = ()) -> Component[M]:
        """Read the bytes of `to_bytes`."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / self.file
            path.write_bytes(data)
            self._loaded = self.load(path)
        return self


class TrainedComponent(Component[M]):
    """A component whose model was trained elsewhere.

    It reads the model when it is made, unless spaCy rebuilds a stored pipeline, which brings its own.

    Raises
    ------
    OSError, ValueError
        The model is missing or wrong; the message names the component.
    """

    kind: type[Any]
    """The class of the model, with `load` and `save`."""
    toy: str
    """Scope of the embedded model, for the message that it is one."""
    trained_by: str
    """The command that trains or writes a model."""

    def __init__(
        self, nlp: Language, name: str, *, model: str | None, certificates: bool, time: float | None
    ) -> None:
        super().__init__(nlp, name, model=model, certificates=certificates, time=time)
        self._warned_of_update = False
        if not _is_rebuilt(nlp, name):
            # Now: errors come early, and the processes of `nlp.pipe` share the model and the imported modules.
            self._loaded = self._read()
            self.annotate([Doc(nlp.vocab, words=["a"])])

    def load(self, path: Path) -> M:
        """Read a model."""
        model: M = self.kind.load(path)
        return model

    def save(self, path: Path) -> None:
        """Write the model."""
        model: Any = self.loaded
        model.save(path)

    def _read(self) -> M:
        if self.path is None:
            _LOGGER.warning(
                "%s: a toy model that comes with gapless: %s; give a model of your own by "
                'config={"model": FILE}, from %s',
                *(self.name, self.toy, self.trained_by),
            )
            return self.embedded()
        try:
            return self.load(Path(self.path))
        except OSError as error:
            raise OSError(f"{self.name}: model {self.path}: {error.strerror or error}") from error
        except ValueError as error:
            raise ValueError(f"{self.name}: model {error}") from error

    def initialize(self, get_examples: Callable[[], Iterable[Any]], *, nlp: Language | None = None) -> None:
        """Read the model, if it was not; the examples are not used. `nlp.initialize` calls it."""
        self._loaded = self.loaded

    def update(self, examples: Iterable[Any], **_: Any) -> None:
        """Train nothing, and warn once; `nlp.update` calls it."""
        if not self._warned_of_update:
            self._warned_of_update = True
            warnings.warn(
                f"{self.name}: nlp.update does not train this component; use {self.trained_by}, or exclude it",
                stacklevel=2,
            )


def _is_rebuilt(nlp: Language, name: str) -> bool:
    """Whether `spacy.load` is building the component of a stored pipeline, whose model it reads later.

    The configuration then names the file that the model came from, which need not exist any more. `Language.meta`
    lists the components that are there; the field behind it, those that were stored.
    """
    return name in getattr(nlp, "_meta", {}).get("components", ()) and name not in nlp.component_names


class Sentence:
    """A sentence of a document, without tokens that are spaces.

    Attributes
    ----------
    first, end : int
        Its tokens, the spaces included.
    tokens : list of int
        The words among them.
    """

    def __init__(self, doc: Doc, first: int, end: int) -> None:
        self.doc, self.first, self.end = doc, first, end
        self.tokens = [i for i in range(first, end) if not doc[i].is_space]

    def text(self) -> TextSentence:
        """Return the words, with the tags that all of them have."""
        words = [self.doc[i] for i in self.tokens]
        upos, xpos = ([word.pos_ for word in words], [word.tag_ for word in words])
        return TextSentence(
            "",
            tuple(word.text for word in words),
            tuple(upos) if all(upos) else (),
            tuple(xpos) if all(xpos) else (),
        )


def sentences(doc: Doc) -> list[Sentence]:
    """Return the sentences of a document that have words; spaCy's rules split a document without sentence marks."""
    if doc.has_annotation("SENT_START"):
        spans = [Sentence(doc, span.start, span.end) for span in doc.sents]
    else:
        (begins,) = Sentencizer().predict([doc])
        starts = [i for i, begin in enumerate(begins) if begin or not i]
        spans = [Sentence(doc, a, b) for a, b in zip(starts, [*starts[1:], len(doc)], strict=True)]
    return [sentence for sentence in spans if sentence.tokens]
