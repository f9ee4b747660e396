"""One document explained: the link of each mention, the runner-up, the cost of each pair, the proof."""

from __future__ import annotations

from typing import Any

import numpy as np

import gapless as gl
from gapless.arrays.sparse import IntArray
from gapless.cli import Console
from gapless_linking import LinkingProblem
from gapless_linking.shortest_paths import Path, shortest_paths
from gapless_models.linking.document import Knowledge
from gapless_tasks.linking.measuring import EXACT, Linked

SHOWN = 12
"""Mentions, the first ones of the document."""


def explain(linked: Linked, knowledge: Knowledge, console: Console, limits: gl.Limits) -> dict[str, Any]:
    """Print the parts of the exact answer; return them as JSON data."""
    problem, result, document = linked.problem, linked.results[EXACT], linked.document
    best, shown = result.best, range(min(problem.k, SHOWN))
    console.info(f"{document.name}: {document.text or ', '.join(document.mentions)}")
    mentions = [_mention(linked, i, knowledge, limits) for i in shown]
    console.table(
        f"The best linking costs {result.value:g}",
        ("mention", "linked to", "right", "candidates", "runner-up", "costs more"),
        [
            (
                row["mention"],
                row["chosen"],
                "yes"
                if row["right"]
                else "no: " + ", ".join(knowledge.titles[v] for v in document.fair[i].tolist()),
                row["candidates"],
                row["runner_up"] or "-",
                "-" if row["more"] is None else f"{row['more']:g}",
            )
            for i, row in zip(shown, mentions, strict=True)
        ],
    )
    paths = shortest_paths(problem, best.tolist(), shown)
    pairs = [_pair(linked, path, knowledge) for path in paths]
    console.table(
        "Pairs; both directions count (~ is an edge of the connection)",
        ("first", "second", "cost", "path"),
        [(pair["first"], pair["second"], f"{pair['cost']:g}", pair["path"]) for pair in pairs],
    )
    if problem.k > SHOWN:
        console.info(f"shown: the first {SHOWN} of {problem.k} mentions")
    verdict = result.verify(problem)
    console.info(f"{result.status.value}; certificate {'holds' if verdict else 'FAILS'}: {verdict.reason}")
    console.info()
    return {
        "document": document.name,
        "cost": result.value,
        "mentions": mentions,
        "pairs": pairs,
        "status": result.status.value,
        "verified": bool(verdict),
        "verdict": verdict.reason,
    }


def _mention(linked: Linked, i: int, knowledge: Knowledge, limits: gl.Limits) -> dict[str, Any]:
    """Describe a mention in the best linking, and the extra cost of its best other link, if it can be known."""
    problem, result, document = linked.problem, linked.results[EXACT], linked.document
    vertex, members = int(result.best[i]), document.sets[i]
    others = members[members != vertex]
    runner_up = more = None
    if others.size:
        other = _without(problem, i, others, limits)
        if other.status is gl.Status.OPTIMAL:
            runner_up = knowledge.titles[problem.points[other.best[i]]]
            more = other.value - result.value
    return {
        "mention": document.mentions[i],
        "chosen": knowledge.titles[vertex],
        "right": vertex in document.fair[i],
        "candidates": members.size,
        "runner_up": runner_up,
        "more": more,
    }


def _without(problem: LinkingProblem, i: int, others: IntArray, limits: gl.Limits) -> gl.Result[Any]:
    """Find the best linking whose mention i is linked to one of `others`; vertices are indices into `points`."""
    sets = [
        np.searchsorted(problem.points, others if j == i else vertices)
        for j, vertices in enumerate(problem.candidates)
    ]
    return gl.solve(LinkingProblem.from_distances(problem.lengths(), sets), EXACT, limits=limits)


def _pair(linked: Linked, path: Path, knowledge: Knowledge) -> dict[str, Any]:
    names = [knowledge.titles[v] for v in path.vertices]
    spelled = names[0] + "".join(
        f" {'~' if step in path.added else '-'} {name}" for step, name in enumerate(names[1:])
    )
    return {
        "first": linked.document.mentions[path.first],
        "second": linked.document.mentions[path.second],
        "cost": 2.0 * (len(names) - 1),
        "path": spelled,
    }
