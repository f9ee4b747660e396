"""Ctrl-C between any two lines of a method for many problems leaves no row that looks complete and is not."""

import sys

import numpy as np
import pytest

import gapless
from gapless_chains.selftest_instances import random_chain, random_tree
from gapless_dependency.selftest_instances import random_sentence
from gapless_ordering.selftest_instances import random_ordering

CASES = [
    ("split-bound", random_sentence),
    ("first-order", random_sentence),
    ("exact", random_ordering),
    ("beam", random_ordering),
    ("column-generation", random_chain),
    ("viterbi", random_chain),
    ("viterbi", random_tree),
    ("viterbi-pruned", random_chain),
]


def solvable(method, draw):
    """Three drawn problems that the method solves."""
    rng, found = np.random.default_rng(5), []
    while len(found) < 3:
        problem = draw(rng)
        if method == "first-order" and problem.factors:
            continue
        if gapless.solve(problem, method).status is gapless.Status.OPTIMAL:
            found.append(problem)
    return found


def interrupted(problems, method, line):
    """The batch when Ctrl-C comes before line number `line` of the method's own code; None where it has fewer."""
    lines = 0

    def local(frame, event, _):
        nonlocal lines
        if event == "line":
            lines += 1
            if lines == line:
                raise KeyboardInterrupt
        return local

    def trace(frame, _, __):
        code = frame.f_code
        ours = "gapless_" in code.co_filename and code.co_name in {"run_many", "decode_many", "take", "_found"}
        return local if ours else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        batch = gapless.solve_many(problems, method)
    except KeyboardInterrupt:
        batch = gapless.BatchResult.from_results([], len(problems))  # before or after the rows
    finally:
        sys.settrace(before)
    return batch if lines >= line else None


@pytest.mark.parametrize(("method", "draw"), CASES)
def test_rows_are_complete_or_missing(method, draw):
    problems = solvable(method, draw)
    whole = gapless.solve_many(problems, method)
    complete, line = 0, 1
    while (batch := interrupted(problems, method, line)) is not None:
        for i, status in enumerate(batch.statuses):
            if status is not None:
                assert (status, batch.values[i]) == (gapless.Status.OPTIMAL, whole.values[i])
                assert not problems[i].violations(batch.structure(i))
                assert problems[i].value(batch.structure(i)) == pytest.approx(whole.values[i])
                complete += 1
        line += 1
    assert line > 30
    assert complete > 3
