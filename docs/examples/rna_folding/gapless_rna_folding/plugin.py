"""The entry point: a problem type with a backbone, and nothing to solve it; the search does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.factors import Cardinality
from gapless.roles import Registry, Specimens, hookimpl
from gapless_rna_folding.drawing import draw_folding
from gapless_rna_folding.factors import Stacking
from gapless_rna_folding.problem import FoldingProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Called once, when gapless loads plug-ins."""
    registry.problem("rna-folding", FoldingProblem)


@hookimpl
def gapless_draw(problem: gl.Problem[Any], structure: Any, words: Sequence[str]) -> str | None:
    """Called by reports for each structure; None leaves the drawing to others."""
    return draw_folding(problem, structure) if isinstance(problem, FoldingProblem) else None


@hookimpl
def gapless_specimens() -> Sequence[Specimens]:
    """Instances for ``gapless selftest``, which enumerates sets of pairs: at most seven bases."""

    def draw(rng: np.random.Generator) -> FoldingProblem:
        sequence = "".join(rng.choice(list("ACGU"), int(rng.integers(1, 8))))
        plain = FoldingProblem(sequence, least_loop=int(rng.integers(0, 3)))
        few = Cardinality.at_most(range(plain.decisions.count), int(rng.integers(0, 4)))
        return attrs.evolve(plain, factors=(Stacking(), few)[: int(rng.integers(0, 3))])

    return [Specimens(FoldingProblem, draw)]
