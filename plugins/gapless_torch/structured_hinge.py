"""The structured hinge loss of any problem type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor

from gapless import InvalidProblem, Problem
from gapless.learn import best_structure
from gapless.learn.solvers import structure_of
from gapless_torch.hinge import checked_cost, numbers, scored, with_cost

S = TypeVar("S")
Parts = Mapping[str, tuple[Any, ...]]
"""For each tensor of scores the entries that a structure uses: one integer array for each axis."""


class StructuredHinge(torch.nn.Module, Generic[S]):
    """``max over structures of (score + cost of the wrong parts) - score of the right one``, for any problem.

    Parameters
    ----------
    build : callable
        ``build(**arrays)`` makes the `gapless.Problem` of one example from float64 arrays, under the names that the
        tensors of scores have in the call. A problem type itself will often do: ``ChainProblem``.
    parts : callable
        ``parts(structure)`` says for each of these names which entries the structure uses, one integer array for
        each axis; an entry that is used twice comes twice. What must hold: the problem's score of a structure is
        the sum of these entries, and of a part that the tensors do not touch, such as given distances.
    cost : mapping of str to float
        For each name what an entry costs that is used though the right structure does not use it, 0 or more;
        names may be left out. With no cost this is the perceptron's loss.
    decode : callable, optional
        ``decode(problem)`` gives the best structure or a `gapless.Result`; by default `gapless.solve`. With one
        that is not exact, such as a beam, the loss is a lower bound.

    Notes
    -----
    Check `parts` once by ``torch.autograd.gradcheck``: a gradient that contradicts the value is found there.
    """

    def __init__(
        self,
        build: Callable[..., Problem[S]],
        parts: Callable[[S], Parts],
        *,
        cost: Mapping[str, float] | None = None,
        decode: Callable[[Problem[S]], Any] | None = None,
    ) -> None:
        super().__init__()
        self.build, self.parts = build, parts
        self.cost = {name: checked_cost(value) for name, value in (cost or {}).items()}
        self.decode = best_structure if decode is None else structure_of(decode)

    def forward(self, gold: S, **scores: Tensor) -> Tensor:
        """Return the loss of one example, a number; sum it over a batch.

        Parameters
        ----------
        gold : structure
            The right one.
        **scores : tensors
            Arguments of `build`.

        Raises
        ------
        InvalidProblem
            Refused by `build`; a right structure that is not feasible or scores -inf; a name that `scores`,
            `cost` and `parts` do not share.
        """
        tensors = {name: scored(tensor, name) for name, tensor in scores.items()}
        right = self.parts(gold)
        for names, known, noun in ((right, tensors, "scores"), (self.cost, right, "parts")):
            unknown = [name for name in names if name not in known]
            if unknown:
                raise InvalidProblem(f"there are no {noun} {unknown[0]!r}, but of: {', '.join(known)}")
        arrays = {name: numbers(tensor) for name, tensor in tensors.items()}
        for name, cost in self.cost.items():
            arrays[name] = with_cost(arrays[name], tuple(right[name]), cost)
        problem = self.build(**arrays)
        wrong = problem.violations(gold)
        if wrong:
            raise InvalidProblem(f"the right structure is not feasible: {wrong[0]}")
        best = self.decode(problem)
        value = problem.sense.sign * (problem.value(best) - problem.value(gold))
        margin = _sum(tensors, self.parts(best)) - _sum(tensors, right)
        # The value of the problem, costs included, with the gradient of the sums: parts that the tensors do not
        # touch count in the value, and have no gradient.
        return (margin + (value - margin.detach())).relu()


def _sum(tensors: Mapping[str, Tensor], parts: Parts) -> Tensor:
    """Sum the entries that a structure uses."""
    sums = []
    for name, index in parts.items():
        # A copy, since torch warns about arrays that are read-only, as those of structures are.
        entries = tuple(torch.tensor(np.asarray(axis), device=tensors[name].device) for axis in index)
        sums.append(tensors[name][entries].sum())
    return torch.stack(sums).sum()
