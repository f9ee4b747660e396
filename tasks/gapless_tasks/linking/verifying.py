"""Checks of all answers: certificates hold, and no cost is below a proved optimum."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gapless.arrays.tolerance import meets
from gapless.cli import Console
from gapless_linking import LinkingProblem
from gapless_tasks.answer_checks import contradicted_optimum, refused_certificates
from gapless_tasks.linking.measuring import EXACT, Linked, LinkingResult, Measured


def verify(measured: Measured, console: Console) -> list[str]:
    """Check the certificate of every answer of `EXACT`; return sentences about those that do not hold."""
    solved = [linked for linked in measured.linked if EXACT in linked.results]
    with console.progress("verifying", len(solved)) as advance:

        def answers() -> Iterator[tuple[str, LinkingResult, LinkingProblem]]:
            for linked in solved:
                yield _location(measured, linked), linked.results[EXACT], linked.problem
                advance(1)

        wrong = refused_certificates(answers())
    if solved:
        console.info(f"{len(solved) - len(wrong)} of {len(solved)} certificates verified")
    return wrong


def contradictions(measured: Measured) -> list[str]:
    """Return sentences about costs below a proved optimum, and about two proved optima."""
    return [
        f"{_location(measured, linked)}: {message}"
        for linked in measured.linked
        for message in _contradictions(linked)
    ]


def _contradictions(linked: Linked) -> Iterator[str]:
    optimum = linked.optimum
    if np.isnan(optimum):
        return
    for method, result in linked.results.items():
        message = contradicted_optimum(method, result, linked.problem, optimum)
        if message is not None:
            yield message
    if linked.truth < optimum and not meets(-linked.truth, -optimum):
        yield f"the right answer costs {linked.truth!r}, the proved optimum is {optimum!r}"


def unproved(measured: Measured) -> int:
    """Count the documents without a proved optimum."""
    return sum(bool(np.isnan(linked.optimum)) for linked in measured.linked)


def _location(measured: Measured, linked: Linked) -> str:
    return f"{measured.corpus.name}, {measured.connection}, {linked.document.name}"
