"""The states of diagrams along routes, written down: next states, tolls, and which state can stand in for which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.errors import InvalidProblem
from gapless.labelling.resources import DiagramResource

LIMIT = 4096
"""Most states of several diagrams together."""


@attrs.frozen(eq=False)
class Automaton:
    """States of a route, and how arcs move them.

    Parameters
    ----------
    kind : int32 (arcs,)
        Arcs of one kind move states alike.
    after : int32 (kinds, states)
        The next state; -1 where there is none.
    toll : float64 (kinds, states)
        Costs.
    ending : float64 (states,)
        Costs at the sink; infinite where a route may not end.
    begin : int
    """

    kind: NDArray[np.int32]
    after: NDArray[np.int32]
    toll: NDArray[np.float64]
    ending: NDArray[np.float64]
    begin: int

    def better(self) -> NDArray[np.uint8]:
        """``better[s, t]``: what may follow t may follow s, at no greater cost (the largest simulation)."""
        states = self.ending.size
        if states == 1:
            return np.ones((1, 1), np.uint8)
        relation = self.ending[:, None] <= self.ending[None, :]
        before = -1
        while before != (before := int(relation.sum())):
            for after, toll in zip(self.after, self.toll, strict=True):
                stays = np.flatnonzero(after >= 0)
                goes = np.zeros((states, states), bool)
                goes[:, after < 0] = True
                pairs = np.ix_(stays, stays)
                goes[pairs] = relation[np.ix_(after[stays], after[stays])] & (
                    toll[stays][:, None] <= toll[stays][None, :]
                )
                relation &= goes
        return relation.astype(np.uint8)


def idle(arcs: int) -> Automaton:
    """One state, which nothing moves."""
    one = np.zeros((1, 1))
    return Automaton(np.zeros(arcs, np.int32), one.astype(np.int32), one, np.zeros(1), 0)


def written(resource: DiagramResource, arcs: Sequence[int], count: int, place: str) -> Automaton:
    """Write down the states of a diagram that these arcs of `count` reach from its start."""
    diagram = resource.diagram
    if not diagram.start >= 0:
        raise InvalidProblem(f"{place}: start is {diagram.start}, states are at least 0")
    number = {int(diagram.start): 0}
    columns: dict[int, list[tuple[int, float]]] = {arc: [] for arc in arcs}
    new = [int(diagram.start)]
    while new:
        states, new = np.array(new, np.int64), []
        order = np.argsort(states)
        for arc in arcs:
            after, scores = diagram.step(arc, 0, states[order])
            after, scores = np.asarray(after), np.broadcast_to(np.asarray(scores, np.float64), states.shape)
            if after.shape != states.shape or after.dtype.kind not in "iu":
                raise InvalidProblem(
                    f"{place}: step({arc}, 0, states) must return {states.size} integers, got {after.shape}"
                )
            if np.isnan(scores).any() or (scores == np.inf).any() or (after < -1).any():
                raise InvalidProblem(f"{place}: step({arc}, 0, states) returned NaN, inf or a state below -1")
            column: list[Any] = [None] * states.size
            for at, state, score in zip(order.tolist(), after.tolist(), scores.tolist(), strict=True):
                if state < 0 or score == -np.inf:
                    column[at] = (-1, 0.0)
                    continue
                if state not in number:
                    number[state] = len(number)
                    new.append(state)
                column[at] = (number[state], 0.0 - score)
            columns[arc] += column
        if len(number) > resource.limit:
            raise InvalidProblem(
                f"{place}: more than {resource.limit} states; make them coarser, or raise its limit"
            )
    kinds: dict[Any, int] = {}
    kind = np.zeros(count, np.int32)
    for arc in arcs:
        kind[arc] = kinds.setdefault(tuple(columns[arc]), len(kinds))
    if not kinds:
        kinds[tuple([(-1, 0.0)] * len(number))] = 0
    moves = np.array([[state for state, _ in column] for column in kinds], np.int32)
    toll = np.array([[cost for _, cost in column] for column in kinds])
    states = np.fromiter(number, np.int64)
    order = np.argsort(states)
    ending = np.empty(states.size)
    ending[order] = 0.0 - np.broadcast_to(np.asarray(diagram.final(states[order]), np.float64), states.shape)
    if np.isnan(ending).any() or (ending == -np.inf).any():
        raise InvalidProblem(f"{place}: final(states) returned NaN or inf")
    return Automaton(kind, moves, toll, ending, 0)


def product(one: Automaton, two: Automaton) -> Automaton:
    """Both at once; a pair of states is a state."""
    n = two.ending.size
    if one.ending.size * n > LIMIT:
        raise InvalidProblem(
            f"DiagramResource: several have {one.ending.size} x {n} states together, more than {LIMIT}"
        )
    pairs, kind = np.unique(np.stack([one.kind, two.kind]), axis=1, return_inverse=True)
    if not pairs.shape[1]:
        pairs, kind = np.zeros((2, 1), np.int64), np.zeros(0, np.int64)
    first, second = one.after[pairs[0]], two.after[pairs[1]]
    after = first[:, :, None] * n + second[:, None, :]
    after[(first < 0)[:, :, None] | (second < 0)[:, None, :]] = -1
    moves: NDArray[np.int32] = after.reshape(pairs.shape[1], -1).astype(np.int32)
    toll = one.toll[pairs[0]][:, :, None] + two.toll[pairs[1]][:, None, :]
    kinds = pairs.shape[1]
    return Automaton(
        kind.reshape(-1).astype(np.int32),
        moves,
        toll.reshape(kinds, -1),
        (one.ending[:, None] + two.ending[None, :]).ravel(),
        one.begin * n + two.begin,
    )
