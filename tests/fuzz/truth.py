"""Truths of any document that could be read: it is written and read as it was, and a verified value is true."""

import json
import math

import gapless as gl
from gapless.plugins import load_plugins
from gapless.testing import SpaceTooLarge, enumerate_best
from gapless.testing.conformance import Check
from gapless.testing.trial import Instance, check_verified

FEW = 20_000
"""Assignments that are enumerated in a blink."""

WORK = 1e9
"""Steps for a certificate: the fuzzer waits for none that was made to keep its checker busy."""

ROUNDING = 1e-12
"""Share of the largest score that float64 may lose when others cancel it."""


def brute_force():
    """For each problem type its best structures by brute force."""
    plugins = load_plugins()
    given = [one for several in plugins.hook.gapless_selftest_instances() for one in several]
    return {one.problem: one.best or enumerate_best for one in given}


def check_round_trip(value):
    """Writing and reading changes nothing."""
    text = gl.dumps(value)
    again = gl.dumps(gl.loads(text))
    assert again == text, "written and read again it is another value"


def check_record(record, judges):
    """Verifying ends with a verdict; where it holds, what is claimed is true."""
    verdict = record.verify(work=WORK)
    assert isinstance(verdict, gl.Verdict)
    if not verdict or not small(record.problem):
        return
    judge = judges.get(type(record.problem))
    if judge is None:
        return
    problem = record.problem
    try:
        best = [problem.sense.sign * solution.value for solution in judge(problem, 1)]
    except SpaceTooLarge:
        return
    check = Check("a changed record", "fuzz")
    check_verified(check, Instance(problem, best), record.result, verdict, rounding=rounding(problem))


def small(problem):
    """Whether brute force is quick."""
    decisions = problem.decisions
    grouped = {d for group in decisions.exactly_one for d in group}
    choices = math.prod(len(group) for group in decisions.exactly_one)
    # Distances of a linking problem go over its whole graph, of which a document may say any size.
    vertices = getattr(getattr(problem, "graph", None), "vertex_count", 0)
    return decisions.count - len(grouped) < 12 and choices <= FEW and decisions.count < 200 and vertices <= 10_000


def rounding(problem):
    """Bound what float64 may lose in a score, on top of the usual tolerance."""
    return ROUNDING * max((abs(n) for n in numbers(json.loads(gl.dumps(problem)))), default=0.0)


def numbers(document):
    """All numbers of a document."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        for part in document:
            yield from numbers(part)
    elif isinstance(document, (int, float)):
        yield float(document)
