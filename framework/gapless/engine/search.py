"""Branch and bound over a backbone and factors, written to be read: the twin of the compiled search.

It takes the same steps and finds the same bounds, node by node, and has the same interface; it runs in its place
where the compiled kernels are not in use. Weights are summed anew in every step, so that nothing drifts.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.core.decisions import FREE, OFF, ON, Fixings
from gapless.core.factor import ConfigurationFactor
from gapless.core.oracle import Maximiser
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import margin, meets, round_bound
from gapless.engine.ascent import Ascent, HalvingRule, StepRule
from gapless.engine.choice_groups import ChoiceGroups, State
from gapless.engine.forms import Block, lay_out
from gapless.engine.frontier import ORDERS
from gapless.engine.lazy_scores import LazyScores
from gapless.engine.linearised import consulted, linearised, lower_bound_weights
from gapless.engine.priced_factor import PricedFactor
from gapless.engine.search_record import ENUMERATED, Evidence, Record
from gapless.engine.small_rest import choices_of, scores_of
from gapless.engine.split_bound import SplitBound

S = TypeVar("S")

VARIANTS = ("default", "paper")
PROVED, TIME, NODES, _, _, STEPS, TARGET, GAP, EVENTS = range(9)
CHOICES = 1 << 14
"""Once a node has no more ways to choose than this, all of them are looked at."""
COSTLY_CHOICES = 256
"""The same where looking at one takes a call of a costly role."""
ENDLESS = 1 << 62

EVENT = np.dtype(
    [("nodes", "i8"), ("step", "?"), ("depth", "i4"), ("free", "i8"), ("bound", "f8"), ("value", "f8")]
)
EVENT_ROOM = 4096
"""Events that are kept until somebody hears of them."""
Brancher = Callable[[IntArray, State, FloatArray], int]
"""From the structure found, the state and the gap of each decision to the decision to branch on."""

CHILD = StepRule(patience=3, iterations=30, fix_below=0.7, trend=4)
"""The steps below the root; at the root there are more, and the first bound fixes nothing."""
SAVE_AFTER, SAVE_LATE, SAVE_SHARE = 8, 40, 0.05
"""Multipliers are remembered after so many steps (late without a record), and as they close so much of the gap."""


@attrs.define(eq=False)
class Node:
    """An open node.

    Parameters
    ----------
    number : int
        In the record.
    state : int8 (decisions,) or None
        None where the branch contradicts what is fixed.
    bound : float
        By `multipliers`, which it begins with.
    split_on : int
        Decision to branch on, for nodes that wait for the end of their level.
    lower : float
        Score of the best structure found in it.
    """

    number: int
    state: State | None
    bound: float
    depth: int
    multipliers: FloatArray | None = None
    split_on: int = -1
    lower: float = -math.inf


class Search:
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

    def __init__(
        self,
        maximiser: Maximiser[Any],
        base: FloatArray,
        blocks: Sequence[Block],
        *,
        group_first: IntArray | None = None,
        groups: IntArray | None = None,
        factors: Sequence[tuple[IntArray, ConfigurationFactor]] = (),
        variant: str = "default",
        order: str = "best-first",
        incumbent: IntArray | None = None,
        keep_proof: bool = True,
        granularity: float = 0.0,
        choices: int = CHOICES,
        root_steps: int = 120,
        root_trend: int = 7,
        compact: bool = False,
        ask: Callable[[IntArray], FloatArray] | None = None,
        unknown: BoolArray | None = None,
        proof_limit: float = math.inf,
        memory_limit: float = math.inf,
        checked: bool = False,
        brancher: Brancher | None = None,
        events: str | None = None,
        costly: bool = False,
    ) -> None:
        if variant not in VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}")
        if order not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(ORDERS)}, got {order!r}")
        if events not in (None, "nodes", "steps"):
            raise ValueError(f"events must be None, 'nodes' or 'steps', got {events!r}")
        if factors and variant == "paper":
            raise ValueError("the paper's variant takes no factors")
        if unknown is not None and (ask is None or variant == "paper"):
            raise ValueError("unknown scores need ask, and the default variant")
        base = np.ascontiguousarray(base, np.float64)
        none = np.zeros(0, np.int64)
        chosen = ChoiceGroups(
            base.size,
            np.zeros(1, np.int64) if group_first is None else group_first,
            none if groups is None else groups,
        )
        self.maximiser, self.paper = maximiser, variant == "paper"
        self.order = "breadth-first" if self.paper else order
        self.keep_proof, self.granularity, self.compact = keep_proof, granularity or None, compact
        self.choices, self.costly = 0 if self.paper else choices, costly
        layout = lay_out(base, blocks, chosen, maximiser.rivals(), stars=not self.paper, unknown=unknown)
        priced, slot = [], layout.slots
        for scope, factor in factors:
            priced.append(PricedFactor(factor, np.asarray(scope, np.int64), slot))
            slot += len(scope)
        self.split: SplitBound[Any] = SplitBound(layout, priced, shares=self.paper)
        self.lazy = None if unknown is None or ask is None else LazyScores(self.split, unknown, ask)
        self.rules = self._rules(root_steps, root_trend)
        self.largest = float(np.abs(layout.base).max(initial=0.0))
        self.brancher, self.tells = brancher, events
        self.told: list[tuple[int, bool, int, int, float, float]] = []
        self.kept = Record()
        self.open: list[tuple[tuple[float, ...], Node]] = []
        self.waiting: list[Node] = []
        self.node: Node | None = None
        self.value = self.excluded = -math.inf
        self.best = none
        self.dp_calls = self.nodes = self.fixed = self.enumerated = self.steps = 0
        self.root_closed, self.status = False, -1
        self.root_state: State = np.where(base == -math.inf, OFF, FREE).astype(np.int8)
        self.root_multipliers: FloatArray | None = None
        self._start(Node(self.kept.node(-1, -1, False), self.root_state, math.inf, 0))
        self.hold(incumbent)

    def _rules(self, root_steps: int, root_trend: int) -> tuple[StepRule, StepRule]:
        """The steps at the root, and below."""
        if not self.paper:
            return attrs.evolve(CHILD, iterations=root_steps, trend=root_trend, fix_first=False), CHILD
        scores = np.concatenate([np.zeros(0), *(shared.scores for shared in self.split.layout.shared)])
        rule = HalvingRule(scale=float((1.0 / np.abs(scores[scores != 0])).max(initial=0.0)))
        return rule, rule

    # --- what is known

    @property
    def on(self) -> IntArray:
        """Decisions of the best structure, ascending; empty while there is none."""
        return self.best

    @property
    def working(self) -> bool:
        """Whether a node is in work."""
        return self.node is not None

    @property
    def target(self) -> float:
        """A bound up to here closes."""
        return self.value + margin(self.value)

    @property
    def bound(self) -> float:
        """Upper bound on every structure; +inf before the first bound."""
        open_bounds = [node.bound for _, node in self.open] + [node.bound for node in self.waiting]
        if self.node is not None:  # only what was remembered can be shown in a proof
            shown = self.saved_bound if self.keep_proof else self.ascent.best
            open_bounds.append(min(self.node.bound, self._round(shown)))
        return max(self.value, self.excluded, *open_bounds, -math.inf)

    @property
    def step_bound(self) -> float:
        """Least bound of the steps at the node in work; +inf before the first, and between nodes."""
        return math.inf if self.node is None else min(self.node.bound, self._round(self.ascent.best))

    @property
    def free(self) -> int:
        """Number of decisions possible at the node in work."""
        return 0 if self.node is None or self.node.state is None else int((self.node.state != OFF).sum())

    @property
    def infeasible(self) -> bool:
        """Whether there is provably no structure."""
        return self.status == PROVED and self.value == -math.inf

    @property
    def proof_dropped(self) -> bool:
        """Never: memory is not counted here."""
        return False

    @property
    def rough(self) -> bool:
        """Whether scores cancel so far that rounding may exceed the margin."""
        return 2.0**-46 * self.largest > 0.25 * margin(self.value if math.isfinite(self.value) else 0.0)

    @property
    def scored(self) -> int:
        """Number of scopes whose score was asked for."""
        return 0 if self.lazy is None else self.lazy.scored

    @property
    def root_free(self) -> BoolArray:
        """Decisions left possible at the root when it branched, bool (decisions,); all, if it has not."""
        return self.root_state != OFF

    def grouped(self) -> BoolArray:
        """Whether each scope is a pair in a star, bool (scopes,)."""
        return self.split.layout.starred

    def slots(self) -> tuple[IntArray, IntArray]:
        """Scope of each multiplier of a conjunction, and the decision's place in it."""
        return self.split.layout.places()

    def _round(self, bound: float) -> float:
        return round_bound(bound, self.granularity)

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
            if node.bound <= self.target:
                self._close(node, node.bound, node.multipliers)
            else:
                self._begin(node)

    def _tell(self) -> bool:
        """Note for observers that a node ended, or a step of the root; False where they should hear of it first."""
        if self.tells is None or (self.node is not None and (self.tells == "nodes" or self.node.depth)):
            return True
        working = self.node is not None
        bound, depth = (self.step_bound, 0) if working else (self.bound, -1)
        self.told.append((self.nodes, working, depth, self.free, bound, self.value))
        return len(self.told) < EVENT_ROOM

    def events(self) -> Any:
        """What happened since this was last asked, as the compiled search tells it."""
        told, self.told = self.told, []
        return np.array(told, EVENT)

    def _start(self, node: Node) -> None:
        keys = {"best-first": -node.bound, "breadth-first": float(node.depth), "depth-first": -float(node.number)}
        heapq.heappush(self.open, ((keys[self.order], node.number), node))

    def _begin(self, node: Node) -> None:
        """Put a node in work."""
        self.nodes += 1
        self.node, self.fresh = node, True
        self.saved: FloatArray | None = None
        self.saved_bound = math.inf
        multipliers = self.split.start() if node.multipliers is None else node.multipliers
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
        self._start(Node(number, state, node.bound, node.depth + 1, multipliers))

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
        score = self.split.value(found, ascent.found.own)
        better = self._offer(node, found, score)
        if self._looks(better) and not self._round(bound) <= self.target and self._decode_again(node, found, score):
            self._learn(node)
            return
        if self._round(bound) <= self.target:
            self._close(node, self._round(bound), ascent.multipliers)
            return
        if self._fixes() and self._fix(node):
            return
        self._save(bound)
        if ascent.aim() == 0.0 or ascent.spent(self.value):
            self._split(node, found)
        else:
            ascent.move(self.value)

    def _looks(self, better: bool) -> bool:
        """Whether to maximise again for an incumbent: more and more seldom where factors forbid all so far."""
        number = self.ascent.iteration
        if self.paper:
            return self.nodes == 1 and number == 1
        return better or number == 1 or (self.value == -math.inf and number & (number - 1) == 0)

    def _fixes(self) -> bool:
        """Whether slacks may fix something by now; without an incumbent, only what cannot be at all."""
        if self.value == -math.inf:
            return not self.paper and self.ascent.iteration == 1
        return not self.paper and self.ascent.fixing_due(self.value)

    def _narrow(self, node: Node) -> bool:
        """Take up what the node has fixed; whether it is still to be bounded."""
        state = None if node.state is None else self.split.groups.implied(node.state)
        if state is None:
            self._close(node, -math.inf, None)
            return False
        node.state, self.fresh = state, False
        begin = self.ascent.multipliers
        if any(part.maximise(price, state)[0] == -math.inf for part, price in self.split.prices(begin)):
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
        asked = False
        for _ in range(rounds):
            self.dp_calls += 1
            found = self.maximiser.solve(self._around(on_ids), self.ascent.fixings)
            if found.value == -math.inf:
                break
            if self.lazy is not None:
                asked |= self.lazy.know_structure(found.on_ids)
            again = self.split.value(found.on_ids, found.own)
            self._offer(node, found.on_ids, again)
            if not again > score:
                break
            on_ids, score = found.on_ids, again
        return asked

    def _around(self, on_ids: IntArray) -> FloatArray:
        """Weights around a structure."""
        if self.paper:
            return lower_bound_weights(self.split, on_ids)
        on, most = self.split.mask(on_ids), 2.0 * (1.0 + self.largest)
        if any(factor.value(on[factor.scope]) == -math.inf for factor in self.split.factors):
            return consulted(self.split, self.ascent, on_ids, most)
        return linearised(self.split, on_ids, most)

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

    def _save(self, bound: float) -> None:
        """Remember multipliers that children may begin with, and that a proof may show."""
        late = self.ascent.iteration > (SAVE_AFTER if self.keep_proof else SAVE_LATE)
        closes = self.saved_bound - bound > SAVE_SHARE * (self.saved_bound - self.value)
        if late if self.saved is None else closes:
            self.saved, self.saved_bound = self.ascent.multipliers, bound

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
            node.bound = bound
        elif node.multipliers is not None:  # its own steps ended higher: what it inherited proves the bound
            evidence = node.multipliers
        if node.depth == 0:
            self.root_multipliers = evidence
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
        if free_gaps.max() > 0.0:
            return int(free[free_gaps.argmax()])
        inside = free[np.isin(free, found)]
        return int(inside[0] if inside.size else free[0])

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

    def record(self, shares: bool = True) -> dict[str, Any]:
        """Nodes, fixing steps and multipliers as arrays, as the compiled search gives them."""
        if not self.keep_proof:
            raise ValueError("no proof was kept: it was not asked for")
        if self.compact and shares:
            raise ValueError("this search counted on multipliers in units of scores")
        leaves: dict[int, Evidence] = {node.number: node.multipliers for _, node in self.open}
        leaves.update({node.number: node.multipliers for node in self.waiting})
        if self.node is not None:  # of its own and the inherited multipliers, those that prove more
            inherited = self.node.multipliers
            own = self.saved is not None and (inherited is None or self.saved_bound <= self.node.bound)
            leaves[self.node.number] = self.saved if own else inherited
        prices = self.split.size - self.split.layout.slots
        return self.kept.arrays(self.split.layout, leaves, prices, shares=shares)
