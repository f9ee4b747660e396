"""The plug-in ``dependency``: parsing with and without labels, their factors, and the method for sums over arcs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gapless.plugins import Method, NamedStructure, SelftestInstances, hookimpl, is_a, table

PARSING = "gapless_dependency.problem:ParsingProblem"
LABELLED = "gapless_dependency.labelled_problem:LabelledParsingProblem"

# fmt: off
gapless_register = table(
    problems={"parsing": PARSING, "labelled-parsing": LABELLED},
    methods=(
        Method("first-order", PARSING, "gapless_dependency.first_order:run",
               "Eisner's algorithm or Chu-Liu-Edmonds, for sums over arcs (compiled)",
               k_best=True, run_many="gapless_dependency.first_order:run_many"),
    ),
    factors={
        "grandchild": "gapless_dependency.factors.arc_family:Grandchild",
        "great-grandchild": "gapless_dependency.factors.arc_family:GreatGrandchild",
        "sibling": "gapless_dependency.factors.arc_family:Sibling",
        "tri-sibling": "gapless_dependency.factors.arc_family:TriSibling",
        "comb": "gapless_dependency.factors.comb:Comb",
        "pattern": "gapless_dependency.factors.pattern:Pattern",
        "conjunction": "gapless_dependency.factors.arc_conjunctions:ArcConjunctions",
        "any-of": "gapless_dependency.factors.any_of:AnyOf",
        "valency": "gapless_dependency.factors.valency:Valency",
    },
    maximisers={
        "dependency-tree": "gapless_dependency.tree_maximiser:TreeMaximiser",
        "labelled-tree": "gapless_dependency.tree_maximiser:LabelledTreeMaximiser",
    },
)
# fmt: on


@hookimpl
def gapless_draw(problem: Any, structure: Any, words: Sequence[str], against: Any) -> str | None:
    """Draw arcs over the words; those of the problem, or numbers, where the record has none."""
    if not (is_a(problem, PARSING) or is_a(problem, LABELLED)):
        return None
    from gapless_dependency.arc_diagram import draw_svg  # noqa: PLC0415  imported when it is asked for

    count = len(structure.heads)
    named = next((candidates for candidates in (words, problem.words or ()) if len(candidates) == count), None)
    spelled = list(map(str, range(1, count + 1))) if named is None else named
    other = None if against is None else against.heads.tolist()
    return draw_svg(spelled, structure.heads.tolist(), labels=structure.labels or (), gold=other)


@hookimpl
def gapless_named_structure(problem: Any, structure: Any) -> NamedStructure | None:
    """Return the head of each word, and the label of its arc where arcs have labels."""
    if not (is_a(problem, PARSING) or is_a(problem, LABELLED)):
        return None
    heads = structure.heads.tolist()
    return NamedStructure("arcs", structure.labels or [""] * len(heads), heads)


@hookimpl
def gapless_selftest_instances() -> Sequence[SelftestInstances]:
    """Return generators of small random sentences."""
    from gapless_dependency.selftest_instances import SPECIMENS  # noqa: PLC0415  brute force: imported when it is asked for

    return SPECIMENS
