"""A trained parser: sentences become parsing problems."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless_kernels
from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.learn import DamagedFile, read_archive, write_archive
from gapless_dependency import ParsingProblem
from gapless_models.parsing.atoms import PAD, atoms_of
from gapless_models.parsing.families import ARC, FAMILIES
from gapless_models.parsing.hand_crafted import HAND_CRAFTED
from gapless_models.parsing.parts import Score, check_families, factor_of
from gapless_models.parsing.patterns import PATTERN, PatternMatches
from gapless_models.parsing.pruning import arc_marginals, prune_mask
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.template_digest import check_templates, template_digests
from gapless_models.parsing.templates import Templates

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
    """

    table: NDArray[np.floating]

    def marginals(self, atoms: NDArray[np.uint32], *, projective: bool, single_root: bool) -> FloatArray:
        """Compute the probabilities of arcs, float64 (n + 1, n + 1)."""
        scores = arc_scores(atoms, self.table, all_arcs(len(atoms) - 1 - 2 * PAD))
        return arc_marginals(scores, single_root, projective=projective)

    def candidates(
        self,
        atoms: NDArray[np.uint32],
        max_heads: int,
        gold: IntArray | None = None,
        *,
        projective: bool,
        single_root: bool,
    ) -> BoolArray:
        """Choose the candidate arcs, see `prune_mask`."""
        marginals = self.marginals(atoms, projective=projective, single_root=single_root)
        return prune_mask(marginals, max_heads, gold, projective=projective, single_root=single_root)


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
        return self.pruner.candidates(
            atoms_of(sentence), max_heads, projective=self.projective, single_root=self.single_root
        )

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
            pruner = FirstOrder(tables["pruner"]) if "pruner" in tables else None
            families = tuple(map(str, metadata["families"]))
            check_families(families)
            trained = {str(name): str(digest) for name, digest in metadata.get("templates", {}).items()}
            model = cls(
                tables["table"],
                families,
                bool(metadata["projective"]),
                bool(metadata["single_root"]),
                float(metadata["granularity"]),
                pruner,
                dict(metadata.get("training", {})),
            )
        except (LookupError, TypeError, ValueError) as error:
            raise DamagedFile(f"{place}: no parser ({type(error).__name__}: {error})") from error
        check_templates(trained, families, place)
        return model
