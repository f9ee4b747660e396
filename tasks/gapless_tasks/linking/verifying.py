"""Checks of all answers: certificates hold, and no cost is below a proved optimum."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.core.tolerance import meets
from gapless_tasks.linking.measuring import EXACT, Linked, Measured


def verify(measured: Measured, console: Console) -> list[str]:
    """Check the certificate of every answer of `EXACT`; returns sentences about those that do not hold."""
    wrong, solved = [], [linked for linked in measured.linked if EXACT in linked.results]
    with console.progress("verifying", len(solved)) as advance:
        for linked in solved:
            verdict = linked.results[EXACT].verify(linked.problem)
            if not verdict:
                wrong.append(f"{_place(measured, linked)}: {verdict.place}: {verdict.reason}")
            advance(1)
    if solved:
        console.say(f"{len(solved) - len(wrong)} of {len(solved)} certificates verified")
    return wrong


def contradictions(measured: Measured) -> list[str]:
    """Sentences about costs below a proved optimum, and about two proved optima."""
    return [f"{_place(measured, linked)}: {what}" for linked in measured.linked for what in _contradictions(linked)]


def _contradictions(linked: Linked) -> Iterator[str]:
    optimum = linked.optimum
    if np.isnan(optimum):
        return
    for method, result in linked.results.items():
        proved = result.status is gl.Status.OPTIMAL
        if not meets(-result.value, -optimum) or (proved and not meets(-optimum, -result.value)):
            yield f"{method} {'proved' if proved else 'found'} {result.value!r}, the proved optimum is {optimum!r}"
    if linked.truth < optimum and not meets(-linked.truth, -optimum):
        yield f"the right answer costs {linked.truth!r}, the proved optimum is {optimum!r}"


def unproved(measured: Measured) -> int:
    """The number of documents without a proved optimum."""
    return sum(bool(np.isnan(linked.optimum)) for linked in measured.linked)


def _place(measured: Measured, linked: Linked) -> str:
    return f"{measured.corpus.name}, {measured.connection}, {linked.document.name}"
