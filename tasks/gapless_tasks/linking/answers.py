"""A linked document as a record that ``gapless verify`` re-checks, and back.

A problem is written with the titles of its candidates and the distances between them, and without its graph:
vertices are numbered as in its `points`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import IntArray
from gapless.runs import AnswerLog, LoggedAnswer, without_evidence
from gapless_linking import LinkingProblem
from gapless_models.linking.document import Document
from gapless_tasks.linking.measuring import EXACT, Linked


def keep(log: AnswerLog, titles: Sequence[str], linked: Linked) -> None:
    """Append the answer of `EXACT` to those of the other methods; without `EXACT` nothing is kept.

    The problem has the titles of its vertices, of which `titles` has those of all.
    """
    if EXACT not in linked.results:
        return
    problem = linked.problem

    def at_places(vertices: IntArray) -> Any:
        return np.searchsorted(problem.points, vertices)

    others = {name: without_evidence(result) for name, result in linked.results.items() if name != EXACT}
    named = attrs.evolve(problem.without_graph(), names=[titles[vertex] for vertex in problem.points.tolist()])
    log.keep(
        linked.document.name,
        named,
        _renamed(linked.results[EXACT], at_places),
        linked.document.mentions,
        {
            "distance_seconds": linked.distance_seconds,
            "seconds": dict(linked.seconds),
            "others": {name: _renamed(result, at_places) for name, result in others.items()},
            "truth": linked.truth,
        },
        [[named.name(vertex) for vertex in at_places(fair).tolist()] for fair in linked.document.fair],
    )


def linked_again(record: gl.Record | LoggedAnswer, document: Document, problem: LinkingProblem) -> Linked:
    """Rebuild a stored answer on the document's problem with its graph; see `keep`."""
    if not isinstance(record, gl.Record) or not isinstance(record.problem, LinkingProblem):
        raise gl.InvalidProblem(f"the answer for {document.name} is no record of linking")
    measured = record.measurements
    answers = {EXACT: record.result, **measured["others"]}
    return Linked(
        document,
        problem.with_distances(record.problem.distances),
        measured["distance_seconds"],
        # In the order of the run: the first of several proved optima is the one in the message.
        {name: _renamed(answers[name], problem.points.__getitem__) for name in measured["seconds"]},
        measured["seconds"],
        measured["truth"],
    )


def _renamed(result: gl.Result[IntArray], vertices: Callable[[IntArray], Any]) -> gl.Result[IntArray]:
    solutions = tuple(gl.Solution(vertices(solution.structure), solution.value) for solution in result.solutions)
    return attrs.evolve(result, solutions=solutions)
