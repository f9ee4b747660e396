"""Tabulated states of decision diagrams along routes: next states, step costs, and dominance between states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.errors import InvalidProblem
from gapless.rcsp.resources import DiagramResource

LIMIT = 4096
"""Limit on the product of the numbers of states of several diagrams."""


@attrs.frozen(eq=False)
class StateMachine:
    """States of a route, and how arcs move them.

    Parameters
    ----------
    kind : int32 (arcs,)
        Arcs of one kind move states alike.
    next_states : int32 (kinds, states)
        The next state; -1 where there is none.
    step_costs : float64 (kinds, states)
        Costs.
    final_costs : float64 (states,)
        Costs at the sink; infinite where a route may not end.
    begin : int
    """

    kind: NDArray[np.int32]
    next_states: NDArray[np.int32]
    step_costs: NDArray[np.float64]
    final_costs: NDArray[np.float64]
    begin: int

    def simulates(self) -> NDArray[np.uint8]:
        """Compute the largest simulation, uint8 (states, states).

        An entry ``[s, t]`` is 1 if every continuation from t is also allowed from s, and costs no more.
        """
        states = self.final_costs.size
        if states == 1:
            return np.ones((1, 1), np.uint8)
        # Dominance between states is computed, not declared: a wrong rule of a user would lose routes silently
        # (decision 046). The greatest fixed point: start from the final costs, and drop pairs until none is
        # refuted.
        relation = self.final_costs[:, None] <= self.final_costs[None, :]
        count = -1
        while count != (count := int(relation.sum())):
            for next_states, costs in zip(self.next_states, self.step_costs, strict=True):
                allowed = np.flatnonzero(next_states >= 0)
                simulated = np.zeros((states, states), bool)
                # A step that t forbids refutes nothing.
                simulated[:, next_states < 0] = True
                simulated[np.ix_(allowed, allowed)] = relation[
                    np.ix_(next_states[allowed], next_states[allowed])
                ] & (costs[allowed][:, None] <= costs[allowed][None, :])
                relation &= simulated
        return relation.astype(np.uint8)


def idle(arcs: int) -> StateMachine:
    """Make the machine of a single state, for labellings without diagrams."""
    zero = np.zeros((1, 1))
    return StateMachine(np.zeros(arcs, np.int32), zero.astype(np.int32), zero, np.zeros(1), 0)


def tabulate_states(resource: DiagramResource, arcs: Sequence[int], count: int, location: str) -> StateMachine:
    """Tabulate the states of a diagram that these arcs (of `count`) reach from its start."""
    diagram = resource.diagram
    if not diagram.start >= 0:
        raise InvalidProblem(f"{location}: start is {diagram.start}, states are at least 0")
    number = {int(diagram.start): 0}
    columns: dict[int, list[tuple[int, float]]] = {arc: [] for arc in arcs}
    new = [int(diagram.start)]
    while new:
        states, new = np.array(new, np.int64), []
        # Diagrams are always called with ascending states.
        order = np.argsort(states)
        for arc in arcs:
            following, scores = diagram.step(arc, 0, states[order])
            following, scores = np.asarray(following), np.broadcast_to(np.asarray(scores, np.float64), states.shape)
            if following.shape != states.shape or following.dtype.kind not in "iu":
                raise InvalidProblem(
                    f"{location}: step({arc}, 0, states) must return {states.size} integers, got {following.shape}"
                )
            if np.isnan(scores).any() or (scores == np.inf).any() or (following < -1).any():
                raise InvalidProblem(f"{location}: step({arc}, 0, states) returned NaN, inf or a state below -1")
            column: list[Any] = [None] * states.size
            for index, state, score in zip(order.tolist(), following.tolist(), scores.tolist(), strict=True):
                if state < 0 or score == -np.inf:
                    column[index] = (-1, 0.0)
                    continue
                if state not in number:
                    number[state] = len(number)
                    new.append(state)
                # "0.0 - score" instead of "-score", so that a score of 0 does not become a cost of -0.0.
                column[index] = (number[state], 0.0 - score)
            columns[arc] += column
        # Checked after each layer, so that an unlimited diagram ends here and not in memory.
        if len(number) > resource.limit:
            raise InvalidProblem(
                f"{location}: more than {resource.limit} states; make them coarser, or raise its limit"
            )
    # Arcs that move all states alike share a row of the tables: there are many arcs, but mostly few kinds.
    kinds: dict[Any, int] = {}
    kind = np.zeros(count, np.int32)
    for arc in arcs:
        kind[arc] = kinds.setdefault(tuple(columns[arc]), len(kinds))
    if not kinds:
        kinds[tuple([(-1, 0.0)] * len(number))] = 0
    moves = np.array([[state for state, _ in column] for column in kinds], np.int32)
    costs = np.array([[cost for _, cost in column] for column in kinds])
    states = np.fromiter(number, np.int64)
    order = np.argsort(states)
    final_costs = np.empty(states.size)
    final_costs[order] = 0.0 - np.broadcast_to(np.asarray(diagram.final(states[order]), np.float64), states.shape)
    if np.isnan(final_costs).any() or (final_costs == -np.inf).any():
        raise InvalidProblem(f"{location}: final(states) returned NaN or inf")
    return StateMachine(kind, moves, costs, final_costs, 0)


def product(left: StateMachine, right: StateMachine) -> StateMachine:
    """Combine two machines; a state is a pair of states."""
    n = right.final_costs.size
    if left.final_costs.size * n > LIMIT:
        raise InvalidProblem(
            f"DiagramResource: several have {left.final_costs.size} x {n} states together, more than {LIMIT}"
        )
    pairs, kind = np.unique(np.stack([left.kind, right.kind]), axis=1, return_inverse=True)
    # A network without arcs still gets one kind, so that no table is empty.
    if not pairs.shape[1]:
        pairs, kind = np.zeros((2, 1), np.int64), np.zeros(0, np.int64)
    first, second = left.next_states[pairs[0]], right.next_states[pairs[1]]
    following = first[:, :, None] * n + second[:, None, :]
    following[(first < 0)[:, :, None] | (second < 0)[:, None, :]] = -1
    moves: NDArray[np.int32] = following.reshape(pairs.shape[1], -1).astype(np.int32)
    costs = left.step_costs[pairs[0]][:, :, None] + right.step_costs[pairs[1]][:, None, :]
    kinds = pairs.shape[1]
    return StateMachine(
        kind.reshape(-1).astype(np.int32),
        moves,
        costs.reshape(kinds, -1),
        (left.final_costs[:, None] + right.final_costs[None, :]).ravel(),
        left.begin * n + right.begin,
    )
