"""The entry point: a problem type with a backbone and no method; the generic search solves it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.factors import Cardinality
from gapless.roles import Registry, SelftestInstances, hookimpl
from gapless_rna_folding.drawing import draw_folding
from gapless_rna_folding.factors import Stacking
from gapless_rna_folding.problem import FoldingProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register the plug-in; gapless calls this once, when it loads plug-ins."""
    registry.problem("rna-folding", FoldingProblem)


@hookimpl
def gapless_draw(problem: gl.Problem[Any], structure: Any, words: Sequence[str]) -> str | None:
    """Draw a structure for a report; return None to leave the drawing to other plug-ins."""
    return draw_folding(problem, structure) if isinstance(problem, FoldingProblem) else None


@hookimpl
def gapless_selftest_instances() -> Sequence[SelftestInstances]:
    """Return instances that ``gapless selftest`` can enumerate: at most seven bases."""

    def draw(rng: np.random.Generator) -> FoldingProblem:
        sequence = "".join(rng.choice(list("ACGU"), int(rng.integers(1, 8))))
        plain = FoldingProblem(sequence, least_loop=int(rng.integers(0, 3)))
        few = Cardinality.at_most(range(plain.decisions.count), int(rng.integers(0, 4)))
        return attrs.evolve(plain, factors=(Stacking(), few)[: int(rng.integers(0, 3))])

    return [SelftestInstances(FoldingProblem, draw)]
