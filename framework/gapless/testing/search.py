"""Rules for compiled kernels: inside a search they take the steps of their twins, node by node."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np

import gapless_kernels
from gapless.core.decisions import Fixings
from gapless.core.factor import Factor, ScoredFactor
from gapless.core.problem import Problem
from gapless.core.sparse import IntArray
from gapless.engine.search import PROVED, Search
from gapless.testing.conformance import Check, ConformanceError

S = TypeVar("S")

STATE = ("status", "nodes", "decisions fixed", "nodes enumerated", "value", "bound", "bound of the step")
RECORD = ("parent", "decision", "on", "step_node", "step_first", "off")
CLOSE = 1e-7
"""Difference of bounds that sums in another order may make, relative."""


def check_search(problem: Problem[S], *, steps: int = 2000, **options: Any) -> None:
    """Check that compiled kernels find the bounds of their twins in every step of a search.

    The problem's backbone and factors are searched twice: by the compiled search, with what their ``compiled()``
    gives, and by the readable search, with the roles themselves. Both must take the same steps: the same bounds,
    fixings, incumbents and branchings, node by node. That tells more of a kernel than its answers do, which another
    node may put right.

    Parameters
    ----------
    problem : Problem
        With a backbone. Scores drawn from a continuous distribution: under ties both may go their own ways.
    steps : int
        Steps to compare, at most.
    options
        Of both searches, such as ``order="depth-first"`` or ``choices=0``.

    Raises
    ------
    ConformanceError
        Names the step and what differs in it.
    ValueError
        The compiled kernels are not in use, or the problem has no backbone.
    """
    if not gapless_kernels.COMPILED:
        raise ValueError("the compiled kernels are not in use: there is nothing to compare")
    # Compiled modules are there only where the kernels were built.
    from gapless_kernels.search._search import Search as CompiledSearch  # noqa: PLC0415
    from gapless_kernels.search.python_roles import PythonFactor, PythonMaximiser  # noqa: PLC0415

    backbone = problem.backbone()
    if backbone is None:
        raise ValueError(f"{type(problem).__name__} names no backbone")
    decisions, maximiser = problem.decisions, backbone.maximiser
    members = [np.asarray(group, np.int64) for group in decisions.exactly_one]
    layout: dict[str, Any] = {
        "group_first": np.concatenate([[0], np.cumsum([len(group) for group in members])]).astype(np.int64),
        "groups": np.concatenate([np.zeros(0, np.int64), *members]),
    }
    conjunctions = [ScoredFactor(f, decisions) for f in problem.factors if isinstance(f, Factor)]
    others = [(f.scope(decisions), f) for f in problem.factors if not isinstance(f, Factor)]
    blocks = [(scored.scopes, _finite(scored.all_scores())) for scored in conjunctions if scored.scopes.size]
    kernels = [f.compiled(decisions) for _, f in others]
    kernel = maximiser.compiled()
    compiled = CompiledSearch(
        PythonMaximiser(maximiser, decisions.count, Fixings) if kernel is None else kernel,
        backbone.weights,
        blocks,
        factors=[PythonFactor(*pair) if k is None else k for k, pair in zip(kernels, others, strict=True)],
        **layout,
        **options,
    )
    costly = kernel is None or any(k is None for k in kernels)
    readable = Search(maximiser, backbone.weights, blocks, factors=others, costly=costly, **layout, **options)
    compare_searches(compiled, readable, name=type(problem).__name__, steps=steps)


def compare_searches(compiled: Any, readable: Search, *, name: str, steps: int = 2000) -> None:
    """Take two searches of one problem through the same steps.

    Parameters
    ----------
    compiled : gapless_kernels.search._search.Search
    readable : Search
    name : str
        For messages.
    steps : int
        At most.

    Raises
    ------
    ConformanceError
        As `check_search`.
    """
    check = Check(name)
    for step in range(steps):
        node = readable.nodes
        try:
            status = readable.advance(steps=1)
            one = _state(compiled, compiled.advance(steps=1))
        except (ValueError, RuntimeError) as error:
            raise ConformanceError(name, "the same steps", f"step {step}, node {node}: {error}") from error
        other = _state(readable, status)
        for what, a, b in zip(STATE, one, other, strict=True):
            place = f"step {step}, node {node}: {what} is {a} in the compiled search, {b} in the readable one"
            check.require(a == b or abs(a - b) <= CLOSE * max(1.0, abs(b)), "the same steps", place)
        if status == PROVED:
            break
    if compiled.value > -math.inf:
        check.require(
            np.array_equal(compiled.on, readable.on), "the same structure", f"{compiled.on} and {readable.on}"
        )
    if not readable.keep_proof:
        return
    one_record, other_record = compiled.record(), readable.record()
    for key in RECORD:
        a, b = one_record[key], other_record[key]
        check.require(np.array_equal(a, b), "the same record", f"{key} is {_short(a)} and {_short(b)}")


def _state(search: Any, status: int) -> tuple[float, ...]:
    counts = search.nodes, search.fixed, search.enumerated
    return (status, *counts, search.value, search.bound, search.step_bound)


def _finite(scores: Any) -> Any:
    """Scores with a finite loss in the place of -inf."""
    finite = np.isfinite(scores)
    return np.where(finite, scores, -1.0 - 10.0 * float(np.abs(scores[finite]).sum()))


def _short(values: IntArray) -> str:
    return np.array2string(values, threshold=20)
