"""Rules for compiled kernels: inside a search they take the steps of their twins, node by node."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np

import gapless_kernels
from gapless.arrays.sparse import IntArray
from gapless.decisions.decisions import Fixings
from gapless.problems.problem import Problem
from gapless.search.layout import SearchInput
from gapless.search.named_factor import NamedFactor
from gapless.search.reference_search import PROVED, ReferenceSearch
from gapless.testing.conformance import Check, ConformanceError

S = TypeVar("S")

STATE = ("status", "nodes", "decisions fixed", "nodes enumerated", "value", "bound", "bound of the step")
RECORD = ("parent", "decision", "on", "step_node", "step_first", "off")
CLOSE = 1e-7
"""Difference of bounds that sums in another order may make, relative."""


def check_search(
    problem: Problem[S], *, layout: SearchInput[S] | None = None, steps: int = 2000, **options: Any
) -> None:
    """Check that compiled kernels find the bounds of their twins in every step of a search.

    The problem's backbone and factors are searched twice: by the compiled search, with what their ``compiled()``
    gives, and by the readable search, with the roles themselves. Both must take the same steps: the same bounds,
    fixings, incumbents and branchings, node by node. That tells more of a kernel than its answers do, which another
    node may put right.

    Parameters
    ----------
    problem : Problem
        With a backbone. Scores drawn from a continuous distribution: under ties both may go their own ways.
    layout : Layout, optional
        Of the problem, where it is to be searched over another backbone than its own.
    steps : int
        Steps to compare, at most.
    options
        Of both searches, such as ``order="depth-first"`` or ``choices=0``.

    Raises
    ------
    ConformanceError
        Names the step and what differs in it.
    ValueError
        The compiled kernels are not in use.
    NotImplementedError
        The problem names no backbone.
    """
    if not gapless_kernels.COMPILED:
        raise ValueError("the compiled kernels are not in use: there is nothing to compare")
    # Compiled modules are there only where the kernels were built.
    from gapless_kernels.search._search import CompiledSearch  # noqa: PLC0415
    from gapless_kernels.search.python_roles import PythonFactor, PythonMaximiser  # noqa: PLC0415

    layout = layout or SearchInput(problem=problem, backbone=problem.backbone())
    maximiser, count = layout.backbone.maximiser, layout.decisions.count
    first, members = layout.groups
    kernel = maximiser.compiled()
    place = problem.factors_beyond_backbone.place
    others = [(scope, NamedFactor(factor, place(factor))) for factor, scope in layout.configurations]
    kernels = [factor.compiled(layout.decisions) for factor, _ in layout.configurations]
    given = (layout.backbone.weights, layout.blocks)
    compiled = CompiledSearch(
        PythonMaximiser(maximiser, count, Fixings) if kernel is None else kernel,
        *given,
        group_first=first,
        groups=members,
        factors=[PythonFactor(*pair) if k is None else k for k, pair in zip(kernels, others, strict=True)],
        **options,
    )
    costly = kernel is None or any(k is None for k in kernels)
    readable = ReferenceSearch(
        maximiser, *given, group_first=first, groups=members, factors=others, costly=costly, **options
    )
    compare_searches(compiled, readable, name=type(problem).__name__, steps=steps)


def compare_searches(compiled: Any, readable: ReferenceSearch, *, name: str, steps: int = 2000) -> None:
    """Take two searches of one problem through the same steps.

    Parameters
    ----------
    compiled : gapless_kernels.search._search.CompiledSearch
    readable : ReferenceSearch
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
            location = f"step {step}, node {node}: {what} is {a} in the compiled search, {b} in the readable one"
            check.require(a == b or abs(a - b) <= CLOSE * max(1.0, abs(b)), "the same steps", location)
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


def _short(values: IntArray) -> str:
    return np.array2string(values, threshold=20)
