"""What `gapless` loads: the problem type ``parsing``, its factors, and the method for sums over arcs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gapless import Method, Problem, Registry, Specimens, hookimpl
from gapless_dependency import factors, first_order
from gapless_dependency.arc_diagram import draw_svg
from gapless_dependency.problem import ParsingProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register dependency parsing."""
    registry.problem("parsing", ParsingProblem)
    registry.method(
        Method(
            "first-order",
            ParsingProblem,
            first_order.run,
            "Eisner's algorithm or Chu-Liu-Edmonds, for sums over arcs (compiled)",
            k_best=True,
            run_many=first_order.run_many,
        )
    )
    for factor in (
        factors.Grandchild,
        factors.GreatGrandchild,
        factors.Sibling,
        factors.TriSibling,
        factors.Comb,
        factors.Pattern,
        factors.ArcConjunctions,
        factors.AnyOf,
        factors.Valency,
    ):
        registry.factor(factor)


@hookimpl
def gapless_draw(problem: Problem[Any], structure: Any, words: Sequence[str], against: Any) -> str | None:
    """Arcs over the words; those of the problem, or numbers, where the record has none."""
    if not isinstance(problem, ParsingProblem):
        return None
    count = len(structure.heads)
    named = next((given for given in (words, problem.words or ()) if len(given) == count), None)
    spelled = list(map(str, range(1, count + 1))) if named is None else named
    other = None if against is None else against.heads.tolist()
    return draw_svg(spelled, structure.heads.tolist(), labels=structure.labels or (), gold=other)


@hookimpl
def gapless_specimens() -> Sequence[Specimens]:
    """Small random sentences."""
    from gapless_dependency.specimens import SPECIMENS  # noqa: PLC0415  brute force: loaded only when asked for

    return SPECIMENS
