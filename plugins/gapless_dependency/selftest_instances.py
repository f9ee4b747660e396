"""Small random sentences, for ``gapless selftest``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from gapless.roles import Factor, SelftestInstances
from gapless.testing.random_factors import SCORES, TIERS, lazy_conjunctions, random_factors, random_scores
from gapless_dependency.enumeration import all_trees, best_trees
from gapless_dependency.labelled_problem import LabelledParsingProblem
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.random_problems import CONJUNCTIVE, FAMILIES, random_problem
from gapless_dependency.tree import DependencyTree

_FACTORS = ((), ("grandchild",), ("grandchild", "sibling"), CONJUNCTIVE, FAMILIES)


def random_sentence(rng: np.random.Generator) -> ParsingProblem:
    """Draw one to four words, projective or not, one root or several, few or all kinds of factors."""
    return random_problem(
        rng,
        int(rng.integers(1, 5)),
        projective=bool(rng.integers(2)),
        single_root=bool(rng.integers(2)),
        families=_FACTORS[int(rng.integers(len(_FACTORS)))],
        ties=bool(rng.integers(2)),
        forbidden=float(rng.choice([0.0, 0.0, 0.2, 0.5])),
        forbidden_parts=float(rng.choice([0.0, 0.0, 0.05])),
    )


def random_sentence_with_factors(rng: np.random.Generator) -> ParsingProblem:
    """Draw a sentence of at most four words, with factors of any tier and perhaps those of families."""
    bare = random_sentence(rng)
    families = bare.factors if rng.random() < 0.5 else ()
    return _with(bare, [*families, *random_factors(rng, bare.decisions)])


def _with(bare: ParsingProblem, factors: Sequence[Any]) -> ParsingProblem:
    return ParsingProblem(bare.scores, factors=factors, projective=bare.projective, single_root=bare.single_root)


def with_factors(bare: ParsingProblem, factors: Sequence[Any]) -> ParsingProblem:
    """Return the problem with `factors` added to its own."""
    return _with(bare, [*bare.factors, *factors])


def random_labelled(rng: np.random.Generator) -> LabelledParsingProblem:
    """Draw one to three words and up to three labels."""
    n = int(rng.integers(1, 4))
    # Fewer labels for three words keep the enumeration of labelled trees fast.
    labels = int(rng.integers(1, 4 if n < 3 else 3))
    scores = random_scores(rng, (n + 1) ** 2 * labels, SCORES[int(rng.integers(len(SCORES)))], 0.15)
    projective, single = bool(rng.integers(2)), bool(rng.integers(2))
    return LabelledParsingProblem(scores.reshape(n + 1, n + 1, labels), projective=projective, single_root=single)


def random_labelled_with_factors(rng: np.random.Generator) -> LabelledParsingProblem:
    """As `random_labelled`, with factors over labels and over arcs."""
    bare = random_labelled(rng)
    arcs = random_factors(rng, bare.unlabelled.decisions, most=2) if rng.random() < 0.3 else ()
    conjunctive = [factor for factor in arcs if isinstance(factor, Factor)]
    return attrs.evolve(bare, factors=random_factors(rng, bare.decisions), arc_factors=conjunctive)


def random_labelled_over_arcs(rng: np.random.Generator) -> LabelledParsingProblem:
    """As `random_labelled`, with conjunctions over arcs, some of them with upper bounds."""
    bare, scores = random_labelled(rng), ("ties", "normal")[int(rng.integers(2))]
    arcs = bare.unlabelled.decisions
    makers = (TIERS["pairs"], lazy_conjunctions, lazy_conjunctions)[int(rng.integers(3)) :] if arcs.count else ()
    return attrs.evolve(bare, arc_factors=[make(rng, arcs, scores) for make in makers])


def labelled_with_factors(bare: LabelledParsingProblem, factors: Sequence[Any]) -> LabelledParsingProblem:
    """Return the problem with `factors` added to its own over labels."""
    # Not `bare.factors`: that would count the factors over arcs a second time.
    return attrs.evolve(bare, factors=[*bare.own_factors, *factors])


def trees(problem: ParsingProblem) -> Iterator[DependencyTree]:
    """List all allowed trees."""
    every = (DependencyTree(heads) for heads in all_trees(problem.length, problem.projective, problem.single_root))
    return (tree for tree in every if not problem.violations(tree))


def labelled_trees(problem: LabelledParsingProblem) -> Iterator[DependencyTree]:
    """List all allowed trees with every choice of labels."""
    decisions, words = problem.decisions, range(1, problem.length + 1)
    by_arc: dict[tuple[int, int], list[int]] = {}
    for d, arc in enumerate(zip(decisions.heads.tolist(), decisions.modifiers.tolist(), strict=True)):
        by_arc.setdefault(arc, []).append(d)
    for heads in all_trees(problem.length, problem.projective, problem.single_root):
        choices = [by_arc.get((int(h), m), []) for h, m in zip(heads, words, strict=True)]
        for on_ids in itertools.product(*choices):
            tree = problem.decode(np.array(sorted(on_ids), np.int64))
            if not problem.violations(tree):
                yield tree


def named(problem: ParsingProblem | LabelledParsingProblem) -> str:
    """Name the kind of its trees."""
    label = ""
    if isinstance(problem, LabelledParsingProblem):
        label = "labelled " if not problem.arc_factors else "labelled, over arcs: "
    if problem.projective:
        return label + "projective parse"
    return label + ("parse with one root" if problem.single_root else "arborescence")


SPECIMENS = (
    SelftestInstances(
        ParsingProblem, random_sentence, best_trees, structures=trees, with_factors=with_factors, named=named
    ),
    SelftestInstances(ParsingProblem, random_sentence_with_factors, best_trees, factors=True),
    SelftestInstances(LabelledParsingProblem, random_labelled, structures=labelled_trees, named=named),
    SelftestInstances(
        LabelledParsingProblem,
        random_labelled_over_arcs,
        factors=True,
        structures=labelled_trees,
        with_factors=labelled_with_factors,
        named=named,
    ),
    SelftestInstances(LabelledParsingProblem, random_labelled_with_factors, factors=True),
)
