"""One search over a problem, run in slices: the layer between the kernels and `gapless.search.solving`."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

import gapless_kernels
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.certificates.certificate import Certificate
from gapless.decisions.decisions import OFF, ON, Fixings
from gapless.errors import GaplessError, InconsistentBound, OracleError
from gapless.factors.error_notes import call_problem
from gapless.factors.factor import guide_of
from gapless.limits.limits import Limits, SolveBudget, Stop
from gapless.plugins.call import SolveRequest
from gapless.problems.problem import score_of
from gapless.results.result import Result
from gapless.search import search_state
from gapless.search.allocator import keep_heap_for
from gapless.search.choice_groups import State
from gapless.search.layout import SearchInput
from gapless.search.named_factor import NamedFactor
from gapless.search.record import SearchRecord
from gapless.tree_search.role_calls import call_role, decoded

if gapless_kernels.COMPILED:
    from gapless_kernels.search._search import CompiledSearch as NodeSearch
    from gapless_kernels.search.python_roles import PythonFactor, PythonMaximiser
else:
    from gapless.search.reference_search import ReferenceSearch as NodeSearch  # type: ignore[assignment]

S = TypeVar("S")

SLICE = 0.05
"""Seconds between two checks of the clock and of Ctrl-C."""
ENDLESS = 1 << 60
"""Stands for no limit on nodes or steps."""
ROUNDED = 1e-10
"""Largest rounding error of a sum in float64, relative to the largest score."""
ROOT_STEPS, ROOT_TREND = 120, 7


class SearchDriver(Generic[S]):
    """One search over a problem.

    Parameters
    ----------
    layout : SearchInput
        The problem in arrays; many searches may share it.
    variant : {"default", "paper"}
        The default, or the search as Qian and Liu (2013) describe it.
    order : {"best-first", "depth-first", "breadth-first"}
        Choice of the next open node.
    start : int64, optional
        Decisions of a feasible structure.
    keep_proof : bool
        If True, record the search for `certificate`.
    subspace : int8 (decisions,), optional
        Search only the structures that agree with this state: -1 free, 0 off, 1 on. The certificate holds under the
        same fixings.
    root_steps, root_trend : int
        The root branches after `root_steps` steps, or once its gap has hardly fallen within `root_trend` of them.
    record_events : bool
        If True, record events for the observers.
    """

    def __init__(
        self,
        layout: SearchInput[S],
        *,
        variant: str = "default",
        order: str = "best-first",
        start: IntArray | None = None,
        keep_proof: bool = True,
        subspace: State | None = None,
        root_steps: int = ROOT_STEPS,
        root_trend: int = ROOT_TREND,
        record_events: bool = False,
    ) -> None:
        self.layout, self.problem = layout, layout.problem
        self.floor, self.constant = layout.floor, layout.backbone.constant
        self._feasible_minimum = self.floor - score_tolerance(self.floor)
        self.record_events = record_events
        weights, blocks, known = layout.backbone.weights, layout.blocks, layout.known
        lazy: dict[str, Any] = {} if known is None else {"unknown": ~known, "ask": layout.ask}
        on = None
        if subspace is not None:
            allowed, on = subspace != OFF, np.flatnonzero(subspace == ON)
            weights = np.where(allowed, weights, -np.inf)
            if not keep_proof:  # a record numbers the scopes of the whole problem, so it needs all of them
                possible = (allowed[scopes].all(axis=1) for scopes, _ in blocks)
                blocks = [
                    (scopes[mask], scores[mask]) for (scopes, scores), mask in zip(blocks, possible, strict=True)
                ]
        # Decision 061: otherwise the pages of large arrays would be returned and requested again for each search.
        keep_heap_for(blocks)
        first, members = layout.groups
        maximiser = _maximiser(layout)
        # Also where `PythonMaximiser` wraps the role: then user code found the structure, which must be checked.
        self.uses_python_maximiser = getattr(maximiser, "maximiser", maximiser) is layout.backbone.maximiser
        self.kernel = NodeSearch(
            maximiser,
            weights,
            blocks,
            group_first=first,
            groups=members,
            factors=_factors(layout),
            guides=_guides(layout),
            variant=variant,
            order=order,
            incumbent=start,
            on=on,
            keep_proof=keep_proof,
            # Scores are multiples of the granularity only if no constant is added to them.
            granularity=(self.problem.granularity or 0.0) if not self.constant else 0.0,
            choices=layout.choices,
            root_steps=root_steps,
            root_trend=root_trend,
            lifted=layout.lifted,
            checked=True,  # `ScoredFactor` has checked scopes and scores
            largest_term=layout.internal_score_limit,
            events="steps" if record_events else None,
            **lazy,
        )

    def run(self, request: SolveRequest) -> Stop:
        """Search slice by slice until the proof is complete or a limit is reached."""
        budget, limits = request.budget, request.budget.limits
        node_limit = ENDLESS if limits.nodes is None else limits.nodes
        counted = int(self.kernel.steps)
        while True:
            budget.iterations += int(self.kernel.steps) - counted
            counted = int(self.kernel.steps)
            reason = budget.stop_reason()
            if reason is not None:
                return reason
            steps = ENDLESS if limits.iterations is None else limits.iterations - budget.iterations
            with name_role_errors(self.layout):
                stop = self.advance(budget.time_left, node_limit, steps, limits)
            self._emit_events(budget)
            # The kernel does not know the constant, on which a relative gap depends; see `advance`.
            if (
                self.constant
                and limits.relative_gap > 0
                and self.value > -math.inf
                and meets(self.bound, self.value, limits.relative_gap)
            ):
                stop = stop or Stop.GAP
            if stop is not None:
                budget.iterations += int(self.kernel.steps) - counted
                return stop

    def advance(
        self, seconds: float, nodes: int = ENDLESS, steps: int = ENDLESS, limits: Limits | None = None
    ) -> Stop | None:
        """Search for a slice of time and return why the search ended; None if it can go on.

        The slice also ends once the search has `nodes` nodes in total, or after `steps` steps.
        """
        # Values of the kernel are scores without the constant, whatever the sense of the problem.
        target, gap = math.inf, 0.0
        if limits is not None and limits.target is not None:
            target = self.problem.sense.turn(limits.target) - self.constant
        # The kernel's values lack the constant, so a relative gap over them would be another one; see `run`.
        if limits is not None and not self.constant:
            gap = limits.relative_gap
        status = self.kernel.advance(min(SLICE, seconds), nodes, steps, target, gap)
        return _STOPS.get(status)

    def finish(self, nodes: int = ENDLESS, seconds: float = math.inf) -> bool:
        """Search until optimality is proved or a limit is reached; return whether it is proved.

        Ctrl-C raises `KeyboardInterrupt` between two slices.
        """
        end = time.perf_counter() + seconds
        while self.kernel.nodes < nodes and seconds > 0:
            if self.advance(seconds, nodes) is Stop.PROVED:
                return True
            seconds = end - time.perf_counter()
        return False

    def _emit_events(self, budget: SolveBudget) -> None:
        """Pass the events since the last call to the observers."""
        if not self.record_events:
            return
        for nodes, step, _, free, bound, value in self.kernel.events().tolist():
            best = self._score(value)
            details = {"free": free} if step else {"node": nodes}
            # Rounding may put a bound that is met just below the incumbent.
            call_role(
                budget, budget.emit, "step" if step else "node", max(self._score(bound), best), best, **details
            )

    def _score(self, value: float) -> float:
        """A bound or value of the kernel as a score; -inf where no allowed structure scores so little."""
        return -math.inf if value < self._feasible_minimum else value + self.constant

    @property
    def bound(self) -> float:
        """Score that no structure exceeds; -inf if it is less than an allowed structure can score."""
        return self._score(float(self.kernel.bound))

    @property
    def value(self) -> float:
        """Score of the incumbent by the kernel; -inf if there is none or a factor forbids it."""
        return self._score(float(self.kernel.value))

    @property
    def structure(self) -> S | None:
        """The incumbent."""
        return decoded(self.problem, self.kernel.on) if self.value > -math.inf else None

    def rounding_may_decide(self, exact: float, threshold: float = -math.inf) -> bool:
        """Return whether rounding, or the finite loss for -inf, could decide the result: then verify.

        `exact`: score of the incumbent by the problem; `threshold`: only higher scores were searched for.
        """
        reference = max(self.value, threshold)
        if self.kernel.lost > 0.25 * score_tolerance(reference if reference > -math.inf else 0.0):
            return True
        if self.value == -math.inf:
            # A harsh loss rests on assumed sizes of what maximiser and factors score by themselves (decision 045).
            return self.layout.harsh
        return exact > -math.inf and abs(exact - self.value) > 0.25 * score_tolerance(exact)

    def check_structure(self, structure: S) -> None:
        """Raise `InconsistentBound` if the problem calls the structure of a maximiser in Python infeasible."""
        violations = call_problem(self.problem, self.problem.violations, structure)
        if violations:
            raise InconsistentBound(
                f"the maximiser found {structure!r:.200}, which violations() of the {type(self.problem).__name__} "
                f"refuses: {violations[0]}"
            )

    def with_rounding_error(self, bound: float, exact: float) -> float:
        """Raise a bound by the rounding error of the incumbent's value; `exact` is its score by the problem.

        Raises `InconsistentBound`: search and problem score it differently, by more than rounding explains.
        """
        # The bound is a sum of the same scores, so it may contain the same error.
        noise = abs(exact - self.value)
        if noise <= score_tolerance(exact):
            return bound
        # "not <=" instead of ">": NaN must be refused, too.
        if not noise <= ROUNDED * self.layout.largest():
            raise InconsistentBound(
                f"the search scores its structure {self.value!r}, the problem {exact!r}; value() and backbone() of "
                f"the {type(self.problem).__name__} differ, or value() leaves factor_value() out"
            )
        return max(bound, exact) + noise

    @property
    def exact(self) -> float:
        """Score of the incumbent by the problem; -inf if there is none."""
        structure = self.structure
        return -math.inf if structure is None else score_of(self.problem, structure)

    @property
    def added(self) -> int:
        """Number of scopes that became columns of a linear program."""
        return 0

    @property
    def extra(self) -> dict[str, Any]:
        """Further counts for `Stats`."""
        kernel = self.kernel
        return {
            "dp_calls": int(kernel.dp_calls),
            "root_closed": bool(kernel.root_closed),
            "fixed": int(kernel.fixed),
            "enumerated": int(kernel.enumerated),
        }

    def certificate(self) -> Certificate:
        """Make the proof of the bound; only the part recorded at the root if the record outgrew its memory."""
        return SearchRecord.of(self.layout, self.kernel).deferred()


@contextlib.contextmanager
def name_role_errors(layout: SearchInput[Any]) -> Iterator[None]:
    """Turn what a role raises during a search into an `OracleError` that names the role."""
    try:
        yield
    except (GaplessError, MemoryError):
        raise
    except Exception as error:
        if getattr(error, "__notes__", ()):  # raised by a factor's score(), whose note names the factor
            raise
        culprit = getattr(error, "culprit", -1)
        location = type(layout.backbone.maximiser).__name__
        if culprit >= 0:
            location = layout.problem.factors_beyond_backbone.place(layout.configurations[culprit][0])
        finding = getattr(error, "said", f"raised {type(error).__name__}: {error}")
        has_location = str(error).startswith((f"{location}: ", f"{location}."))
        raise OracleError(str(error) if has_location else f"{location} {finding}") from error


def attach_result(error: Exception, make: Callable[[], Result[Any]]) -> None:
    """Attach the result so far to an error as ``error.result``, unless making it fails as well."""
    with contextlib.suppress(Exception):
        error.result = make()  # type: ignore[attr-defined]


def _maximiser(layout: SearchInput[Any]) -> Any:
    role = layout.backbone.maximiser
    if not gapless_kernels.COMPILED:
        return role
    compiled = role.compiled() or PythonMaximiser(
        role, layout.decisions.count, Fixings, layout.internal_score_limit
    )
    if layout.conflicts is not None:  # the verifier uses those of the role, so the search must use the same
        compiled.take_conflicts(layout.conflicts)
    return compiled


def _factors(layout: SearchInput[Any]) -> list[Any]:
    """The configuration factors as the search calls them: compiled, or wrapped so that errors name them."""
    factors: list[Any] = []
    for factor, scope in layout.configurations:
        compiled = factor.compiled(layout.decisions) if gapless_kernels.COMPILED else None
        if compiled is None:
            named = NamedFactor(factor, layout.problem.factors_beyond_backbone.place(factor))
            is_compiled, term = gapless_kernels.COMPILED, layout.internal_score_limit
            compiled = PythonFactor(scope, named, largest_term=term) if is_compiled else (scope, named)
        factors.append(compiled)
    return factors


def _guides(layout: SearchInput[Any]) -> list[FloatArray | None]:
    return [guide_of(factor, layout.decisions, scope) for factor, scope in layout.configurations]


# A slice that ended by its time or by full events goes on: the caller checks the limits.
_STOPS: dict[int, Stop] = {
    search_state.PROVED: Stop.PROVED,
    search_state.NODES: Stop.NODES,
    search_state.STEPS: Stop.ITERATIONS,
    search_state.TARGET: Stop.TARGET,
    search_state.GAP: Stop.GAP,
}
