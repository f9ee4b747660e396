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
        here = best_score(found, fixings)
        allowed = sorted((f.score for f in found if fixings.allows(f.on_ids)), reverse=True)
        fresh = make_relaxation()
        relaxed = check.call("solve returns a RelaxationResult", str(fixings), fresh.solve, fixings, SolveBudget())
        check.require(
            isinstance(relaxed, RelaxationResult), "solve returns a RelaxationResult", f"{fixings}: {relaxed!r}"
        )
        _check_one(check, problem, found, fixings, relaxed, -math.inf)
        check_proofs(relaxed.certificate, problem, found, samples=2, forgeries=4, seed=seed)
        twin = make_relaxation().solve(fixings, SolveBudget())
        check.require(
            relaxed.bound == twin.bound and _same_point(relaxed.point, twin.point),
            "two fresh relaxations answer alike",
            f"{fixings}: {relaxed.bound!r} and {twin.bound!r}",
        )
        for incumbent in (allowed[-1], here - 1.0, here, here + 1.0) if allowed else (0.0,):
            warm = check.call(
                "solve takes an incumbent and the state of another node",
                str(fixings),
                used.solve,
                fixings,
                SolveBudget(),
                incumbent=incumbent,
                state=parent,
            )
            _check_one(check, problem, found, fixings, warm, incumbent)
        parent = relaxed.state
        _check_limits(check, make_relaxation, fixings, here)


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
    location = f"{fixings}, incumbent {incumbent:g}"
    check.require(not math.isnan(relaxed.bound), "a bound is never NaN", location)
    check.require(
        dominates(relaxed.bound, best),
        "the bound dominates every feasible value",
        f"{location}: bound {relaxed.bound!r}, but {best!r} is feasible",
    )
    check.require(
        dominates(relaxed.bound, relaxed.primal_value),
        "what is attained lies below the bound",
        f"{location}: {relaxed.primal_value!r} is above {relaxed.bound!r}",
    )
    if relaxed.point is not None:
        point = relaxed.point
        check.require(
            point.shape == (problem.decisions.count,) and np.all((point >= -INTEGRAL) & (point <= 1 + INTEGRAL)),
            "a point has a number in [0, 1] for each decision",
            f"{location}: {point}",
        )
        wrong = np.flatnonzero(
            ((fixings.state == ON) & (point < 1 - INTEGRAL)) | ((fixings.state == OFF) & (point > INTEGRAL))
        )
        if relaxed.bound > -math.inf:
            check.require(
                not wrong.size,
                "the point respects the fixings",
                f"{location}: decisions {wrong.tolist()} of {point}",
            )
    _check_tightenings(check, problem, found, fixings, relaxed, incumbent)
    if not isinstance(relaxed.certificate, NoCertificate):
        tree = TreeCertificate((-1,), (Branch(),), {"0": relaxed.certificate}, {"0": relaxed.tightenings})
        verdict = check.call("a certificate can be verified", location, tree.verify, problem, fixings)
        check.require(verdict, "a certificate holds", f"{location}: {verdict.location}: {verdict.reason}")
        check.require(
            dominates(verdict.bound, best),
            "a certificate proves nothing false",
            f"{location}: it proves {verdict.bound!r}, but {best!r} is feasible",
        )
        proved = round_bound(verdict.bound, problem.granularity)
        check.require(
            dominates(relaxed.bound, proved),
            "the certificate proves the bound",
            f"{location}: it proves {verdict.bound!r}, the bound is {relaxed.bound!r}"
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
            lost = f"{fixings}, incumbent {incumbent:g}: {f.structure!r} scores {f.score!r}"
            check.require(
                f.score <= known + 2 * score_tolerance(known),
                "tightenings keep every structure better than the incumbent",
                f"{lost}, the incumbent {known!r}",
            )
            if relaxed.excluded_bound > -math.inf:
                check.require(
                    dominates(relaxed.excluded_bound, f.score),
                    "excluded bounds what the tightenings exclude",
                    f"{lost}, excluded says {relaxed.excluded_bound!r}",
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
        relaxed = check.call("a spent budget is no error", f"{fixings}, {label}", make().solve, fixings, budget)
        check.require(
            dominates(relaxed.bound, best),
            "the bound is true when the budget is spent",
            f"{fixings}, {label}: bound {relaxed.bound!r}, but {best!r} is feasible",
        )
