"""The best labelled dependency tree, with factors that see the labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

import attrs
import numpy as np

from gapless import InvalidProblem, Problem
from gapless.arrays.score_array import bracketed, check_scores, score_array
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.factors.factor_json import SupportsTabulation
from gapless.oracles.verifier_bounds import CheckedBounds
from gapless.problems.names import Names
from gapless.roles import Backbone, ConfigurationFactor, Factor, Fixings, LinearModel, serialisable
from gapless_dependency.arcs import Arcs, LabelledArcs
from gapless_dependency.backbones import backbone_for, backbone_needed
from gapless_dependency.factors.any_label import any_label
from gapless_dependency.factors.backbone_factor import BackboneFactor
from gapless_dependency.integer_program import integer_program
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.tree import DependencyTree
from gapless_dependency.tree_maximiser import LabelledTreeMaximiser, TreeMaximiser


def _scores(values: Any) -> FloatArray:
    array = score_array(values, "arc_scores")
    if array.ndim != 3 or array.shape[0] != array.shape[1] or array.shape[0] < 2 or 0 in array.shape:
        raise InvalidProblem(
            f"arc_scores has shape {array.shape}, expected (n + 1, n + 1, labels) with n >= 1 words; rows are "
            "heads, row 0 is the root"
        )
    check_scores(array, bracketed("arc_scores"))
    array[np.arange(len(array)), np.arange(len(array))] = -np.inf
    array[:, 0] = -np.inf
    array.flags.writeable = False
    return array


def _factors(values: Any) -> tuple[Any, ...]:
    try:
        return tuple(values)
    except TypeError as error:
        raise InvalidProblem(f"factors is {values!r}, expected a sequence of factors") from error


@serialisable("gapless_dependency.LabelledParsingProblem")
@attrs.frozen(eq=False, slots=False, repr=False)
class LabelledParsingProblem(Problem[DependencyTree]):
    """Maximise the scores of a tree's labelled arcs, and of factors that see the labels.

    As `ParsingProblem`, whose arcs have their best label each; here each arc with each label is a decision of its
    own, so that a factor may say "at most one subject for each verb".

    Parameters
    ----------
    arc_scores : (n + 1, n + 1, labels) array of numbers
        Score of the arc [head, modifier] with each label; 0 is the root, -inf forbids. The diagonal and column 0
        count nowhere.
    factors : sequence of Factor or ConfigurationFactor
        Scores of sets of `LabelledArcs`.
    arc_factors : sequence of Factor, ConfigurationFactor or BackboneFactor
        Those of `ParsingProblem`, over arcs with any label. A conjunction becomes one set for each choice of
        labels.
    projective, single_root : bool
        As for `ParsingProblem`.
    labels : sequence of str, optional
        Names of the labels; by default their numbers.
    words : sequence of n str, optional
        For messages and drawings.

    Raises
    ------
    InvalidProblem
        Wrong shape, not real numbers, NaN, plus infinity, beyond 1e12, wrong names; the message names array and
        index.

    Examples
    --------
    >>> import numpy as np
    >>> import gapless as gl
    >>> from gapless_dependency import LabelledParsingProblem
    >>> scores = np.zeros((3, 3, 2))
    >>> scores[0, 2, 0], scores[2, 1, 1] = 1.0, 2.0
    >>> tree = gl.solve(LabelledParsingProblem(scores, labels=("root", "nsubj"))).best
    >>> tree.heads, tree.labels
    (array([2, 0]), ('nsubj', 'root'))
    """

    arc_scores: FloatArray = attrs.field(converter=_scores)
    own_factors: tuple[Factor | ConfigurationFactor, ...] = attrs.field(
        converter=_factors, default=(), kw_only=True, alias="factors"
    )
    arc_factors: tuple[Factor | ConfigurationFactor | BackboneFactor, ...] = attrs.field(
        converter=_factors, default=(), kw_only=True
    )
    projective: bool = attrs.field(default=False, kw_only=True)
    single_root: bool = attrs.field(default=True, kw_only=True)
    labels: tuple[str, ...] | None = attrs.field(default=None, kw_only=True)
    words: tuple[str, ...] | None = attrs.field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        for number, factor in enumerate(self.own_factors):
            if not isinstance(factor, Factor | ConfigurationFactor):
                raise InvalidProblem(
                    f"factors[{number}] is {factor!r}, expected a Factor or a ConfigurationFactor of labelled arcs"
                    + ("; give it to arc_factors" if isinstance(factor, BackboneFactor) else "")
                )
        # The problem without labels checks and converts the other arguments.
        plain = self.unlabelled
        object.__setattr__(self, "projective", plain.projective)
        object.__setattr__(self, "single_root", plain.single_root)
        object.__setattr__(self, "words", plain.words)
        object.__setattr__(self, "labels", plain.label_names)

    # --- derived

    @cached_property
    def unlabelled(self) -> ParsingProblem:
        """The problem without factors over labels: the best label of each arc, and the factors over arcs."""
        return ParsingProblem(
            self.arc_scores,
            factors=self.arc_factors,
            projective=self.projective,
            single_root=self.single_root,
            labels=self.labels,
            words=self.words,
        )

    @property
    def length(self) -> int:
        """The number of words, n."""
        return len(self.arc_scores) - 1

    @cached_property
    def decisions(self) -> LabelledArcs:
        """One decision for each candidate arc and label."""
        candidates: BoolArray = self.arc_scores > -np.inf
        assert self.labels is not None
        return LabelledArcs(candidates, self.labels, self.words)

    @cached_property
    def arc_weights(self) -> FloatArray:
        """The score of each labelled arc, float64 (decisions,)."""
        arcs = self.decisions
        return self.arc_scores[arcs.heads, arcs.modifiers, arcs.labels]

    @cached_property
    def factors(self) -> tuple[Factor | ConfigurationFactor, ...]:  # type: ignore[override]
        """All factors over labelled arcs, those made of `arc_factors` last."""
        made = (any_label(f, self.decisions) for f in self.arc_factors if not isinstance(f, BackboneFactor))
        return (*self.own_factors, *made)

    def restricted(self, heads: Any) -> LabelledParsingProblem:
        """Return the problem with fewer candidates.

        Parameters
        ----------
        heads : bool (n + 1, n + 1) or (n + 1, n + 1, labels)
            Candidates [head, modifier] to keep, or [head, modifier, label].
        """
        mask = np.asarray(heads)
        shapes = (self.arc_scores.shape[:2], self.arc_scores.shape)
        if mask.shape not in shapes or mask.dtype != np.bool_:
            raise InvalidProblem(
                f"heads has shape {mask.shape} and dtype {mask.dtype}, "
                f"expected booleans of shape {shapes[0]} or {shapes[1]}"
            )
        # A mask over arcs holds for all labels.
        mask = mask if mask.ndim == 3 else mask[:, :, None]
        return attrs.evolve(self, arc_scores=np.where(mask, self.arc_scores, -np.inf))

    # --- the role

    def value(self, structure: DependencyTree) -> float:
        """Return the sum of the scores, rounded once; -inf if an arc or a factor forbids the tree."""
        on_ids = self.encode(structure)
        parts = self.arc_weights[on_ids].tolist() + self.factor_set.value_parts(on_ids)
        parts += [factor.value(structure.heads) for factor in self.unlabelled.backbone_factors]
        return math.fsum(parts)

    def violations(self, structure: DependencyTree) -> Sequence[str]:
        """Check the tree without labels, then unknown or forbidden labels, then scores of -inf."""
        if not isinstance(structure, DependencyTree):
            return self._bare.violations(structure)
        if structure.labels is None:
            return ["the tree has no labels, and here each arc has one"]
        sentences = self._bare.violations(DependencyTree(structure.heads))
        if sentences:
            return sentences
        try:
            self.encode(structure)
        except InvalidProblem as error:
            return [str(error)]
        return ["a factor forbids this tree: its score is -inf"] if self.value(structure) == -math.inf else []

    @cached_property
    def _bare(self) -> ParsingProblem:
        """The problem of the trees themselves: no factors, and all scores 0."""
        scores = np.where(self.unlabelled.scores > -np.inf, 0.0, -np.inf)
        return ParsingProblem(scores, projective=self.projective, single_root=self.single_root, words=self.words)

    def encode(self, structure: DependencyTree) -> IntArray:
        """Return the labelled arc into each word, ascending."""
        if not isinstance(structure, DependencyTree) or structure.labels is None:
            raise InvalidProblem(f"the structure is {structure!r}, expected a DependencyTree with labels")
        if structure.heads.shape != (self.length,):
            raise InvalidProblem(f"{structure.heads.size} heads are given, a tree has {self.length}")
        if structure.heads.min() < 0 or structure.heads.max() > self.length:
            raise InvalidProblem(f"heads are {structure.heads.tolist()}, expected positions 0..{self.length}")
        names = {name: number for number, name in enumerate(self.decisions.label_names)}
        unknown = [name for name in structure.labels if name not in names]
        if unknown:
            raise InvalidProblem(f"the label {unknown[0]!r} is none of {', '.join(map(repr, names))}")
        labels = np.array([names[name] for name in structure.labels])
        ids: IntArray = self.decisions.index[structure.heads, np.arange(1, self.length + 1), labels]
        if ids.min() < 0:
            word = int(np.flatnonzero(ids < 0)[0])
            raise InvalidProblem(
                f"the {self.decisions.arcs.arc(structure.heads[word], word + 1)} with the label "
                f"{structure.labels[word]!r} is no candidate"
            )
        return ids

    def describe(self, structure: DependencyTree, words: Sequence[str] = ()) -> Names:
        """Return each word with its head and the label of the arc between them; see `DependencyTree.describe`."""
        return structure.describe(self.words or words)

    def decode(self, on_ids: IntArray) -> DependencyTree:
        """Return the tree of the given labelled arcs, one for each word."""
        arcs, ids = self.decisions, np.sort(np.asarray(on_ids, np.int64))
        if not np.array_equal(arcs.modifiers[ids], np.arange(1, self.length + 1)):
            raise InvalidProblem("these decisions do not give every word exactly one head and label")
        return DependencyTree(arcs.heads[ids], [arcs.label_names[label] for label in arcs.labels[ids]])

    def infeasibility(self) -> Sequence[str]:
        """Describe words without a candidate head."""
        return self.unlabelled.infeasibility()

    def backbone(self) -> Backbone[DependencyTree]:
        """Maximise over labels arc by arc, then over trees by the cheapest backbone for all factors."""
        trees, name = self._trees
        maximiser = TreeMaximiser(trees, backbone_for(trees, name))
        return Backbone(LabelledTreeMaximiser(maximiser, self.decisions), self.arc_weights)

    @cached_property
    def _trees(self) -> tuple[ParsingProblem, str]:
        """The trees without labels and with the factors that the backbone counts; the backbone's name."""
        # Factors over arcs that are no backbone factors are searched over labelled arcs, see `factors`.
        factors = self.unlabelled.backbone_factors
        trees = ParsingProblem(
            self.unlabelled.scores, factors=factors, projective=self.projective, single_root=self.single_root
        )
        return trees, backbone_needed(trees)

    def verifier_backbone_bounds(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
        """Bound the best label of each arc, then the trees, by the verifier's own recursions."""
        from gapless_dependency.proofs.backbones import TreeVerifier, labelled_bounds  # noqa: PLC0415  verifiers

        return labelled_bounds(self.decisions, TreeVerifier(*self._trees).bounds, weights, fixings)

    def linear_model(self) -> LinearModel:
        """As of `ParsingProblem`, with a column for each labelled arc.

        Raises
        ------
        NotImplementedError
            A `ConfigurationFactor` has no ``linear_form``, or there is a `BackboneFactor`.
        """
        for factor in self.unlabelled.backbone_factors:
            raise NotImplementedError(f"factor {factor.name} cannot be written into an integer program over arcs")
        # Arcs of different labels are parallel arcs of the same flow.
        arcs = cast("Arcs", self.decisions)
        return integer_program(arcs, self.arc_weights, self.factor_set, self.projective, self.single_root)

    # --- JSON

    def to_fields(self) -> dict[str, Any]:
        """Return the form in JSON: scores given by callables become tables of the parts of this sentence."""
        plain = self.decisions.arcs
        return {
            "arc_scores": self.arc_scores,
            "factors": list(self.own_factors),
            "arc_factors": [
                f.tabulated(plain) if isinstance(f, SupportsTabulation) else f for f in self.arc_factors
            ],
            "projective": self.projective,
            "single_root": self.single_root,
            "labels": None if self.labels is None else list(self.labels),
            "words": None if self.words is None else list(self.words),
        }

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> LabelledParsingProblem:
        """Build the problem from `to_fields`."""
        return cls(**fields)

    def __repr__(self) -> str:
        kind = "projective" if self.projective else "non-projective"
        named = ", ".join(f.name for f in (*self.own_factors, *self.arc_factors)) or "no factors"
        labels = len(self.decisions.label_names)
        return f"<LabelledParsingProblem: {self.length} words, {labels} labels, {kind}, {named}>"
