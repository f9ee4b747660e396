"""A trained grandparent model: sentences become parsing problems whose parts are bounded, and scored lazily."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.learn import DamagedFile, Weights, read_archive, write_archive
from gapless_dependency import Grandchild, ParsingProblem
from gapless_models.parsing.parser_model import all_arcs, arc_scores, check_templates, template_digests
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.templates import atoms_of
from gapless_models.price_and_cut.likelihood import ARCS, GRANDPARENTS
from gapless_models.price_and_cut.templates import (
    LEARNT,
    FoldedTables,
    Template,
    coarsest_cover,
    folded,
    table_slices,
)
from gapless_models.price_and_cut.token_classes import TokenClasses, fine_tagged

GRANULARITY = 2.0**-10
"""Weights are rounded to multiples of it: sums of scores are exact, and bounds may be rounded down to multiples."""
KIND = "grandparent model"


@attrs.frozen(eq=False)
class GrandparentModel:
    """Trained grandparent model: weights, token classes and the set of trees.

    Parameters
    ----------
    arcs : float32 (2^bits,)
        Weights of the hashed features of arcs.
    tables : FoldedTables
        Weights of grandparent parts, float32.
    projective, single_root : bool
        The trees to choose among.
    training : mapping
        The settings of its training, as JSON data.
    """

    arcs: NDArray[np.float32]
    tables: FoldedTables
    projective: bool
    single_root: bool
    training: Mapping[str, Any] = attrs.field(factory=dict)

    @classmethod
    def of(
        cls,
        weights: Weights,
        classes: TokenClasses,
        *,
        projective: bool,
        single_root: bool,
        training: Mapping[str, Any],
    ) -> GrandparentModel:
        """Build the model from trained weights: folded, and rounded to `GRANULARITY`."""
        templates = coarsest_cover(LEARNT)
        parts = folded(weights[GRANDPARENTS], LEARNT, templates, classes)
        tables = FoldedTables(templates, classes, _rounded(parts))
        return cls(_rounded(weights[ARCS]), tables, projective, single_root, training)

    def problem(self, sentence: Sentence, *, heads: NDArray[np.bool_] | None = None) -> ParsingProblem:
        """Build the problem of parsing a sentence: all arcs and all grandparent parts.

        Parameters
        ----------
        heads : bool (n + 1, n + 1), optional
            Candidate arcs [head, modifier]; all by default.

        Returns
        -------
        ParsingProblem
            Arcs are scored; parts when they are asked for, after their upper bounds.
        """
        sentence = fine_tagged(sentence)
        scorer = self.tables.scorer(self.tables.classes.of_sentence(sentence))
        return ParsingProblem(
            arc_scores(atoms_of(sentence), self.arcs, all_arcs(len(sentence)) if heads is None else heads),
            factors=[Grandchild(scorer)],
            projective=self.projective,
            single_root=self.single_root,
            words=sentence.words,
            granularity=GRANULARITY,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one npz file atomically, readable without pickle."""
        metadata = {
            "projective": self.projective,
            "single_root": self.single_root,
            "arc templates": template_digests(()),
            "templates": [attrs.astuple(template) for template in self.tables.templates],
            "classes": self.tables.classes.to_data(),
            "training": dict(self.training),
        }
        write_archive(path, KIND, {ARCS: self.arcs, GRANDPARENTS: self.tables.weights}, metadata)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GrandparentModel:
        """Read a model that `save` wrote.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        DamagedFile
            If it is cut, altered, or no grandparent model.
        InvalidProblem
            If it was trained with other arc templates than this version has.
        """
        arrays, metadata = read_archive(path, KIND)
        try:
            classes = TokenClasses.from_data(metadata["classes"])
            templates = tuple(
                Template(int(g), int(p), int(c), bool(above), bool(below))
                for g, p, c, above, below in metadata["templates"]
            )
            weights = np.ascontiguousarray(arrays[GRANDPARENTS], np.float32)
            if weights.shape != (table_slices(templates, classes)[-1].stop,):
                raise ValueError(f"{weights.shape} weights of grandparent parts")
            model = cls(
                np.ascontiguousarray(arrays[ARCS], np.float32),
                FoldedTables(templates, classes, weights),
                bool(metadata["projective"]),
                bool(metadata["single_root"]),
                dict(metadata["training"]),
            )
            digests = {str(name): str(digest) for name, digest in metadata["arc templates"].items()}
        except (LookupError, TypeError, ValueError, AttributeError, InvalidProblem) as error:
            raise DamagedFile(f"{os.fspath(path)}: no grandparent model ({error})") from error
        check_templates(digests, (), os.fspath(path))
        return model


def _rounded(weights: NDArray[np.floating]) -> NDArray[np.float32]:
    return (np.rint(np.asarray(weights, np.float64) / GRANULARITY) * GRANULARITY).astype(np.float32)
