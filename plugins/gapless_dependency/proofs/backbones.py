"""By the name of a backbone: the factors that it counts itself, and the bounds on trees that count them as well."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.core.proofs.raised import raised
from gapless.core.sparse import FloatArray
from gapless.roles import Factor
from gapless_dependency.factors import (
    AdjacentSibling,
    BackboneFactor,
    Grandchild,
    GrandSibling,
    OutermostGrandchild,
)
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.proofs import grand_siblings, outermost_grandchildren, spans
from gapless_dependency.proofs.entered_sets import arborescence_bounds

Bounds = Callable[..., tuple[float, FloatArray]]
"""From weights [head, modifier] to a bound on all trees and, unless ``through=False``, on those with each arc."""

_COUNTED: dict[str, tuple[type[BackboneFactor] | type[Grandchild], ...]] = {
    "first": (),
    "sibling": (AdjacentSibling,),
    "carreras": (AdjacentSibling, OutermostGrandchild),
    "grand-sibling": (AdjacentSibling, Grandchild, GrandSibling),
}


@attrs.frozen(eq=False)
class Judge:
    """Bounds on trees under any arc weights and the scores of some factors of a problem.

    `counted`: those whose scores are in every bound. `bounds`: see `Bounds`. Rounding is counted: sums of the exact
    weights do not exceed the bounds.
    """

    counted: tuple[Factor | BackboneFactor, ...]
    bounds: Bounds


def judge_of(problem: ParsingProblem, backbone: str) -> Judge:
    """The check of bounds over that backbone. No backbone's code is used, nor its word on what it counts.

    Raises `InvalidProblem`: there is no such backbone, or none for trees with crossing arcs, or a factor that it
    cannot count.
    """
    if backbone not in _COUNTED or (backbone != "first" and not problem.projective):
        kind = "projective" if problem.projective else "non-projective"
        raise InvalidProblem(f"there is no backbone {backbone!r} of {kind} trees")
    kinds = _COUNTED[backbone]
    for factor in problem.backbone_factors:
        if not any(_is(factor, kind) for kind in kinds):
            raise InvalidProblem(f"the proof over backbone {backbone!r} cannot count the factor {factor.name}")
    counted = tuple(f for f in problem.factors if isinstance(f, Factor | BackboneFactor) and isinstance(f, kinds))
    single_root = problem.single_root
    if not problem.projective:
        return Judge(counted, partial(arborescence_bounds, single_root=single_root))
    if backbone == "first":
        return Judge(counted, partial(spans.through_every_arc, single_root=single_root))
    sibling = _total(problem, AdjacentSibling)
    if backbone == "carreras":
        through = partial(
            outermost_grandchildren.through_every_arc,
            sibling=sibling,
            grandchild=_total(problem, OutermostGrandchild),
            single_root=single_root,
        )
        return Judge(counted, through)
    through = partial(
        grand_siblings.through_every_arc,
        grandchild=_grandchildren(problem) if backbone == "grand-sibling" else None,
        sibling=sibling,
        grand_sibling=_total(problem, GrandSibling),
        single_root=single_root,
    )
    return Judge(counted, through)


def _is(factor: BackboneFactor, kind: type[BackboneFactor] | type[Grandchild]) -> bool:
    """Whether a factor scores as its kind says: a subclass may see other parts."""
    if not issubclass(kind, BackboneFactor) or not isinstance(factor, kind):
        return False
    return type(factor).parts is kind.parts and type(factor).value is kind.value


def _total(problem: ParsingProblem, kind: type[BackboneFactor]) -> FloatArray | None:
    """The sum of the scores of a kind, raised by what the sum may round away."""
    given = [factor.scores for factor in problem.backbone_factors if isinstance(factor, kind)]
    if len(given) < 2:
        return given[0] if given else None
    total: FloatArray = np.zeros(given[0].shape)
    for scores in given:
        total += raised(scores, len(given))
    return total


def _grandchildren(problem: ParsingProblem) -> FloatArray | None:
    """The scores of all chains of two arcs [grandparent, head, modifier], raised as in `_total`."""
    given = [scored for scored in problem.conjunctions if isinstance(scored.factor, Grandchild)]
    if not given:
        return None
    arcs, size = problem.decisions, problem.length + 1
    times = np.zeros((size,) * 3, np.int64)
    cells = []
    for scored in given:
        upper, lower = (scored.scopes[:, 0], scored.scopes[:, 1]) if scored.scopes.size else (np.zeros(0, int),) * 2
        if scored.scopes.size and (
            scored.scopes.shape[1] != 2 or np.any(arcs.modifiers[upper] != arcs.heads[lower])
        ):
            raise InvalidProblem(f"the factor {scored.factor.name} scores sets of arcs that are no chains of two")
        cells.append((arcs.heads[upper], arcs.heads[lower], arcs.modifiers[lower]))
        np.add.at(times, cells[-1], 1)
    total = np.zeros(times.shape)
    for scored, cell in zip(given, cells, strict=True):
        np.add.at(total, cell, raised(scored.all_scores(), int(times.max())))
    return total
