"""Branch and bound over a backbone and factors, written to be read: the twin of the compiled search.

It takes the same steps and finds the same bounds, node by node, and has the same interface; it runs in its place
where the compiled kernels are not in use. Weights are summed anew in every step, so that nothing drifts.
"""

from __future__ import annotations

import heapq
import math
import time
from typing import Any

import numpy as np

from gapless.core.decisions import FREE, OFF, ON, Fixings
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import meets
from gapless.engine.ascent import Ascent
from gapless.engine.choice_groups import State
from gapless.engine.linearised import insisted, preferences, weights_around
from gapless.engine.search_record import ENUMERATED, Evidence
from gapless.engine.search_state import (
    EVENTS,
    GAP,
    NODES,
    PROVED,
    STEPS,
    TARGET,
    TIME,
    YIELDS,
    Node,
    SearchState,
)
from gapless.engine.small_rest import choices_of, scores_of

__all__ = ["EVENTS", "GAP", "NODES", "PROVED", "STEPS", "TARGET", "TIME", "Search"]

COSTLY_CHOICES = 256
"""The same where looking at one takes a call of a costly role."""
ENDLESS = 1 << 62
EQUAL_GAPS = 1e-9
"""Gaps that differ by less, relative to the wider one, are a tie: the first decision is taken."""


class Search(SearchState):
    """Search for the best structure under weights of decisions and the values of factors.

    Parameters are those of ``gapless_kernels.search._search.Search``, whose place it takes, but for the roles,
    which are Python's; limits on memory are not counted here.

    Parameters
    ----------
    maximiser : Maximiser
        The backbone.
    base : float64 (decisions,)
    blocks : sequence of (int64 (m, width), float64 (m,))
    group_first, groups : int64, optional
        The disjoint choice groups: members of group g are ``groups[group_first[g]:group_first[g + 1]]``.
    factors : sequence of (int64 scope, ConfigurationFactor)
    costly : bool
        Whether a call of a role takes so long that few structures are to be enumerated.
    """

    def __init__(self, *given: Any, incumbent: IntArray | None = None, **options: Any) -> None:
        super().__init__(*given, **options)
        self.hold(incumbent)

    # --- the tree

    def advance(
        self,
        seconds: float = 1e9,
        nodes: int = ENDLESS,
        steps: int = ENDLESS,
        target: float = math.inf,
        gap: float = 0.0,
    ) -> int:
        """Work on for `seconds` or `steps`, or until `nodes` were worked on in all or `target` or `gap` is reached.

        The status: `PROVED`, `TIME`, `NODES`, `STEPS`, `TARGET`, `GAP` or `EVENTS`.
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
                if not self._tell():
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
            # A relaxed maximiser, as of walks, may prove less under more fixings: evidence is the node's own.
            if node.bound <= self.target and not (self.keep_proof and (self.split.groups.of < 0).any()):
                self._close(node, node.bound, node.multipliers)
            else:
                self._begin(node)

    def _begin(self, node: Node) -> None:
        """Put a node in work."""
        self.nodes += 1
        self.node, self.fresh = node, True
        self.saved: FloatArray | None = None
        self.saved_bound = math.inf
        multipliers = self.split.start() if node.multipliers is None else node.multipliers
        guides = any(factor.guide is not None for factor in self.split.factors)
        self.split.guided = guides and node.depth == 0 and node.multipliers is None
        self.ascent = Ascent(
            self.split, self.maximiser, Fixings(self.root_state), self.rules[node.depth > 0], multipliers
        )

    def _close(self, node: Node, bound: float, evidence: Evidence) -> None:
        """The node is done; `evidence` proves that nothing in it exceeds `bound`."""
        self.excluded = max(self.excluded, bound)
        self.kept.leaves[node.number] = evidence
        self.root_closed |= node.depth == 0
        self.node = None

    def _child(self, node: Node, multipliers: FloatArray | None, decision: int, on: bool) -> None:
        state = None
        if node.state is not None and node.state[decision] in (FREE, ON if on else OFF):
            state = node.state.copy()
            if on:
                state[self.split.groups.rivals(decision)] = OFF
            state[decision] = ON if on else OFF
        number = self.kept.node(node.number, decision, on)
        self._start(Node(number, state, node.bound, node.depth + 1, multipliers, shown=node.shown))

    def _branch(self, node: Node, multipliers: FloatArray | None, decision: int, *, on_last: bool) -> None:
        self._child(node, multipliers, decision, not on_last)
        self._child(node, multipliers, decision, on_last)

    def _next_level(self) -> None:
        """All nodes of a level branch on one decision, that of the node with the best structure (section 3.3)."""
        if not self.waiting:
            return
        decision = max(self.waiting, key=lambda node: node.lower).split_on
        for node in self.waiting:
            self._branch(node, node.multipliers, decision, on_last=True)
        self.waiting = []

    # --- one node

    def _step(self, node: Node) -> None:
        """One bound of the node in work, and what follows from it."""
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
            self._looks(node, better)
            and not self._round(bound) <= self.target
            and self._decode_again(node, found, score)
        ):
            self._learn(node)
            return
        if self._round(bound) <= self.target:
            self._close(node, self._round(bound), ascent.multipliers)
            return
        if self._returns() or (self._fixes() and self._fix(node)):
            return
        self._save(bound)
        if self.split.guided:
            self._follow_guides(ascent)
        if ascent.aim() == 0.0 or self._spent(ascent):
            self._split(node, found)
        else:
            ascent.move(self.value)

    def _narrow(self, node: Node) -> bool:
        """Take up what the node has fixed; whether it is still to be bounded."""
        state = None if node.state is None else self.split.groups.implied(node.state)
        if state is None:
            self._close(node, -math.inf, None)
            return False
        node.state, self.fresh = state, False
        begin = self.ascent.multipliers
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
        """Put multipliers right for scores that were asked for; shares are no charges, wherever they are kept."""
        assert self.lazy is not None
        kept: list[Evidence] = [self.saved, self.ascent.multipliers, self.ascent.best_multipliers, node.multipliers]
        kept += [other.multipliers for _, other in self.open] + [other.multipliers for other in self.waiting]
        kept += [*self.kept.leaves, *(multipliers for _, multipliers, _ in self.kept.fixings)]
        for slots in self.lazy.recharged:
            for multipliers in kept:
                if isinstance(multipliers, np.ndarray):
                    multipliers[slots] = 0.0
        self.lazy.recharged = []
        fitted = self.split.fitted(self.ascent.multipliers)
        self.ascent.multipliers = self.split.settled(fitted, self.ascent.fixings)

    def _look(self) -> float:
        self.dp_calls += 1
        bound = self.ascent.look()
        if math.isfinite(bound):
            heavy = float(self.ascent.weights.max(initial=0.0))
            self.largest = max(self.largest, abs(self.ascent.found.value), heavy)
            for factor, price in self.split.prices(self.ascent.multipliers):
                most = factor.maximise(price, self.ascent.fixings.state)[0]
                self.largest = max(self.largest, abs(most), float(np.abs(price).max(initial=0.0)))
        return bound

    def _offer(self, node: Node | None, on_ids: IntArray, score: float) -> bool:
        """Keep a structure if it is the best so far."""
        if node is not None:
            node.lower = max(node.lower, score)
        if not score > self.value:
            return False
        self.value, self.best = score, np.sort(on_ids)
        return True

    def _decode_again(self, node: Node, on_ids: IntArray, score: float) -> bool:
        """Better structures under weights linearised around the best; whether scores had to be asked for."""
        rounds = 10 if self.paper else 3 if node.depth == 0 and self.ascent.iteration == 1 else 2
        asked = insisting = False
        insist = not self.paper and (score == -math.inf or self._insists(node))
        around, gains, number, yields = on_ids, None, 0, 0
        while number < rounds:
            if insist:
                insisting, gains = True, preferences(self.split, self.ascent) if gains is None else gains
                weights, named = insisted(self.split, self.ascent, on_ids, gains)
            else:
                weights = weights_around(self.split, self.ascent, around, self._most, paper=self.paper)
            self.dp_calls += 1
            found = self.maximiser.solve(weights, self.ascent.fixings)
            if found.value == -math.inf:
                break
            if self.lazy is not None:
                asked |= self.lazy.know_structure(found.on_ids)
            again = self._score(found)
            self._offer(node, found.on_ids, again)
            if insist:  # what the backbone refuses is not wanted any more
                assert gains is not None
                refused = named & ~self.split.mask(found.on_ids)
                insist = yields < YIELDS and bool(refused.any())
                gains[refused] = -math.inf
            if again > score:
                around, score = found.on_ids, again
            elif not insist and not (insisting and number == 0):
                break
            yields, number = yields + insist, number + (not insist)
        return asked

    def _fix(self, node: Node) -> bool:
        """Fix what all structures better than the incumbent agree on; whether anything.

        A decision of a group goes on when the others of it are off.
        """
        free, with_it, without = self.ascent.flips()
        taken = self.split.mask(self.ascent.found.on_ids)
        flips = np.where(taken, np.where(self.split.groups.of < 0, without, math.inf), with_it)
        bounds = np.array([self._round(bound) for bound in flips.tolist()])
        fixed = np.flatnonzero(free & (bounds <= self.target))
        if not fixed.size:
            return False
        assert node.state is not None
        self.excluded = max(self.excluded, float(bounds[fixed].max()))
        node.state = node.state.copy()
        node.state[fixed] = np.where(taken[fixed], ON, OFF)
        self.fixed += fixed.size
        self.kept.fixings.append((node.number, self.ascent.multipliers, np.where(taken[fixed], ~fixed, fixed)))
        self.fresh, self.saved, self.saved_bound = True, None, math.inf
        return True

    def _returns(self) -> bool:
        """Whether what was remembered meets an incumbent that was found since: then the next step shows it."""
        if self.saved is None or self.paper or not self._round(self.saved_bound) <= self.target:
            return False
        self.ascent.multipliers = self.saved
        self.fresh, self.saved, self.saved_bound = True, None, math.inf
        return True

    def _split(self, node: Node, found: IntArray) -> None:
        """Branch on the decision on which the bound is most wrong."""
        ascent = self.ascent
        decision = self._widest_gap(found)
        if decision < 0:  # one structure is left, whose score is exact: what the bound has above it is rounding
            self._close(node, ascent.bound, ascent.multipliers)
            return
        assert node.state is not None
        if node.depth == 0:
            self.root_state = node.state
        if self.saved is None or ascent.bound <= self.saved_bound:
            self.saved, self.saved_bound = ascent.multipliers, ascent.bound
        evidence, bound = self.saved, self._round(self.saved_bound)
        if bound <= node.bound:
            node.bound, node.shown = bound, node.number
        elif node.multipliers is not None:  # its own steps ended higher: what it inherited proves the bound
            evidence = node.multipliers
        self.node = None
        if self.paper:
            node.multipliers, node.split_on = evidence, decision
            self.waiting.append(node)
        else:
            self._branch(node, evidence, decision, on_last=bool(np.isin(decision, found)))

    def _widest_gap(self, found: IntArray) -> int:
        """The free decision whose factors the bound has most wrong; -1 where nothing is free."""
        fixings = self.ascent.fixings
        free = np.flatnonzero(fixings.state == FREE)
        if not free.size:
            return -1
        forbidden = self.ascent.bound - self.value if math.isfinite(self.value) else 1.0 + self.largest
        gaps = self.split.gaps(self.ascent.multipliers, found, fixings, forbidden)
        if self.brancher is not None:
            return self._asked_brancher(found, gaps)
        free_gaps = gaps[free]
        widest = free_gaps.max()
        if widest > 0.0:
            return int(free[(free_gaps >= (1.0 - EQUAL_GAPS) * widest).argmax()])
        return int((*free[np.isin(free, found)], *free)[0])

    def _asked_brancher(self, found: IntArray, gaps: FloatArray) -> int:
        """The decision that the user's brancher chooses."""
        assert self.brancher is not None
        state = self.ascent.fixings.state
        chosen = self.brancher(np.sort(found), state.copy(), gaps)
        if not (isinstance(chosen, (int, np.integer)) and 0 <= chosen < state.size and state[chosen] == FREE):
            raise ValueError(
                f"the brancher chose {chosen!r}, expected a decision in 0..{state.size - 1} that is free"
            )
        return int(chosen)

    def _enumerate(self, node: Node, state: State) -> bool:
        """Look at all structures that the node has left, if these are few; whether that was done."""
        ways = choices_of(self.split, state, min(self.choices, COSTLY_CHOICES if self.costly else ENDLESS))
        if ways is None:
            return False
        most = 0.0
        if self.maximiser.has_own:
            self.dp_calls += 1
            most = self.maximiser.solve(np.zeros(state.size), Fixings(state)).value
        if self.lazy is not None:
            self.lazy.know_all(state)
        scores = scores_of(self.split, ways)
        for way in np.argsort(-scores, kind="stable"):
            if not scores[way] + most > self.value:
                break
            own = self.maximiser.own_score(ways[way])
            if own > -math.inf:
                on_ids = np.flatnonzero(ways[way])
                self._offer(node, on_ids, self.split.value(on_ids, own))
        self.enumerated += 1
        return True

    # --- from outside

    def hold(self, on_ids: IntArray | None) -> None:
        """Keep a structure from outside, decisions that are on, if it is the best so far."""
        if on_ids is None:
            return
        on_ids = np.asarray(on_ids, np.int64)
        if self.lazy is not None:
            self.lazy.know_structure(on_ids)
        own = self.maximiser.own_score(self.split.mask(on_ids))
        self._offer(None, on_ids, self.split.value(on_ids, own))

    def settle(self) -> None:
        """Bound the node in work by its latest multipliers, where a proof is kept."""
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
        """Begin again at the root with other multipliers; what the root has fixed stays, and the incumbent."""
        if not self.split.size:
            return
        self.open, self.waiting, self.node = [], [], None
        self.hold(incumbent)
        self.kept.cut()
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
        """Nodes, fixing steps and multipliers as arrays, as the compiled search gives them."""
        if not self.keep_proof:
            raise ValueError("no proof was kept: it was not asked for")
        left = [*(node for _, node in self.open), *self.waiting]
        leaves: dict[int, Evidence] = {node.number: node.multipliers for node in left}
        shown = {node.number: node.shown for node in left}
        if self.node is not None:  # of its own and the inherited multipliers, those that prove more
            inherited = self.node.multipliers
            own = self.saved is not None and (inherited is None or self.saved_bound <= self.node.bound)
            leaves[self.node.number] = self.saved if own else inherited
            shown[self.node.number] = self.node.number if own else self.node.shown
        prices = self.split.size - self.split.layout.slots
        return {"lifted": self.lifted, **self.kept.arrays(self.split.layout, leaves, shown, prices)}
