"""Rules for a `Relaxation`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from gapless.arrays.tolerance import INTEGRAL, round_bound, score_tolerance
from gapless.certificates.certificate import NoCertificate
from gapless.certificates.tree_certificate import TreeCertificate
from gapless.decisions.branch import Branch, in_words
from gapless.decisions.decisions import OFF, ON, Fixings
from gapless.limits.limits import Limits, SolveBudget
from gapless.problems.problem import Problem, score_of
from gapless.testing.certificate import check_proofs
from gapless.testing.conformance import Check, best_score, dominates, sample_fixings
from gapless.testing.enumeration import Feasible, given_or_enumerated
from gapless.tree_search.relaxation import Relaxation, RelaxationResult

S = TypeVar("S")


def check_relaxation(
    make_relaxation: Callable[[], Relaxation[S]],
    problem: Problem[S],
    *,
    structures: Iterable[S] | None = None,
    samples: int = 20,
    seed: int = 0,
) -> None:
    """Check bounds, points, fixings, tightenings, warm starts, certificates and limits of a relaxation.

    Certificates are compared with enumeration and forged; see `check_certificate`.

    Parameters
    ----------
    make_relaxation : callable
        Makes a new relaxation of `problem`.
    problem : Problem
        Small enough to enumerate, unless `structures` are given.
    structures : iterable of S, optional
        All feasible structures, instead of enumerating the assignments of decisions.
    samples : int
        Number of fixings to try.
    seed : int
    """
    found = given_or_enumerated(problem, structures)
    on_sets = [f.on_ids for f in found]
    used = make_relaxation()
    check = Check(used)
    parent: Any = None
    for fixings in sample_fixings(problem.decisions, on_sets, samples, seed):
        at, here = check.at(str(fixings)), best_score(found, fixings)
        allowed = sorted((f.score for f in found if fixings.allows(f.on_ids)), reverse=True)
        rule = "solve returns a RelaxationResult"
        relaxed = at.call(rule, make_relaxation().solve, fixings, SolveBudget())
        at.require(isinstance(relaxed, RelaxationResult), rule, repr(relaxed))
        _check_one(check, problem, found, fixings, relaxed, -math.inf)
        check_proofs(relaxed.certificate, problem, found, samples=2, forgeries=4, seed=seed)
        twin = make_relaxation().solve(fixings, SolveBudget())
        is_same = relaxed.bound == twin.bound and _same_point(relaxed.point, twin.point)
        at.require(is_same, "two fresh relaxations answer alike", f"{relaxed.bound!r} and {twin.bound!r}")
        for incumbent in (allowed[-1], here - 1.0, here, here + 1.0) if allowed else (0.0,):
            rule = "solve takes an incumbent and the state of another node"
            warm = at.call(rule, used.solve, fixings, SolveBudget(), incumbent=incumbent, state=parent)
            _check_one(check, problem, found, fixings, warm, incumbent)
        parent = relaxed.state
        _check_limits(at, make_relaxation, fixings, here)


def _same_point(a: np.ndarray[Any, Any] | None, b: np.ndarray[Any, Any] | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)


def _check_one(
    check: Check,
    problem: Problem[S],
    found: list[Feasible[S]],
    fixings: Fixings,
    relaxed: RelaxationResult[S],
    incumbent: float,
) -> None:
    best = best_score(found, fixings)
    at = check.at(f"{fixings}, incumbent {incumbent:g}")
    at.require(not math.isnan(relaxed.bound), "a bound is never NaN")
    at.require_bound(relaxed.bound, best, "the bound dominates every feasible value")
    at.require(
        dominates(relaxed.bound, relaxed.primal_value),
        "what is attained lies below the bound",
        f"{relaxed.primal_value!r} is above {relaxed.bound!r}",
    )
    point = relaxed.point
    if point is not None:
        inside = point.shape == (problem.decisions.count,) and np.all(
            (point >= -INTEGRAL) & (point <= 1 + INTEGRAL)
        )
        at.require(inside, "a point has a number in [0, 1] for each decision", str(point))
        wrong = np.flatnonzero(
            ((fixings.state == ON) & (point < 1 - INTEGRAL)) | ((fixings.state == OFF) & (point > INTEGRAL))
        )
        respects = relaxed.bound == -math.inf or not wrong.size
        at.require(respects, "the point respects the fixings", f"decisions {wrong.tolist()} of {point}")
    _check_tightenings(at, problem, found, fixings, relaxed, incumbent)
    if not isinstance(relaxed.certificate, NoCertificate):
        tree = TreeCertificate((-1,), (Branch(),), {"0": relaxed.certificate}, {"0": relaxed.tightenings})
        verdict = at.call("a certificate can be verified", tree.verify, problem, fixings)
        at.require(verdict, "a certificate holds", f"{verdict.location}: {verdict.reason}")
        at.require_bound(verdict.bound, best, "a certificate proves nothing false", "it proves")
        at.require(
            dominates(relaxed.bound, round_bound(verdict.bound, problem.granularity)),
            "the certificate proves the bound",
            f"it proves {verdict.bound!r}, the bound is {relaxed.bound!r}"
            + _weak_tightening(problem, fixings, relaxed),
        )


def _weak_tightening(problem: Problem[S], fixings: Fixings, relaxed: RelaxationResult[S]) -> str:
    """Name the first tightening whose certificate proves less than the bound; nothing where it is the leaf's."""
    here: Fixings | None = fixings
    for number, step in enumerate(relaxed.tightenings):
        if here is None:
            break
        verdict = step.certificate.verify_flips(problem, here, step.on, step.off, relaxed.bound)
        if not (verdict and dominates(relaxed.bound, round_bound(verdict.bound, problem.granularity))):
            fixed = in_words(Branch(step.on, step.off), problem.decisions)
            return f"; under tightening {number} ({fixed}) it proves {verdict.bound!r} for what that excludes"
        here = here.fix(step.on, step.off)
    return "; the tightenings prove enough, the certificate of the node does not"


def _check_tightenings(
    check: Check,
    problem: Problem[S],
    found: list[Feasible[S]],
    fixings: Fixings,
    relaxed: RelaxationResult[S],
    incumbent: float,
) -> None:
    known = incumbent
    if relaxed.structure is not None and not list(problem.violations(relaxed.structure)):
        known = max(known, float(score_of(problem, relaxed.structure)))
    tightened: Fixings | None = fixings
    for step in relaxed.tightenings:
        tightened = tightened.fix(step.on, step.off) if tightened is not None else None
    for f in found:
        if fixings.allows(f.on_ids) and not (tightened is not None and tightened.allows(f.on_ids)):
            lost, bound = f"{f.structure!r} scores {f.score!r}", relaxed.excluded_bound
            rule = "tightenings keep every structure better than the incumbent"
            check.require(f.score <= known + 2 * score_tolerance(known), rule, f"{lost}, the incumbent {known!r}")
            is_bounded = bound == -math.inf or dominates(bound, f.score)
            check.require(
                is_bounded, "excluded bounds what the tightenings exclude", f"{lost}, excluded says {bound!r}"
            )


def _check_limits(check: Check, make: Callable[[], Relaxation[S]], fixings: Fixings, best: float) -> None:
    interrupted = SolveBudget()
    interrupted.interrupt()
    budgets = {
        "no time": SolveBudget(Limits(time=0.0)),
        "no iterations": SolveBudget(Limits(iterations=0)),
        "interrupted": interrupted,
    }
    for label, budget in budgets.items():
        at = check.at(label)
        relaxed = at.call("a spent budget is no error", make().solve, fixings, budget)
        at.require_bound(relaxed.bound, best, "the bound is true when the budget is spent")
