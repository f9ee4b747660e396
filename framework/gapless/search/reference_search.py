"""Branch and bound over a backbone and factors: the readable twin of the compiled search.

It has the same interface, takes the same steps and computes the same bounds, node by node, and replaces the
compiled search where the kernels are not in use. Weights are summed anew in every step, so that rounding does not
accumulate.
"""

from __future__ import annotations

import heapq
import math
import time
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import meets
from gapless.decisions.decisions import FREE, OFF, ON, Fixings
from gapless.search.choice_groups import State
from gapless.search.dual_descent import DualDescent
from gapless.search.exhaustive_node import enumerate_choices, scores_of
from gapless.search.heuristic_weights import factor_target_weights, improvement_weights, max_marginal_gaps
from gapless.search.node_log import ENUMERATED, Evidence
from gapless.search.search_state import EVENTS, GAP, NODES, PROVED, STEPS, TARGET, TIME, YIELDS, Node, SearchState

__all__ = ["EVENTS", "GAP", "NODES", "PROVED", "STEPS", "TARGET", "TIME", "ReferenceSearch"]

COSTLY_CHOICES = 256
"""Largest number of assignments for which a node is enumerated, if each needs a call of a costly role."""
ENDLESS = 1 << 62
EQUAL_GAPS = 1e-9
"""Relative difference up to which gaps are a tie, which the first decision wins: rounding must not choose."""


class ReferenceSearch(SearchState):
    """Search for the best structure under weights of decisions and the values of factors.

    Parameters are those of ``gapless_kernels.search._search.CompiledSearch``, except that roles are Python objects;
    limits on memory have no effect.

    Parameters
    ----------
    maximiser : Maximiser
        The backbone.
    base : float64 (decisions,)
    blocks : sequence of (int64 (m, width), float64 (m,))
    group_first, groups : int64, optional
        Disjoint choice groups: members of group g are ``groups[group_first[g]:group_first[g + 1]]``.
    factors : sequence of (int64 scope, ConfigurationFactor)
    costly : bool
        Whether calls of roles are so slow that only few structures should be enumerated.
    """

    def __init__(self, *given: Any, incumbent: IntArray | None = None, **options: Any) -> None:
        super().__init__(*given, **options)
        self.offer_incumbent(incumbent)

    # --- the tree

    def advance(
        self,
        seconds: float = 1e9,
        nodes: int = ENDLESS,
        steps: int = ENDLESS,
        target: float = math.inf,
        gap: float = 0.0,
    ) -> int:
        """Search for `seconds` or `steps`, or until `nodes` in total, `target` or `gap` is reached.

        Returns the status: `PROVED`, `TIME`, `NODES`, `STEPS`, `TARGET`, `GAP` or `EVENTS`.
        """
        end = time.monotonic() + seconds
        self.status = self._advance(end, nodes, steps, target, gap)
        return self.status

    def _advance(self, end: float, nodes: int, steps: int, target: float, gap: float) -> int:
        while True:
            if self.node is not None:
                if time.monotonic() > end:
                    return TIME
                if steps <= 0:
                    return STEPS
                steps -= 1
                self._step(self.node)
                self.steps += 1
                if not self._record_event():
                    return EVENTS
                continue
            if self.value >= target:
                return TARGET
            if gap > 0.0 and meets(self.bound, self.value, gap):
                return GAP
            if not self.open:
                self._next_level()
            if not self.open:
                return PROVED
            if self.nodes >= nodes:
                return NODES
            if time.monotonic() > end:
                return TIME
            node = heapq.heappop(self.open)[1]
            # With ungrouped decisions, a relaxed maximiser may bound a child less tightly than its parent (decision
            # 045), so a proof needs evidence computed at the node itself.
            if node.bound <= self.target and not (self.keep_proof and (self.split.groups.of < 0).any()):
                self._close(node, node.bound, node.multipliers)
            else:
                self._begin(node)

    def _begin(self, node: Node) -> None:
        """Make a node the current one."""
        self.nodes += 1
        self.node, self.fresh = node, True
        self.saved: FloatArray | None = None
        self.saved_bound = math.inf
        multipliers = self.split.start() if node.multipliers is None else node.multipliers
        guides = any(factor.guide is not None for factor in self.split.factors)
        self.split.guided = guides and node.depth == 0 and node.multipliers is None
        self.ascent = DualDescent(
            self.split, self.maximiser, Fixings(self.root_state), self.rules[node.depth > 0], multipliers
        )

    def _close(self, node: Node, bound: float, evidence: Evidence) -> None:
        """Close a node; `evidence` proves that none of its structures exceeds `bound`."""
        self.excluded = max(self.excluded, bound)
        self.log.leaves[node.number] = evidence
        self.root_closed |= node.depth == 0
        self.node = None

    def _child(self, node: Node, multipliers: FloatArray | None, decision: int, on: bool) -> None:
        state = None
        if node.state is not None and node.state[decision] in (FREE, ON if on else OFF):
            state = node.state.copy()
            if on:
                state[self.split.groups.group_members(decision)] = OFF
            state[decision] = ON if on else OFF
        # Also a child that contradicts the fixings is recorded, because a certificate needs all children.
        number = self.log.node(node.number, decision, on)
        self._start(Node(number, state, node.bound, node.depth + 1, multipliers, shown=node.shown))

    def _branch(self, node: Node, multipliers: FloatArray | None, decision: int, *, on_last: bool) -> None:
        # Depth-first search continues with the child that is made last.
        self._child(node, multipliers, decision, not on_last)
        self._child(node, multipliers, decision, on_last)

    def _next_level(self) -> None:
        """Branch all nodes of a level on the decision of the node with the best structure (section 3.3)."""
        if not self.waiting:
            return
        decision = max(self.waiting, key=lambda node: node.lower).split_on
        for node in self.waiting:
            self._branch(node, node.multipliers, decision, on_last=True)
        self.waiting = []

    # --- one node

    def _step(self, node: Node) -> None:
        """Evaluate one bound of the current node: close it, fix decisions, branch or move the multipliers."""
        ascent = self.ascent
        if self.fresh and not self._narrow(node):
            return
        bound = self._look()
        if bound == -math.inf:
            self._close(node, bound, None)
            return
        found = ascent.found.on_ids
        if self.lazy is not None and self.lazy.know_bound(ascent, found):
            self._learn(node)
            return
        ascent.count(bound)
        score = self._score(ascent.found)
        better = self._offer(node, found, score)
        if (
            self._should_improve(node, better)
            and not self._round(bound) <= self.target
            and self._improve_incumbent(node, found, score)
        ):
            self._learn(node)
            return
        if self._round(bound) <= self.target:
            self._close(node, self._round(bound), ascent.multipliers)
            return
        if self._saved_bound_closes() or (self._fixes() and self._fix(node)):
            return
        self._save(bound)
        if self.split.guided:
            self._follow_guides(ascent)
        if ascent.aim() == 0.0 or self._should_branch(ascent):
            self._split(node, found)
        else:
            ascent.move(self.value)

    def _narrow(self, node: Node) -> bool:
        """Apply the fixings of a node; return False if they close it."""
        state = None if node.state is None else self.split.groups.implied(node.state)
        if state is None:
            self._close(node, -math.inf, None)
            return False
        node.state, self.fresh = state, False
        begin = self.ascent.multipliers
        # A factor without an allowed configuration closes the node. Its claim is tested by a structure of the
        # maximiser, because a wrong -inf would prove anything.
        denied = next(
            (p for p, price in self.split.prices(begin) if p.maximise(price, state)[0] == -math.inf), None
        )
        if denied is not None:
            weights = self.split.weights(begin, Fixings(state))[0]
            found = self.maximiser.solve(weights, Fixings(state))
            if found.value > -math.inf:
                denied.allows_nothing(self.split.mask(found.on_ids)[denied.scope])
            self._close(node, -math.inf, None)
            return False
        if self.choices and self._enumerate(node, state):
            self._close(node, -math.inf, ENUMERATED)
            return False
        if self.lazy is not None:
            self._learn(node)
        self.ascent.begin(Fixings(state))
        return True

    def _learn(self, node: Node) -> None:
        """Adapt all stored multipliers to requested scores.

        The shares of an upper bound whose score is not positive would otherwise count as charges.
        """
        assert self.lazy is not None
        ascent = self.ascent
        stored: list[Evidence] = [self.saved, ascent.multipliers, ascent.best_multipliers, node.multipliers]
        stored += [other.multipliers for other in (*(node for _, node in self.open), *self.waiting)]
        stored += [*self.log.leaves, *(multipliers for _, multipliers, _ in self.log.fixings)]
        for slots in self.lazy.recharged:
            for multipliers in stored:
                if isinstance(multipliers, np.ndarray):
                    multipliers[slots] = 0.0
        self.lazy.recharged = []
        fitted = self.split.fitted(self.ascent.multipliers)
        self.ascent.multipliers = self.split.settled(fitted, self.ascent.fixings)

    def _look(self) -> float:
        self.dp_calls += 1
        bound = self.ascent.look()
        if math.isfinite(bound):
            # The largest term met bounds the rounding error of all sums, see `lost`.
            heavy = float(self.ascent.weights.max(initial=0.0))
            self.largest = max(self.largest, abs(self.ascent.found.value), heavy)
            for factor, price in self.split.prices(self.ascent.multipliers):
                maximum = factor.maximise(price, self.ascent.fixings.state)[0]
                self.largest = max(self.largest, abs(maximum), float(np.abs(price).max(initial=0.0)))
        return bound

    def _offer(self, node: Node | None, on_ids: IntArray, score: float) -> bool:
        """Make a structure the incumbent if it is better."""
        if node is not None:
            node.lower = max(node.lower, score)
        if not score > self.value:
            return False
        self.value, self.best = score, np.sort(on_ids)
        return True

    def _improve_incumbent(self, node: Node, on_ids: IntArray, score: float) -> bool:
        """Search near the optimum for an incumbent; return whether scores had to be requested."""
        rounds = 10 if self.paper else 3 if node.depth == 0 and self.ascent.iteration == 1 else 2
        requested = has_targeted = False
        targeting = not self.paper and (score == -math.inf or self._should_target_factors(node))
        around, gains, number, yields = on_ids, None, 0, 0
        while number < rounds:
            if targeting:
                has_targeted, gains = True, max_marginal_gaps(self.split, self.ascent) if gains is None else gains
                weights, targets = factor_target_weights(self.split, self.ascent, on_ids, gains)
            else:
                weights = improvement_weights(self.split, self.ascent, around, self._weight_limit, paper=self.paper)
            self.dp_calls += 1
            found = self.maximiser.solve(weights, self.ascent.fixings)
            if found.value == -math.inf:
                break
            if self.lazy is not None:
                requested |= self.lazy.know_structure(found.on_ids)
            new_score = self._score(found)
            self._offer(node, found.on_ids, new_score)
            if targeting:  # targets that the backbone left off although their weight dominated are dropped
                assert gains is not None
                rejected = targets & ~self.split.mask(found.on_ids)
                targeting = yields < YIELDS and bool(rejected.any())
                gains[rejected] = -math.inf
            if new_score > score:
                around, score = found.on_ids, new_score
            elif not targeting and not (has_targeted and number == 0):
                break
            yields, number = yields + targeting, number + (not targeting)
        return requested

    def _fix(self, node: Node) -> bool:
        """Fix the decisions on which all better structures agree; return whether there are any.

        A grouped decision is fixed on by turning the others of its group off.
        """
        free, with_it, without = self.ascent.flips()
        on = self.split.mask(self.ascent.found.on_ids)
        flips = np.where(on, np.where(self.split.groups.of < 0, without, math.inf), with_it)
        bounds = np.array([self._round(bound) for bound in flips.tolist()])
        fixed = np.flatnonzero(free & (bounds <= self.target))
        if not fixed.size:
            return False
        assert node.state is not None
        self.excluded = max(self.excluded, float(bounds[fixed].max()))
        node.state = node.state.copy()
        node.state[fixed] = np.where(on[fixed], ON, OFF)
        self.fixed += fixed.size
        self.log.fixings.append((node.number, self.ascent.multipliers, np.where(on[fixed], ~fixed, fixed)))
        self.fresh, self.saved, self.saved_bound = True, None, math.inf
        return True

    def _saved_bound_closes(self) -> bool:
        """Whether the saved bound meets an incumbent found since; if so, the next step evaluates it."""
        if self.saved is None or self.paper or not self._round(self.saved_bound) <= self.target:
            return False
        self.ascent.multipliers = self.saved
        self.fresh, self.saved, self.saved_bound = True, None, math.inf
        return True

    def _split(self, node: Node, found: IntArray) -> None:
        """Branch on the decision with the widest gap between bound and score."""
        ascent = self.ascent
        decision = self._widest_gap(found)
        if decision < 0:  # one structure remains, so the bound is its score and an excess is rounding
            self._close(node, ascent.bound, ascent.multipliers)
            return
        assert node.state is not None
        # Fixings at the root hold for all structures better than the incumbent; a restart keeps them.
        if node.depth == 0:
            self.root_state = node.state
        if self.saved is None or ascent.bound <= self.saved_bound:
            self.saved, self.saved_bound = ascent.multipliers, ascent.bound
        evidence, bound = self.saved, self._round(self.saved_bound)
        if bound <= node.bound:
            node.bound, node.shown = bound, node.number
        elif node.multipliers is not None:  # the inherited multipliers prove more than its own steps
            evidence = node.multipliers
        self.node = None
        if self.paper:
            node.multipliers, node.split_on = evidence, decision
            self.waiting.append(node)
        else:
            # The side of the current structure comes last, so that a dive keeps to it.
            self._branch(node, evidence, decision, on_last=bool(np.isin(decision, found)))

    def _widest_gap(self, found: IntArray) -> int:
        """Return the free decision of the widest gap; -1 if no decision is free."""
        fixings = self.ascent.fixings
        free = np.flatnonzero(fixings.state == FREE)
        if not free.size:
            return -1
        forbidden = self.ascent.bound - self.value if math.isfinite(self.value) else 1.0 + self.largest
        gaps = self.split.gaps(self.ascent.multipliers, found, fixings, forbidden)
        free_gaps = gaps[free]
        widest = free_gaps.max()
        if widest > 0.0:
            return int(free[(free_gaps >= (1.0 - EQUAL_GAPS) * widest).argmax()])
        return int((*free[np.isin(free, found)], *free)[0])

    def _enumerate(self, node: Node, state: State) -> bool:
        """Enumerate the structures of a node if they are few; return whether that was done."""
        limit = min(self.choices, COSTLY_CHOICES if self.costly else ENDLESS)
        assignments = enumerate_choices(self.split, state, limit)
        if assignments is None:
            return False
        internal_bound = 0.0
        if self.maximiser.has_internal_scores:
            self.dp_calls += 1
            internal_bound = self.maximiser.solve(np.zeros(state.size), Fixings(state)).value
        if self.lazy is not None:
            self.lazy.know_all(state)
        scores = scores_of(self.split, assignments)
        for index in np.argsort(-scores, kind="stable"):
            # Sorted by score: no later assignment can be better, whatever its internal score.
            if not scores[index] + internal_bound > self.value:
                break
            internal_score = self.maximiser.internal_score_of(assignments[index])
            if internal_score > -math.inf:
                on_ids = np.flatnonzero(assignments[index])
                self._offer(node, on_ids, self.split.value(on_ids, internal_score))
        self.enumerated += 1
        return True

    # --- calls between slices

    def offer_incumbent(self, on_ids: IntArray | None) -> None:
        """Make a structure of the caller, given by its decisions, the incumbent if it is better."""
        if on_ids is None:
            return
        on_ids = np.asarray(on_ids, np.int64)
        if self.lazy is not None:
            self.lazy.know_structure(on_ids)
        internal_score = self.maximiser.internal_score_of(self.split.mask(on_ids))
        self._offer(None, on_ids, self.split.value(on_ids, internal_score))

    def bound_current_node(self) -> None:
        """Bound the current node by its latest multipliers if a proof is kept."""
        if self.node is None or not self.keep_proof:
            return
        if self.fresh:
            state = None if self.node.state is None else self.split.groups.implied(self.node.state)
            if state is None:
                return
            self.ascent.begin(Fixings(state))
        bound = self._look()
        if -math.inf < bound < self.saved_bound:
            self.saved, self.saved_bound = self.ascent.multipliers, bound
            self.ascent.best = min(self.ascent.best, bound)

    def restart(self, multipliers: FloatArray, incumbent: IntArray | None = None) -> None:
        """Restart at the root with other multipliers; incumbent and fixings of the root stay."""
        if not self.split.size:
            return
        self.open, self.waiting, self.node = [], [], None
        self.offer_incumbent(incumbent)
        self.log.reset_to_root()
        begin = self.split.fitted(np.asarray(multipliers, np.float64))
        root = Node(0, self.root_state, math.inf, 0, begin)
        self._begin(root)
        state = self.split.groups.implied(self.root_state)
        root.bound = -math.inf
        if state is not None:
            self.ascent.begin(Fixings(state))
            root.bound = self._look()
            self.ascent.multipliers = begin

    def record(self) -> dict[str, Any]:
        """Return nodes, fixing steps and multipliers as arrays, as `CompiledSearch.record` does."""
        if not self.keep_proof:
            raise ValueError("no proof was kept: it was not asked for")
        open_nodes = [*(node for _, node in self.open), *self.waiting]
        leaves: dict[int, Evidence] = {node.number: node.multipliers for node in open_nodes}
        shown = {node.number: node.shown for node in open_nodes}
        if self.node is not None:  # take its own or the inherited multipliers, whichever prove more
            inherited = self.node.multipliers
            own = self.saved is not None and (inherited is None or self.saved_bound <= self.node.bound)
            leaves[self.node.number] = self.saved if own else inherited
            shown[self.node.number] = self.node.number if own else self.node.shown
        prices = self.split.size - self.split.layout.slots
        return {"lifted": self.lifted, **self.log.arrays(self.split.layout, leaves, shown, prices)}
