"""Reasons why a solve leaves the compiled search for the roles in Python, and the cost of that."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

import gapless_kernels
from gapless import Result
from gapless.roles import Factor, Solve
from gapless_dependency import DependencyTree, ParsingProblem

IN_PYTHON = "the search ran in Python, typically 10 to 150 times slower"
FACTORS_IN_PYTHON = "the search ran in Python, typically 50 to 300 times slower than with conjunctions alone"
"""Random scores, 10 to 30 words; see the reference page of split-bound."""


def reasons(problem: ParsingProblem, solve: Solve, backbone: str) -> list[str]:
    """Parts that the compiled search cannot take, a sentence for each; none where it can.

    It knows conjunctions over a first-order backbone; it does not count iterations as the roles do.
    """
    if not gapless_kernels.COMPILED:
        return [f"the compiled kernels are not in use (GAPLESS_PURE=1, or they were not built): {IN_PYTHON}"]
    found = []
    others = [factor for factor in problem.factors if not isinstance(factor, Factor)]
    needed = {type(factor).__name__ for factor in problem.backbone_factors}
    whole = sorted({type(factor).__name__ for factor in others} - needed)
    if whole:
        found.append(f"{' and '.join(whole)} {_has(whole)} no compiled form: {FACTORS_IN_PYTHON}")
    if backbone != "first":
        wanted = f"{' and '.join(sorted(needed))} {_needs(needed)}" if needed else "the option asked for"
        found.append(
            f"{wanted} the backbone {backbone!r}: its dynamic program is compiled, the search around it ran in "
            "Python; a step costs more, but the bounds are tighter"
        )
    if solve.budget.limits.iterations is not None and not found:
        found.append(
            f"Limits(iterations={solve.budget.limits.iterations}) counts steps that the compiled search does not: "
            f"{IN_PYTHON}; a limit on nodes or time leaves it compiled"
        )
    return found


def told(result: Result[DependencyTree], why: Sequence[str]) -> Result[DependencyTree]:
    """The result with these sentences at the head of its explanation."""
    if not why:
        return result
    return attrs.evolve(result, explanation=(*why, *result.explanation))


def _has(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _needs(names: set[str]) -> str:
    return "needs" if len(names) == 1 else "need"
