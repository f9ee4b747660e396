"""The best dependency tree of a sentence under arc scores and higher-order factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem, Problem
from gapless.arrays.score_array import bracketed, check_scores, score_array
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import ROUNDING, off_grid
from gapless.factors.factor_json import written_factors
from gapless.factors.factor_set import FactorSet
from gapless.problems.names import Names
from gapless.roles import ConfigurationFactor, Factor, LinearModel, ScoredFactor, serialisable
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors.backbone_factor import BackboneFactor
from gapless_dependency.factors.part_factor import PartFactor
from gapless_dependency.granularity import check_granularity
from gapless_dependency.integer_program import integer_program
from gapless_dependency.tree import DependencyTree, crossing, cycle


def _scores(values: Any) -> FloatArray:
    array = score_array(values, "arc_scores")
    if array.ndim not in (2, 3) or array.shape[0] != array.shape[1] or array.shape[0] < 2 or 0 in array.shape:
        raise InvalidProblem(
            f"arc_scores has shape {array.shape}, expected (n + 1, n + 1) or (n + 1, n + 1, labels) "
            "with n >= 1 words; rows are heads, row 0 is the root"
        )
    check_scores(array, bracketed("arc_scores"))
    return array


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InvalidProblem(f"{name} is {value!r}, expected True or False")
    return bool(value)


def _texts(values: Any, name: str) -> tuple[str, ...]:
    """Words, or names of labels; one string would count as its letters."""
    try:
        texts = () if isinstance(values, str | bytes) else tuple(values)
    except TypeError as error:
        raise InvalidProblem(f"{name} is {values!r}, expected a sequence of strings") from error
    # A string is a sequence of strings, too: its letters.
    if isinstance(values, str | bytes) or not all(isinstance(text, str) for text in texts):
        wrong = values if isinstance(values, str | bytes) else next(t for t in texts if not isinstance(t, str))
        raise InvalidProblem(f"{name} holds {wrong!r}, expected a sequence of strings")
    return tuple(map(str, texts))


def _candidates(heads: Any, shape: tuple[int, ...]) -> BoolArray:
    mask = np.asarray(heads)
    if mask.shape != shape or mask.dtype != np.bool_:
        raise InvalidProblem(
            f"heads has shape {mask.shape} and dtype {mask.dtype}, expected booleans of shape {shape}"
        )
    return mask


def _tree(structure: Any) -> DependencyTree:
    if not isinstance(structure, DependencyTree):
        raise InvalidProblem(
            f"the structure is a {type(structure).__name__}, expected a DependencyTree: make one of the heads "
            "of the words 1..n by problem.tree(heads)"
        )
    return structure


@serialisable("gapless_dependency.ParsingProblem")
@attrs.frozen(eq=False, slots=False, repr=False, init=False)
class ParsingProblem(Problem[DependencyTree]):
    """Maximise the scores of a tree's arcs and of the factors that fire in it.

    Parameters
    ----------
    arc_scores : (n + 1, n + 1) or (n + 1, n + 1, labels) array of numbers
        Score of the arc [head, modifier]; 0 is the root, -inf forbids. The diagonal and column 0 count nowhere.
        With a third axis the best label of each arc counts, and the solution remembers it.
    factors : sequence of Factor, ConfigurationFactor or BackboneFactor
        Scores of sets of arcs, see `gapless_dependency.factors`.
    projective : bool
        Whether no two arcs may cross, the arcs from the root at position 0 included.
    single_root : bool
        Whether exactly one word is headed by the root; otherwise at least one is.
    heads : bool (n + 1, n + 1), optional
        Candidate heads [head, modifier]; others are forbidden.
    labels : sequence of str, optional
        Names of the labels along the third axis.
    words : sequence of n str, optional
        For messages and drawings.
    granularity : float, optional
        If every tree's score is a multiple of this number, bounds are rounded down to one. Scores that are no
        multiples are refused: those of conjunctions when they are looked at, all others at once.
        A `ConfigurationFactor` of your own needs a method ``possible_values()`` beside it.

    Attributes
    ----------
    scores : float64 (n + 1, n + 1)
        Of the best label; -inf where there is no arc. Read-only.

    Raises
    ------
    InvalidProblem
        Wrong shape, not real numbers, NaN, plus infinity, beyond 1e12, no multiple of the granularity, flags that
        are no booleans, words that are no strings; the message names array and index.

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> result = gl.solve(ParsingProblem(scores))
    >>> result.best.heads, result.value
    (array([2, 0, 2]), 12.0)
    """

    scores: FloatArray
    factors: tuple[Factor | ConfigurationFactor | BackboneFactor, ...]
    projective: bool
    single_root: bool
    words: tuple[str, ...] | None
    granularity: float | None
    best_label: IntArray | None
    label_names: tuple[str, ...] | None

    def __init__(
        self,
        arc_scores: Any,
        *,
        factors: Sequence[Factor | ConfigurationFactor | BackboneFactor] = (),
        projective: bool = False,
        single_root: bool = True,
        heads: Any = None,
        labels: Sequence[str] | None = None,
        words: Sequence[str] | None = None,
        granularity: float | None = None,
    ) -> None:
        scores = _scores(arc_scores)
        best_label = None
        if scores.ndim == 3:
            # Factors see arcs only, so the best label of each arc is optimal with it (compare
            # `LabelledParsingProblem`).
            best_label = scores.argmax(axis=2)
            best_label.flags.writeable = False
            names = tuple(map(str, range(scores.shape[2]))) if labels is None else _texts(labels, "labels")
            if len(names) != scores.shape[2]:
                raise InvalidProblem(f"labels holds {len(names)} names, but arc_scores scores {scores.shape[2]}")
            scores = scores.max(axis=2)
        elif labels is not None:
            raise InvalidProblem("labels are given, but arc_scores has no axis for them")
        else:
            names = None
        # A word cannot head itself, and the root has no head.
        np.fill_diagonal(scores, -np.inf)
        scores[:, 0] = -np.inf
        if heads is not None:
            scores[~_candidates(heads, scores.shape)] = -np.inf
        scores.flags.writeable = False
        forms = None if words is None else _texts(words, "words")
        if forms is not None and len(forms) != len(scores) - 1:
            raise InvalidProblem(f"words holds {len(forms)} words, but arc_scores has {len(scores) - 1}")
        try:
            listed = tuple(factors)  # before anything looks at them: a generator can be read once
        except TypeError as error:
            raise InvalidProblem(f"factors is {factors!r}, expected a sequence of factors") from error
        for number, factor in enumerate(listed):
            if isinstance(factor, PartFactor | BackboneFactor):
                factor.check_length(len(scores) - 1)
            elif not isinstance(factor, Factor | ConfigurationFactor):
                raise InvalidProblem(
                    f"factors[{number}] is {factor!r}, expected a Factor, a ConfigurationFactor or a BackboneFactor"
                )
        if granularity is not None:
            check_granularity(granularity, scores, listed)
        self.__attrs_init__(
            scores,
            listed,
            _flag(projective, "projective"),
            _flag(single_root, "single_root"),
            forms,
            granularity,
            best_label,
            names,
        )

    def restricted(self, heads: Any) -> ParsingProblem:
        """Return the problem with fewer candidate heads; scores, factors and best labels stay.

        Parameters
        ----------
        heads : bool (n + 1, n + 1)
            [head, modifier], which of the candidates to keep.
        """
        scores = np.where(_candidates(heads, self.scores.shape), self.scores, -np.inf)
        scores.flags.writeable = False
        # Past __init__, which would check, copy and convert all scores again.
        fewer = object.__new__(type(self))
        fewer.__attrs_init__(
            scores,
            self.factors,
            self.projective,
            self.single_root,
            self.words,
            self.granularity,
            self.best_label,
            self.label_names,
        )
        return fewer

    # --- derived

    @property
    def length(self) -> int:
        """The number of words, n."""
        return len(self.scores) - 1

    @cached_property
    def decisions(self) -> Arcs:
        """One decision for each candidate arc."""
        candidates: BoolArray = self.scores > -np.inf
        return Arcs(candidates, self.words)

    @cached_property
    def arc_weights(self) -> FloatArray:
        """The score of each arc, float64 (arcs,)."""
        return self.scores[self.decisions.heads, self.decisions.modifiers]

    @cached_property
    def factor_set(self) -> FactorSet:
        """The factors over this sentence's arcs, less those that only a backbone counts."""
        return FactorSet(self.factors, self.decisions, self.granularity, counted=(BackboneFactor,))

    @property
    def factors_beyond_backbone(self) -> FactorSet:
        """As `factor_set`: a backbone of trees leaves nothing out."""
        return self.factor_set

    @property
    def conjunctions(self) -> tuple[ScoredFactor, ...]:
        """The factors that are conjunctions, over this sentence's arcs, in the order given."""
        return self.factor_set.conjunctions

    @property
    def configurations(self) -> tuple[tuple[ConfigurationFactor, IntArray], ...]:
        """The factors over configurations of arcs, each with the arcs that it looks at."""
        return self.factor_set.configurations

    @cached_property
    def backbone_factors(self) -> tuple[BackboneFactor, ...]:
        """The factors that only a higher-order dynamic program can take, see `gapless_dependency.backbones`."""
        return tuple(f for f in self.factors if isinstance(f, BackboneFactor))

    # --- the role

    def value(self, structure: DependencyTree) -> float:
        """Return the sum of the scores, rounded once; -inf if an arc or a factor forbids the tree."""
        on_ids = self.encode(structure)
        # One exactly rounded sum: a value that depended on the order of factors could not be compared with bounds.
        parts = self.arc_weights[on_ids].tolist() + self.factor_set.value_parts(on_ids)
        parts += [factor.value(structure.heads) for factor in self.backbone_factors]
        total = math.fsum(parts)
        if self.granularity is not None and off_grid(np.array([total]), self.granularity, ROUNDING)[0]:
            raise InvalidProblem(f"a tree scores {total}, no multiple of the granularity {self.granularity:g}")
        return total

    def violations(self, structure: DependencyTree) -> Sequence[str]:
        """Describe wrong lengths, heads that are no candidates, cycles, several roots and crossing arcs."""
        heads = _tree(structure).heads
        if heads.shape != (self.length,):
            return [f"the tree has {heads.size} words, the sentence has {self.length}"]
        outside = np.flatnonzero((heads < 0) | (heads > self.length))
        if outside.size:
            return [f"{self._word(i + 1)} has head {heads[i]}, expected 0..{self.length}" for i in outside.tolist()]
        missing = np.flatnonzero(self.decisions.index[heads, np.arange(1, self.length + 1)] < 0)
        sentences = [f"the {self.decisions.arc(heads[i], i + 1)} is no candidate" for i in missing.tolist()]
        sentences += self._mislabelled(structure)
        loop = cycle(heads)
        if loop:
            sentences.append("the heads run in a circle: " + " -> ".join(map(self._form, loop)))
        roots = (np.flatnonzero(heads == 0) + 1).tolist()
        if self.single_root and len(roots) > 1:
            several = ", ".join(map(self._form, roots))
            sentences.append(f"words [{several}] are all headed by the root, only one may be")
        if self.projective:
            pair = crossing(heads)
            if pair is not None:
                (a, b), (c, d) = [(self._form(head), self._form(word)) for head, word in pair]
                sentences.append(f"the arcs {a} -> {b} and {c} -> {d} cross")
        # Factors are scored only for trees: a scorer may assume one.
        if not sentences and self.value(structure) == -math.inf:
            sentences += self.factor_set.violations(self.encode(structure))
            sentences = sentences or ["a factor forbids this tree: its score is -inf"]
        return sentences

    def encode(self, structure: DependencyTree) -> IntArray:
        """Return the arc into each word, ascending."""
        heads = _tree(structure).heads
        self._check_heads(heads)
        ids: IntArray = self.decisions.index[heads, np.arange(1, self.length + 1)]
        if min(ids.tolist()) < 0:
            word = int(np.flatnonzero(ids < 0)[0])
            raise InvalidProblem(f"the {self.decisions.arc(heads[word], word + 1)} is no candidate")
        mislabelled = self._mislabelled(structure)
        if mislabelled:
            raise InvalidProblem(mislabelled[0])
        return ids

    def _mislabelled(self, structure: DependencyTree) -> list[str]:
        """Describe arcs whose label is not the best one, the only one with a score; trees may omit labels."""
        if self.best_label is None or structure.labels is None:
            return []
        return [
            f"the {self.decisions.arc(head, word)} has the label {label!r}, but only its best one, {best!r}, "
            "has a score here"
            for word, (head, label, best) in enumerate(
                zip(structure.heads, structure.labels, self._labels(structure.heads), strict=True), start=1
            )
            if label != best
        ]

    def decode(self, on_ids: IntArray) -> DependencyTree:
        """Return the tree of the given arcs, one for each word."""
        ids = np.array(on_ids, np.int64)
        ids.sort()
        if self.decisions.modifiers[ids].tolist() != list(range(1, self.length + 1)):
            raise InvalidProblem("these arcs do not give every word exactly one head")
        return self.tree(self.decisions.heads[ids])

    def tree(self, heads: Any) -> DependencyTree:
        """Return the tree with these heads of the words 1..n, and the best label of each arc if there are labels.

        `violations` checks that it is a tree, and feasible.
        """
        bare = DependencyTree(heads)
        self._check_heads(bare.heads)
        if self.best_label is None:
            return bare
        return DependencyTree(bare.heads, self._labels(bare.heads))

    def _check_heads(self, heads: IntArray) -> None:
        if heads.shape != (self.length,):
            raise InvalidProblem(f"{heads.size} heads are given, a tree of this sentence has {self.length}")
        if not 0 <= min(given := heads.tolist()) <= max(given) <= self.length:
            word = int(np.flatnonzero((heads < 0) | (heads > self.length))[0])
            raise InvalidProblem(f"the head of {self._word(word + 1)} is {heads[word]}, expected 0..{self.length}")

    def _word(self, position: int) -> str:
        return f"word {position}" if self.words is None else f"word {position} ({self.words[position - 1]})"

    def _form(self, position: int) -> str:
        """Return the number of a word, with the word itself if it is known."""
        return str(position) if self.words is None or not position else f"{position} ({self.words[position - 1]})"

    def _labels(self, heads: IntArray) -> list[str]:
        """Return the best label of each arc."""
        assert self.best_label is not None
        assert self.label_names is not None
        labels = self.best_label[heads, np.arange(1, self.length + 1)]
        return [self.label_names[i] for i in labels]

    def describe(self, structure: DependencyTree, words: Sequence[str] = ()) -> Names:
        """Return each word with its head and, if labelled, the label of the arc; see `DependencyTree.describe`."""
        labelled = structure if structure.labels is not None else self.tree(structure.heads)
        return labelled.describe(self.words or words)

    def drift(self, structures: Sequence[DependencyTree]) -> tuple[int, str] | None:
        """Return the number of a tree whose score by a conjunction changes between calls, and a message."""
        return self.factor_set.drift([self.encode(structure) for structure in structures])

    def infeasibility(self) -> Sequence[str]:
        """Describe words without a candidate head."""
        first = self.decisions.first
        has_heads = first[2:] > first[1:-1]
        if has_heads.all():
            return ()
        empty = (np.flatnonzero(~has_heads) + 1).tolist()
        return [f"{self._word(m)} has no candidate head: every arc to it is -inf or masked" for m in empty]

    def linear_model(self) -> LinearModel:
        """Build an integer program over arcs and factors, see `gapless_dependency.integer_program`.

        Raises
        ------
        NotImplementedError
            A factor has too many configurations and no ``linear_form``, or there is a `BackboneFactor`.
        """
        for factor in self.backbone_factors:
            raise NotImplementedError(f"factor {factor.name} cannot be written into an integer program over arcs")
        return integer_program(
            self.decisions,
            self.arc_weights,
            self.factor_set,
            self.projective,
            self.single_root,
        )

    # --- JSON

    def to_fields(self) -> dict[str, Any]:
        """Return the form in JSON: scores given by callables become tables of the parts of this sentence."""
        return {
            "arc_scores": self.scores,
            "factors": written_factors(self) or [],
            "projective": self.projective,
            "single_root": self.single_root,
            "words": None if self.words is None else list(self.words),
            "granularity": self.granularity,
            "best_label": self.best_label,
            "label_names": None if self.label_names is None else list(self.label_names),
        }

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> ParsingProblem:
        """Build the problem from `to_fields`."""
        best_label, names = fields.pop("best_label"), fields.pop("label_names")
        problem = cls(**fields)
        if best_label is None:
            return problem
        if best_label.shape != problem.scores.shape or not 0 <= best_label.min() <= best_label.max() < len(names):
            raise InvalidProblem(f"best_label must hold numbers below {len(names)}, shape {problem.scores.shape}")
        # The stored scores are those of the best labels: they have no third axis from which to find these again.
        object.__setattr__(problem, "best_label", best_label)
        object.__setattr__(problem, "label_names", tuple(names))
        return problem

    def __repr__(self) -> str:
        kind = "projective" if self.projective else "non-projective"
        named = ", ".join(f.name for f in self.factors) or "no factors"
        return f"<ParsingProblem: {self.length} words, {self.decisions.count} arcs, {kind}, {named}>"
