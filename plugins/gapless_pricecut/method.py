"""The methods ``lp-full`` and ``price-and-cut``: linear relaxations, rounded and not branched."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from gapless import Result, Solve, UnknownOption
from gapless.plugins.registry import nearest
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.delayed import Delayed
from gapless_pricecut.full import Full
from gapless_pricecut.paper import Paper
from gapless_pricecut.program import ROW_SETS
from gapless_pricecut.relaxed_result import solve_relaxation

VARIANTS = ("default", "paper")
TREES = ("cut-sets", "flow")


def full(
    problem: ParsingProblem, solve: Solve, *, rows: str = "lean", tree: str = "cut-sets"
) -> Result[DependencyTree]:
    """The whole relaxation in one linear program (the brute force of section 6).

    Parameters
    ----------
    rows : {"lean", "all", "arcgp-gparc", "onegp-nogp"}
        What ties pairs in groups to their arcs, see `ROW_SETS`.
    tree : {"cut-sets", "flow"}
        What makes arcs a tree: cut-sets, found when violated, or a single-commodity flow (section 3.1).

    Raises
    ------
    UnknownOption
        Other names.
    InvalidProblem
        A factor that is no conjunction, or an infeasible start tree.
    """
    one_of("rows", rows, ROW_SETS)
    one_of("tree", tree, TREES)
    return solve_relaxation(problem, solve, partial(Full, rows=ROW_SETS[rows], flow=tree == "flow"))


def price_and_cut(
    problem: ParsingProblem, solve: Solve, *, variant: str = "default", fix: bool = True
) -> Result[DependencyTree]:
    """The relaxation with delayed columns and rows.

    Parameters
    ----------
    variant : {"default", "paper"}
        Joint pricing over cut-sets and lean rows, or algorithm 1 as printed.
    fix : bool
        Whether the default variant drops arcs that no better tree has, and stops once the bound meets the tree.

    Raises
    ------
    UnknownOption
        An unknown variant.
    InvalidProblem
        A factor that is no conjunction, or an infeasible start tree.
    """
    one_of("variant", variant, VARIANTS)
    return solve_relaxation(problem, solve, Paper if variant == "paper" else partial(Delayed, fix=fix))


def one_of(name: str, value: str, known: Iterable[str]) -> None:
    """Raise `UnknownOption` unless an option has a known value."""
    names = list(known)
    if value not in names:
        raise UnknownOption(
            f"{name} is {value!r}{nearest(str(value), names)}; it must be one of: {', '.join(names)}"
        )
