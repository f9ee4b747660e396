"""Knowledge of a search: its problem, its open nodes, its incumbent, its bound."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import attrs
import numpy as np

from gapless.core.decisions import FREE, OFF, ON
from gapless.core.factor import ConfigurationFactor
from gapless.core.oracle import Maximised, Maximiser
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import margin, round_bound
from gapless.engine.ascent import Ascent, HalvingRule, StepRule
from gapless.engine.choice_groups import ChoiceGroups, State
from gapless.engine.forms import Block, Excludes, lay_out
from gapless.engine.frontier import ORDERS
from gapless.engine.lazy_scores import LazyScores
from gapless.engine.priced_factor import PricedFactor
from gapless.engine.search_record import Record
from gapless.engine.split_bound import SplitBound

VARIANTS = ("default", "paper")
PROVED, TIME, NODES, _, _, STEPS, TARGET, GAP, EVENTS = range(9)
CHOICES = 1 << 14
"""Once a node has no more ways to choose than this, all of them are looked at."""
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
INSIST_EVERY = 3
"""Steps of the root between two calls for configurations near the bound's structure."""
YIELDS = 3
"""Times that factors name others for what the backbone refuses."""
GUIDED_STEPS = 40
"""Steps along the guides of factors, at most."""


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
        By `multipliers`, which it begins with, under the fixings of the node numbered `shown`.
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
    shown: int = 0
    split_on: int = -1
    lower: float = -math.inf


class SearchState:
    """The state of a `gapless.engine.search.Search`, whose parameters these are, and what can be asked of it."""

    ascent: Ascent[Any]
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
        brancher: Brancher | None = None,
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
        chosen = ChoiceGroups(
            base.size,
            np.zeros(1, np.int64) if group_first is None else group_first,
            none if groups is None else groups,
        )
        self.maximiser, self.paper = maximiser, variant == "paper"
        self.order = "breadth-first" if self.paper else order
        self.keep_proof, self.granularity = keep_proof, granularity or None
        self.choices, self.costly = 0 if self.paper else choices, costly
        self.lifted = lifted and not self.paper and maximiser.excludes(none, none) is not None
        layout = lay_out(
            base,
            blocks,
            chosen,
            maximiser.rivals(),
            stars=not self.paper,
            unknown=unknown,
            excludes=cast(Excludes, maximiser.excludes) if self.lifted else None,
        )
        priced, slot = [], layout.slots
        for (scope, factor), guide in zip(factors, guides or [None] * len(factors), strict=True):
            priced.append(PricedFactor(factor, np.asarray(scope, np.int64), slot, guide, largest_term))
            slot += len(scope)
        self.split: SplitBound[Any] = SplitBound(layout, priced, shares=self.paper)
        self.lazy = None if unknown is None or ask is None else LazyScores(self.split, unknown, ask)
        self.rules = self._rules(root_steps, root_trend)
        self.largest = float(np.abs(layout.base[layout.base > -np.inf]).max(initial=0.0))
        self.brancher, self.tells, self.largest_term = brancher, events, largest_term
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
        if on is not None:
            self.root_state[on] = ON
        self._start(Node(self.kept.node(-1, -1, False), self.root_state, math.inf, 0))

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
    def lost(self) -> float:
        """Loss of a bound by rounding in float64, at most."""
        return 2.0**-46 * max(self.largest, self.largest_term)

    @property
    def scored(self) -> int:
        """Number of scopes whose score was asked for."""
        return 0 if self.lazy is None else self.lazy.scored

    @property
    def root_free(self) -> BoolArray:
        """Decisions left possible at the root when it branched, bool (decisions,); all, if it has not."""
        free: BoolArray = self.root_state != OFF
        return free

    def grouped(self) -> BoolArray:
        """Whether each scope is a pair in a star, bool (scopes,)."""
        return self.split.layout.starred

    def slots(self) -> tuple[IntArray, IntArray]:
        """Scope of each multiplier of a conjunction, and the decision's place in it."""
        return self.split.layout.places()

    # --- what is due at the node in work

    def _follow_guides(self, ascent: Ascent[Any]) -> None:
        """Free the prices once nothing moves along the guides, or they had their time."""
        if ascent.iteration <= GUIDED_STEPS and self.split.follows_guides(ascent.multipliers, ascent.found):
            return
        self.split.guided, ascent.scale, ascent.stalled = False, ascent.rule.scale, 0

    def _spent(self, ascent: Ascent[Any]) -> bool:
        """Whether the node is to branch."""
        if self.split.guided:
            return ascent.iteration >= ascent.rule.iterations
        return ascent.spent(self.value)

    def _save(self, bound: float) -> None:
        """Remember multipliers that children may begin with, and that a proof or the first incumbent may show."""
        number = self.ascent.iteration
        if self.value == -math.inf and not self.paper:
            if number & (number - 1) == 0 and bound < self.saved_bound:
                self.saved, self.saved_bound = self.ascent.multipliers, bound
            return
        late = self.ascent.iteration > (SAVE_AFTER if self.keep_proof else SAVE_LATE)
        closes = self.saved_bound - bound > SAVE_SHARE * (self.saved_bound - self.value)
        if late if self.saved is None else closes:
            self.saved, self.saved_bound = self.ascent.multipliers, bound

    def _looks(self, node: Node, better: bool) -> bool:
        """Whether to maximise again for an incumbent: more and more seldom where factors forbid all so far."""
        number = self.ascent.iteration
        if self.paper:
            return self.nodes == 1 and number == 1
        if self.value == -math.inf:
            return number & (number - 1) == 0
        return better or number == 1 or self._insists(node)

    def _insists(self, node: Node) -> bool:
        """Whether factors are to name configurations near the one found: first and at times, while they differ."""
        if node.depth or (self.ascent.iteration > 1 and self.ascent.iteration % INSIST_EVERY):
            return False
        return self.split.differs(self.ascent.multipliers, self.ascent.found)

    def _fixes(self) -> bool:
        """Whether slacks may fix something by now; without an incumbent, only what cannot be at all."""
        if self.value == -math.inf:
            return not self.paper and self.ascent.iteration == 1
        return not self.paper and self.ascent.fixing_due(self.value)

    @property
    def _most(self) -> float:
        """More than any decision is worth."""
        return 2.0 * (1.0 + self.largest)

    def _score(self, found: Maximised[Any]) -> float:
        """Score of what was found; -inf where it is no structure."""
        if found.structure is None and self.maximiser.relaxed:
            return -math.inf
        return self.split.value(found.on_ids, found.own)

    def _round(self, bound: float) -> float:
        return round_bound(bound, self.granularity)

    def _tell(self) -> bool:
        """Note for observers that a node ended, or a step of the root; False where they should hear of it first."""
        if self.tells is None or (self.node is not None and (self.tells == "nodes" or self.node.depth)):
            return True
        working = self.node is not None
        bound, depth = (self.step_bound, 0) if working else (self.bound, -1)
        self.told.append((self.nodes, working, depth, self.free, bound, self.value))
        return len(self.told) < EVENT_ROOM

    def events(self) -> Any:
        """Events since this was last asked, as the compiled search tells it."""
        told, self.told = self.told, []
        return np.array(told, EVENT)

    def _start(self, node: Node) -> None:
        keys = {"best-first": -node.bound, "breadth-first": float(node.depth), "depth-first": -float(node.number)}
        heapq.heappush(self.open, ((keys[self.order], node.number), node))
