"""A trained parser: sentences become parsing problems; digests tell whether its templates are still the same."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, product
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless_kernels
from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.learn import DamagedFile, read_archive, write_archive
from gapless_dependency import ParsingProblem
from gapless_models.parsing.families import ARC, FAMILIES, HAND_CRAFTED
from gapless_models.parsing.parts import Score, check_families, factor_of
from gapless_models.parsing.patterns import PATTERN, PatternMatches
from gapless_models.parsing.pruning import arc_marginals, prune_mask
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.templates import ATOMS, PAD, Templates, atoms_of

_BITS = 22
_PARTS = 200
_STEP = 7
"""Every seventh part is hashed, so that all positions come in all places."""
_TEXT = "The/DT/DET Re-elected/NNP/PROPN 1,200/CD/NUM are/VBP/AUX ,/,/PUNCT and/CC/CCONJ they/PRP/PRON know/VB/VERB"


def template_digests(families: Iterable[str]) -> dict[str, str]:
    """Compute a digest of the templates of arcs and of each family, with the atoms they read and the hashing.

    It is taken from the templates and from the table places of parts of a fixed sentence.
    """
    words, tags, coarse = zip(*(token.rsplit("/", 2) for token in _TEXT.split()), strict=True)
    atoms = atoms_of(Sentence(words, tags, coarse))
    digests = {ARC.name: _digest(ARC, atoms).hexdigest()[:16]}
    for family in families:
        if family != PATTERN:
            digests[family] = _digest(FAMILIES[family], atoms).hexdigest()[:16]
            continue
        combined = hashlib.sha256()
        for pattern in HAND_CRAFTED:
            combined.update(pattern.digest() + _digest(pattern.features, atoms).digest())
        digests[family] = combined.hexdigest()[:16]
    return digests


def _digest(templates: Templates, atoms: NDArray[np.uint32]) -> hashlib._Hash:
    size = len(atoms) - 2 * PAD
    tuples = islice(product(range(size), repeat=len(templates.slots)), 0, _PARTS * _STEP, _STEP)
    parts = np.array(list(tuples), np.int64)
    places = gapless_kernels.part_features(atoms, parts, templates.values, templates.rows, _BITS)
    digest = hashlib.sha256(" ".join((*ATOMS, templates.name, *templates.slots)).encode())
    for array, kind in ((templates.values, "<i4"), (templates.rows, "<i4"), (places, "<i8")):
        digest.update(array.astype(kind).tobytes())
    return digest


def check_templates(trained: Mapping[str, str], families: Iterable[str], place: str) -> None:
    """Raise `InvalidProblem` if a model was trained with other templates than today's; the message names them."""
    differ = [name for name, digest in template_digests(families).items() if trained.get(name) != digest]
    if differ:
        raise InvalidProblem(
            f"{place}: trained with other templates of {', '.join(differ)} than this version of gapless has; "
            "train it again"
        )


KIND = "parser"


def part_scorer(atoms: NDArray[np.uint32], templates: Templates, table: NDArray[np.floating]) -> Score:
    """Build a callable that scores parts on request."""

    def score(parts: IntArray) -> FloatArray:
        scores = np.empty(len(parts))
        gapless_kernels.score_parts(atoms, parts, templates.values, templates.rows, table, scores)
        return scores

    return score


def arc_scores(atoms: NDArray[np.uint32], table: NDArray[np.floating], candidates: BoolArray) -> FloatArray:
    """Score the candidate arcs, float64 (n + 1, n + 1); -inf elsewhere."""
    scores = np.full(candidates.shape, -np.inf)
    scores[candidates] = part_scorer(atoms, ARC, table)(np.argwhere(candidates))
    return scores


def pattern_matches(families: Sequence[str], sentence: Sentence, candidates: BoolArray) -> PatternMatches | None:
    """Match the shipped patterns among the candidate arcs; None without the family."""
    return PatternMatches.of(HAND_CRAFTED, sentence, candidates) if PATTERN in families else None


def factors_of(
    families: Sequence[str],
    atoms: NDArray[np.uint32],
    table: NDArray[np.floating],
    candidates: BoolArray,
    patterns: PatternMatches | None,
) -> list[Any]:
    """Build the factors of a sentence; parts are scored on request, patterns at once."""
    factors: list[Any] = []
    for name in families:
        if name != PATTERN:
            factors.append(factor_of(name, candidates, part_scorer(atoms, FAMILIES[name], table)))
        elif patterns is not None:
            factors += patterns.factors(lambda templates, parts: part_scorer(atoms, templates, table)(parts))
    return factors


def all_arcs(length: int) -> BoolArray:
    """List every arc of a sentence with `length` words."""
    return prune_mask(np.zeros((length + 1,) * 2), None)


@attrs.frozen(eq=False)
class FirstOrder:
    """First-order model that yields marginals of arcs.

    Parameters
    ----------
    table : float32 or float64 (2^bits,)
    projective, single_root : bool
        The set of trees: projective or all, with one word below the root or more.
    """

    table: NDArray[np.floating]
    projective: bool = False
    single_root: bool = True

    def marginals(self, atoms: NDArray[np.uint32]) -> FloatArray:
        """Compute the probabilities of arcs, float64 (n + 1, n + 1)."""
        scores = arc_scores(atoms, self.table, all_arcs(len(atoms) - 1 - 2 * PAD))
        return arc_marginals(scores, self.single_root, projective=self.projective)

    def candidates(self, atoms: NDArray[np.uint32], max_heads: int, gold: IntArray | None = None) -> BoolArray:
        """Choose the candidate arcs, see `prune_mask`."""
        trees = {"projective": self.projective, "single_root": self.single_root}
        return prune_mask(self.marginals(atoms), max_heads, gold, **trees)


@attrs.frozen(eq=False)
class ParserModel:
    """Trained parser: weights, families and the set of trees.

    Parameters
    ----------
    table : float32 (2^bits,)
        The weights of all features, whole numbers times `granularity`.
    families : tuple of str
        The higher-order families that it was trained with.
    projective, single_root : bool
        The trees to choose among.
    granularity : float
        A power of two, of which every score is a multiple; so sums of scores are exact, and bounds may be rounded
        down to multiples (Qian and Liu 2013, section 4.4).
    pruner : FirstOrder, optional
        For candidate heads.
    training : mapping, optional
        The settings of its training, as JSON data; they tell models of one file name apart.
    """

    table: NDArray[np.float32]
    families: tuple[str, ...]
    projective: bool
    single_root: bool
    granularity: float
    pruner: FirstOrder | None = None
    training: Mapping[str, Any] = attrs.field(factory=dict)

    def candidates(self, sentence: Sentence, max_heads: int | None) -> BoolArray:
        """Choose candidate arcs, bool (n + 1, n + 1): the `max_heads` most probable heads, and the root; or all."""
        if max_heads is None:
            return all_arcs(len(sentence))
        if self.pruner is None:
            raise InvalidProblem("this model has no pruner; use max_heads=None")
        return self.pruner.candidates(atoms_of(sentence), max_heads)

    def problem(
        self, sentence: Sentence, families: Sequence[str] | None = None, max_heads: int | None = None
    ) -> ParsingProblem:
        """Build the problem of parsing a sentence.

        Parameters
        ----------
        families : sequence of str, optional
            By default those that the model was trained with.
        max_heads : int, optional
            Candidate heads of each word, in addition to the root; all by default.

        Returns
        -------
        ParsingProblem
            Arcs are scored, parts when they are asked for.

        Raises
        ------
        InvalidProblem
            If a family is unknown, or `max_heads` is given and there is no pruner.
        """
        selected = self.families if families is None else tuple(families)
        check_families(selected)
        atoms, candidates = atoms_of(sentence), self.candidates(sentence, max_heads)
        table = self.table
        return ParsingProblem(
            arc_scores(atoms, table, candidates),
            factors=factors_of(selected, atoms, table, candidates, pattern_matches(selected, sentence, candidates)),
            projective=self.projective,
            single_root=self.single_root,
            words=sentence.words,
            granularity=self.granularity,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one npz file atomically, readable without pickle."""
        write_archive(path, KIND, *self.contents())

    def contents(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the contents of the file: arrays, and JSON data."""
        arrays: dict[str, NDArray[Any]] = {"table": self.table}
        if self.pruner is not None:
            arrays["pruner"] = self.pruner.table
        metadata = {
            "families": list(self.families),
            "projective": self.projective,
            "single_root": self.single_root,
            "granularity": self.granularity,
            "templates": template_digests(self.families),
            "training": dict(self.training),
        }
        return arrays, metadata

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ParserModel:
        """Read a model that `save` wrote.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        DamagedFile
            If it is cut, altered, or no parser.
        InvalidProblem
            If it was trained with other templates than this version has: the message names the families.
        """
        return cls.of_contents(*read_archive(path, KIND), os.fspath(path))

    @classmethod
    def of_contents(
        cls, arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, Any], place: str
    ) -> ParserModel:
        """Build the parser that `contents` describes; errors are those of `load`, with `place` for the messages."""
        try:
            own = [name for name in ("table", "pruner") if name in arrays]
            tables = {name: np.ascontiguousarray(arrays[name], np.float32) for name in own}
            trees = bool(metadata["projective"]), bool(metadata["single_root"])
            pruner = FirstOrder(tables["pruner"], *trees) if "pruner" in tables else None
            families = tuple(map(str, metadata["families"]))
            check_families(families)
            trained = {str(name): str(digest) for name, digest in metadata.get("templates", {}).items()}
            model = cls(
                tables["table"],
                families,
                *trees,
                float(metadata["granularity"]),
                pruner,
                dict(metadata.get("training", {})),
            )
        except (LookupError, TypeError, ValueError) as error:
            raise DamagedFile(f"{place}: no parser ({type(error).__name__}: {error})") from error
        check_templates(trained, families, place)
        return model
