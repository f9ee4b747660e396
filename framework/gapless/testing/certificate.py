"""Rules for a `Certificate`: it proves nothing false, with any values in its fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gapless.certificates.certificate import UNREADABLE, Certificate, Verdict
from gapless.decisions.decisions import Fixings
from gapless.problems.problem import Problem
from gapless.testing.conformance import Check, best_score, has_evidence, sample_fixings, single_fixings
from gapless.testing.enumeration import Feasible, given_or_enumerated
from gapless.testing.forgery import forged_certificates

AnyProblem = Problem[Any]


def check_certificate(
    certificate: Certificate,
    problem: AnyProblem,
    *,
    structures: Iterable[Any] | None = None,
    samples: int = 10,
    forgeries: int = 20,
    seed: int = 0,
) -> None:
    """Check by enumeration that a certificate proves nothing false.

    Rules: the bound that `verify` proves dominates every feasible value, without fixings and under any, even after
    numbers in the certificate were changed: a formula that trusts its fields could be made to prove anything.
    `verify` itself cannot detect this, because it runs the code of the certificate's class.

    Parameters
    ----------
    certificate : Certificate
        Certificate of a method for `problem`. Its class is `gapless.roles.serialisable`, so that it can be forged.
    problem : Problem
        Small enough to enumerate, unless `structures` are given.
    structures : iterable of S, optional
        All feasible structures, instead of enumerating the assignments of decisions.
    samples : int
        Number of fixings to try.
    forgeries : int
        Number of forged copies to try.
    seed : int
    """
    found = given_or_enumerated(problem, structures)
    check_proofs(certificate, problem, found, samples=samples, forgeries=forgeries, seed=seed)


def check_proofs(
    certificate: Certificate,
    problem: AnyProblem,
    found: Sequence[Feasible[Any]],
    *,
    samples: int,
    forgeries: int,
    seed: int,
) -> None:
    """Check a certificate as `check_certificate` does, against structures that are already enumerated."""
    if not has_evidence(certificate):
        return
    check = Check(certificate)
    on_sets = [f.on_ids for f in found]
    tried = sample_fixings(problem.decisions, on_sets, samples, seed)
    tried += single_fixings(problem.decisions, on_sets, samples, seed)
    for fixings in tried:
        at = check.at(str(fixings))
        verdict = at.call("a certificate can be verified", certificate.verify, problem, fixings)
        _check_proof(at, "a certificate proves nothing false", verdict, found, fixings)
    rng = np.random.default_rng(seed)
    for change, forged in forged_certificates(certificate, forgeries, rng):
        fixings = tried[int(rng.integers(len(tried)))]
        for held in (tried[0], fixings):
            try:
                verdict = forged.verify(problem, held)
            except UNREADABLE:
                continue  # `Result.verify` refuses what raises these
            at = check.at(f"{held}, {change}")
            _check_proof(at, "a forged certificate proves nothing false", verdict, found, held)


def _check_proof(
    check: Check, rule: str, verdict: Verdict, found: Sequence[Feasible[Any]], fixings: Fixings
) -> None:
    if verdict:
        check.require_bound(verdict.bound, best_score(found, fixings), rule, "it proves the bound")
