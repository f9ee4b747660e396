"""State of the readable search: problem, open nodes, incumbent, bound, and the conditions of its steps."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import round_bound, score_tolerance
from gapless.column_generation.priced_factor import PricedFactor
from gapless.decisions.decisions import FREE, OFF, ON
from gapless.factors.factor import ConfigurationFactor
from gapless.oracles.maximiser import Maximiser, Optimum
from gapless.search.choice_groups import ChoiceGroups, State
from gapless.search.dual_descent import DualDescent, HalvingRule, StepRule
from gapless.search.lazy_scores import LazyScores
from gapless.search.node_log import NodeLog
from gapless.search.split_bound import SplitBound
from gapless.search.split_layout import Block, Excludes, lay_out_conjunctions
from gapless.tree_search.frontier import ORDERS

VARIANTS = ("default", "paper")
PROVED, TIME, NODES, _, _, STEPS, TARGET, GAP, EVENTS = range(9)
CHOICES = 1 << 14
"""Largest number of assignments for which a node is enumerated."""
EVENT = np.dtype(
    [("nodes", "i8"), ("step", "?"), ("depth", "i4"), ("free", "i8"), ("bound", "f8"), ("value", "f8")]
)
EVENT_CAPACITY = 4096
"""Number of recorded events at which a search returns, so that its caller passes them to the observers."""
CHILD = StepRule(patience=3, iterations=30, fix_below=0.7, trend=4)
"""Step rule below the root; at the root there are more steps, and the first bound fixes nothing."""

SAVE_AFTER, SAVE_LATE, SAVE_SHARE = 8, 40, 0.05
"""Multipliers are saved after so many steps (late without a record), and when they close this share of the gap."""
TARGET_FACTORS_EVERY = 3
"""Steps of the root between two searches for configurations near the bound's structure."""
YIELDS = 3
"""Number of times that factors replace targets which the backbone rejects."""
GUIDED_STEPS = 40
"""Largest number of steps along the guides of factors (decision 041)."""


@attrs.define(eq=False)
class Node:
    """An open node.

    Parameters
    ----------
    number : int
        Index in the record.
    state : int8 (decisions,) or None
        None if the branch contradicts a fixing.
    bound : float
        Bound by `multipliers`, from which the node starts, under the fixings of node `shown`.
    split_on : int
        Decision to branch on, for nodes that wait for the end of their level (paper's variant).
    lower : float
        Score of the best structure found in the node.
    """

    number: int
    state: State | None
    bound: float
    depth: int
    multipliers: FloatArray | None = None
    shown: int = 0
    split_on: int = -1
    lower: float = -math.inf


class SearchState:
    """The state of a `ReferenceSearch`, whose parameters these are, and the queries on it."""

    ascent: DualDescent[Any]
    fresh: bool
    saved: FloatArray | None
    saved_bound: float

    def __init__(
        self,
        maximiser: Maximiser[Any],
        base: FloatArray,
        blocks: Sequence[Block],
        *,
        group_first: IntArray | None = None,
        groups: IntArray | None = None,
        factors: Sequence[tuple[IntArray, ConfigurationFactor]] = (),
        guides: Sequence[FloatArray | None] | None = None,
        variant: str = "default",
        order: str = "best-first",
        keep_proof: bool = True,
        granularity: float = 0.0,
        choices: int = CHOICES,
        root_steps: int = 120,
        root_trend: int = 7,
        lifted: bool = False,
        ask: Callable[[IntArray], FloatArray] | None = None,
        unknown: BoolArray | None = None,
        proof_limit: float = math.inf,
        memory_limit: float = math.inf,
        checked: bool = False,
        events: str | None = None,
        costly: bool = False,
        on: IntArray | None = None,
        largest_term: float = 0.0,
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
        choice_groups = ChoiceGroups(
            base.size,
            np.zeros(1, np.int64) if group_first is None else group_first,
            none if groups is None else groups,
        )
        self.maximiser, self.paper = maximiser, variant == "paper"
        # The paper branches level by level and enumerates nothing.
        self.order = "breadth-first" if self.paper else order
        self.keep_proof, self.granularity = keep_proof, granularity or None
        self.choices, self.costly = 0 if self.paper else choices, costly
        # A maximiser that does not know exclusions returns None, also for no pairs.
        self.lifted = lifted and not self.paper and maximiser.are_exclusive(none, none) is not None
        layout = lay_out_conjunctions(
            base,
            blocks,
            choice_groups,
            maximiser.conflicts(),
            stars=not self.paper,
            unknown=unknown,
            excludes=cast(Excludes, maximiser.are_exclusive) if self.lifted else None,
        )
        priced, slot = [], layout.slots
        for (scope, factor), guide in zip(factors, guides or [None] * len(factors), strict=True):
            priced.append(PricedFactor(factor, np.asarray(scope, np.int64), slot, guide, largest_term))
            slot += len(scope)
        self.split: SplitBound[Any] = SplitBound(layout, priced, shares=self.paper)
        self.lazy = None if unknown is None or ask is None else LazyScores(self.split, unknown, ask)
        self.rules = self._step_rules(root_steps, root_trend)
        self.largest = float(np.abs(layout.base[layout.base > -np.inf]).max(initial=0.0))
        self.event_level, self.largest_term = events, largest_term
        self.recorded: list[tuple[int, bool, int, int, float, float]] = []
        self.log = NodeLog()
        self.open: list[tuple[tuple[float, ...], Node]] = []
        self.waiting: list[Node] = []
        self.node: Node | None = None
        self.value = self.excluded = -math.inf
        self.best = none
        self.dp_calls = self.nodes = self.fixed = self.enumerated = self.steps = 0
        self.root_closed, self.status = False, -1
        self.root_state: State = np.where(base == -math.inf, OFF, FREE).astype(np.int8)
        if on is not None:
            self.root_state[on] = ON
        self._start(Node(self.log.node(-1, -1, False), self.root_state, math.inf, 0))

    def _step_rules(self, root_steps: int, root_trend: int) -> tuple[StepRule, StepRule]:
        """The step rules at the root and below it."""
        if not self.paper:
            return attrs.evolve(CHILD, iterations=root_steps, trend=root_trend, fix_first=False), CHILD
        scores = np.concatenate([np.zeros(0), *(shared.scores for shared in self.split.layout.shared)])
        rule = HalvingRule(scale=float((1.0 / np.abs(scores[scores != 0])).max(initial=0.0)))
        return rule, rule

    # --- results so far

    @property
    def on(self) -> IntArray:
        """Decisions of the incumbent, ascending; empty if there is none."""
        return self.best

    @property
    def working(self) -> bool:
        """Whether there is a current node."""
        return self.node is not None

    @property
    def target(self) -> float:
        """Largest bound that closes a node."""
        return self.value + score_tolerance(self.value)

    @property
    def bound(self) -> float:
        """Score that no structure exceeds; +inf before the first bound."""
        open_bounds = [node.bound for _, node in self.open] + [node.bound for node in self.waiting]
        if self.node is not None:  # a proof contains the saved multipliers, so only their bound can be claimed
            shown = self.saved_bound if self.keep_proof else self.ascent.best
            open_bounds.append(min(self.node.bound, self._round(shown)))
        # Closed nodes contribute the largest of their bounds.
        return max(self.value, self.excluded, *open_bounds, -math.inf)

    @property
    def step_bound(self) -> float:
        """Least bound of the steps at the current node; +inf before the first step and between nodes."""
        return math.inf if self.node is None else min(self.node.bound, self._round(self.ascent.best))

    @property
    def free(self) -> int:
        """Number of decisions that are not off at the current node."""
        return 0 if self.node is None or self.node.state is None else int((self.node.state != OFF).sum())

    @property
    def infeasible(self) -> bool:
        """Whether there is provably no structure."""
        return self.status == PROVED and self.value == -math.inf

    @property
    def proof_dropped(self) -> bool:
        """False, since memory is not limited here."""
        return False

    @property
    def lost(self) -> float:
        """Largest rounding error of a bound in float64."""
        # 2^-46: 64 units in the last place of the largest term.
        return 2.0**-46 * max(self.largest, self.largest_term)

    @property
    def scored(self) -> int:
        """Number of scopes whose score was requested."""
        return 0 if self.lazy is None else self.lazy.scored

    @property
    def root_free(self) -> BoolArray:
        """Decisions that were not off when the root branched, bool (decisions,); all if it has not branched."""
        free: BoolArray = self.root_state != OFF
        return free

    def grouped(self) -> BoolArray:
        """Return whether each scope is a pair in a star, bool (scopes,)."""
        return self.split.layout.starred

    def slots(self) -> tuple[IntArray, IntArray]:
        """Return the scope of each multiplier of a conjunction, and the decision's index in it."""
        return self.split.layout.places()

    # --- conditions at the current node

    def _follow_guides(self, ascent: DualDescent[Any]) -> None:
        """Free the prices once no price moves along the guides, or after `GUIDED_STEPS`."""
        if ascent.iteration <= GUIDED_STEPS and self.split.follows_guides(ascent.multipliers, ascent.found):
            return
        self.split.guided, ascent.scale, ascent.stalled = False, ascent.rule.scale, 0

    def _should_branch(self, ascent: DualDescent[Any]) -> bool:
        """Whether the current node should branch."""
        if self.split.guided:
            return ascent.iteration >= ascent.rule.iterations
        return ascent.spent(self.value)

    def _save(self, bound: float) -> None:
        """Save multipliers from which children may start, and which a proof may contain."""
        number = self.ascent.iteration
        # Without an incumbent no gap says what is worth saving: save at powers of two.
        if self.value == -math.inf and not self.paper:
            if number & (number - 1) == 0 and bound < self.saved_bound:
                self.saved, self.saved_bound = self.ascent.multipliers, bound
            return
        late = self.ascent.iteration > (SAVE_AFTER if self.keep_proof else SAVE_LATE)
        closes = self.saved_bound - bound > SAVE_SHARE * (self.saved_bound - self.value)
        if late if self.saved is None else closes:
            self.saved, self.saved_bound = self.ascent.multipliers, bound

    def _should_improve(self, node: Node, better: bool) -> bool:
        """Whether to maximise again for an incumbent; at powers of two while factors forbid every structure."""
        number = self.ascent.iteration
        # The paper maximises for an incumbent once, at the root.
        if self.paper:
            return self.nodes == 1 and number == 1
        if self.value == -math.inf:
            return number & (number - 1) == 0
        return better or number == 1 or self._should_target_factors(node)

    def _should_target_factors(self, node: Node) -> bool:
        """Whether to target configurations of factors: at the root, every few steps, while they differ."""
        if node.depth or (self.ascent.iteration > 1 and self.ascent.iteration % TARGET_FACTORS_EVERY):
            return False
        return self.split.differs(self.ascent.multipliers, self.ascent.found)

    def _fixes(self) -> bool:
        """Whether to fix by max-marginals; without an incumbent, once, for decisions that no structure has."""
        if self.value == -math.inf:
            return not self.paper and self.ascent.iteration == 1
        return not self.paper and self.ascent.fixing_due(self.value)

    @property
    def _weight_limit(self) -> float:
        """A weight above that of every decision."""
        return 2.0 * (1.0 + self.largest)

    def _score(self, optimum: Optimum[Any]) -> float:
        """The score of an optimum; -inf if a relaxed maximiser returned no structure."""
        if optimum.structure is None and self.maximiser.relaxed:
            return -math.inf
        return self.split.value(optimum.on_ids, optimum.internal_score)

    def _round(self, bound: float) -> float:
        return round_bound(bound, self.granularity)

    def _record_event(self) -> bool:
        """Record the end of a node or a step of the root; False if the events must be passed on first."""
        if self.event_level is None or (self.node is not None and (self.event_level == "nodes" or self.node.depth)):
            return True
        working = self.node is not None
        bound, depth = (self.step_bound, 0) if working else (self.bound, -1)
        self.recorded.append((self.nodes, working, depth, self.free, bound, self.value))
        return len(self.recorded) < EVENT_CAPACITY

    def events(self) -> Any:
        """Return the events since the last call, as `CompiledSearch.events` does."""
        recorded, self.recorded = self.recorded, []
        return np.array(recorded, EVENT)

    def _start(self, node: Node) -> None:
        # The smallest key comes first; the number breaks ties, older nodes first.
        keys = {"best-first": -node.bound, "breadth-first": float(node.depth), "depth-first": -float(node.number)}
        heapq.heappush(self.open, ((keys[self.order], node.number), node))
