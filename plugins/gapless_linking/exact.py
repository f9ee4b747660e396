"""The methods ``exact`` (costs moved from pairs to candidates, Russian doll search) and ``local-search``.

The k best choices are found by Lawler's partition; choices that differ in one candidate need no search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np

from gapless import Certificate, Result, SolveError, Stop
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import score_tolerance
from gapless.plugins.registry import check_count
from gapless.problems.problem import check_start
from gapless.roles import NoCertificate, Sense, SolveRequest, Stats
from gapless.search.search_callback import SearchCallback
from gapless.tree_search.lawler import KBestPool, SubspaceOptimum, lawler, partition
from gapless_kernels import LinkingSearchResult, linking_search
from gapless_linking.certificate import SearchCertificate
from gapless_linking.costs import Costs
from gapless_linking.problem import LinkingProblem

PartSearch = Callable[[BoolArray, IntArray, float], tuple[LinkingSearchResult, Stop]]
"""Maps the candidates of a part, a choice among them and the cost to undercut to the best choice of the part."""


@attrs.frozen(eq=False)
class _Choice:
    """A choice, and for each member the cost with it instead of that of the same set (inf forbids)."""

    members: IntArray
    swaps: FloatArray


class KBestChoices:
    """The least choices known, and the search for those that are missing.

    All choices that differ in one candidate from a known choice are evaluated at once. They mostly are the next
    best, and parts are searched only for choices that cost less than the k-th of them. `search`: finds the best
    choice of a part; see `PartSearch`.
    """

    def __init__(self, problem: LinkingProblem, costs: Costs, k: int, search: PartSearch) -> None:
        self.problem, self.costs, self.search = problem, costs, search
        self.set_of = problem.set_of
        self.best: KBestPool[IntArray] = KBestPool(k)
        self._start = np.zeros(0, np.int64)

    @property
    def choices(self) -> list[IntArray]:
        """At most `k` choices, the least first."""
        return self.best.ranked

    def know(self, members: IntArray, allowed: BoolArray | None = None) -> SubspaceOptimum[_Choice]:
        """Record a choice and all that differ from it in one candidate."""
        costs, slots, best = self.costs, self.problem.slots, self.best
        own = self.set_of
        lengths = 2.0 * costs.distances[np.ix_(slots, slots[members])].astype(np.float64)
        # A candidate replaces the one of its own set, so their distance does not count.
        lengths[np.arange(own.size), own] = 0.0
        cost = float(np.triu(lengths[members], 1).sum() + costs.own[members].sum())
        joined = lengths.sum(axis=1) + costs.own
        swaps = cost - joined[members][own] + joined
        swaps[~costs.allowed | (swaps >= costs.limit)] = np.inf
        swaps[members] = np.inf
        best.enter(members.tobytes(), -cost, members)
        for member in np.argsort(swaps, kind="stable")[: best.k].tolist():
            if not -swaps[member] > best.threshold:
                break
            other = members.copy()
            other[own[member]] = member
            best.enter(other.tobytes(), -float(swaps[member]), other)
        return SubspaceOptimum(costs.allowed if allowed is None else allowed, _Choice(members, swaps), -cost)

    def complete(self, members: IntArray) -> Stop:
        """Search the parts around the best choice, then around the next; see `lawler`."""
        return lawler(self.best, self.know(members), self._others, self._search)

    def _search(self, allowed: BoolArray) -> tuple[SubspaceOptimum[_Choice] | None, Stop]:
        outcome, stop = self.search(allowed, self._start, -self.best.threshold)
        return (None if outcome.members is None else self.know(outcome.members, allowed)), stop

    def _others(self, part: SubspaceOptimum[_Choice]) -> Iterator[BoolArray]:
        """Yield the parts without one choice, and store a choice to start each from.

        Sets that can least do without their member come first: the parts where most is open are those that are
        soonest closed.
        """
        first, members, swaps = self.problem.first, part.structure.members, part.structure.swaps
        open_swaps = np.where(part.allowed, swaps, np.inf)
        order = np.argsort(-np.minimum.reduceat(open_swaps, first[:-1]), kind="stable")
        for member, allowed in partition(part.allowed, members[order].tolist(), self.set_of):
            i = int(self.set_of[member])
            own = slice(first[i], first[i + 1])
            start = members.copy()
            start[i] = first[i] + int(np.argmin(np.where(allowed[own], swaps[own], np.inf)))
            if not allowed[start[i]]:  # none of them is connected
                start[i] = first[i] + int(np.argmax(allowed[own]))
            self._start = start
            yield allowed


def run(problem: LinkingProblem, request: SolveRequest, *, kicks: int = 50) -> Result[IntArray]:
    """Find the choice of least cost, or the k best, and prove it.

    Local search finds a good choice. Then costs are moved from pairs of candidates to the candidates themselves,
    pair of sets by pair of sets, until the sum of each set's least cost bounds all choices as well as it can;
    candidates that would cost too much are dropped, sets with one left are folded into the others. What is still
    open goes to Russian doll search, or is split. Raises `InvalidProblem`: the start structure is infeasible.
    `OracleError`: an observer raised; ``error.result`` holds the best answer so far. `SolveError`: no memory.
    `UnknownOption`: `kicks` is negative, or no integer. `kicks`: restarts of local search from its best choice, a
    little changed.
    """
    check_count("kicks", kicks, at_least=0)
    return _LinkingSolve(problem, request, kicks).run()


def local_search(problem: LinkingProblem, request: SolveRequest, *, kicks: int = 500) -> Result[IntArray]:
    """Run best-improvement local search with kicks; there is no bound.

    `kicks`: restarts of the search from its best choice, a little changed.
    """
    check_count("kicks", kicks, at_least=0)
    return _LinkingSolve(problem, request, kicks, prove=False).run()


class _Watch(SearchCallback):
    """As `SearchCallback`, from the costs of one search after another."""

    def __init__(self, request: SolveRequest) -> None:
        # If no limit stops it, local search has come to its end.
        super().__init__(request.budget, request.k, Stop.RELAXED, Sense.MINIMISE)
        self.work = [0, 0]
        self.offset = 0.0
        self.first: LinkingSearchResult | None = None
        """Bound on the k best while parts are searched."""

    def __call__(self, bound: float, value: float, sweeps: int, nodes: int) -> bool:
        bound, value = bound + self.offset, value + self.offset
        # Parts of a k-best list report the first search: their own bounds do not hold for the best choice.
        if self.first is not None:
            bound, value = self.first.bound, self.first.value
        return super().__call__(-bound, -value, self.work[0] + sweeps, self.work[1] + nodes)


class _LinkingSolve:
    """One solve: costs are prepared once, then searched once, or once for each part of a k-best partition."""

    def __init__(self, problem: LinkingProblem, request: SolveRequest, kicks: int, *, prove: bool = True) -> None:
        self.problem, self.solve, self.kicks, self.prove = problem, request, kicks, prove
        self.watch = _Watch(request)
        self.costs = Costs.of(problem)
        self.watch.offset = self.costs.offset
        self.done: list[LinkingSearchResult] = []

    def run(self) -> Result[IntArray]:
        check_start(self.problem, self.solve.start)
        starts = [self.problem.chosen(structure) for structure in self.solve.start]
        if self.costs.hopeless:
            return self._result([], math.inf, Stop.PROVED)
        outcome = self._search(None, starts)
        choices = [] if outcome.members is None else [outcome.members]
        stop = self._stop(outcome)
        if self.solve.k > 1 and outcome.members is not None:
            choices, stop = self._list(outcome.members, starts, stop)
        bound = math.inf if outcome.proved and not choices else outcome.bound
        return self.watch.result(
            -bound, -outcome.value, lambda failed: self._result(choices, bound, failed or stop)
        )

    def _list(self, best: IntArray, starts: Sequence[IntArray], stop: Stop) -> tuple[list[IntArray], Stop]:
        """Find the k best choices as far as limits allow; also return the reason to stop."""
        self.watch.first = self.done[0]
        listing = KBestChoices(self.problem, self.costs, self.solve.k, self._part)
        try:
            # Starts are feasible choices, too, and may enter the list.
            for choice in (best, *starts):
                listing.know(choice)
            if stop in (Stop.PROVED, Stop.RELAXED):
                ended = listing.complete(best)
                stop = stop if ended is Stop.PROVED else ended
        except KeyboardInterrupt:
            self.solve.budget.interrupt()
            stop = Stop.INTERRUPTED
        return listing.choices, stop

    def _part(self, allowed: BoolArray, start: IntArray, cutoff: float) -> tuple[LinkingSearchResult, Stop]:
        """Find the best choice of a part below the cutoff; see `KBestChoices`."""
        if self.watch(0.0, 0.0, 0, 0):
            return self.done[0], self.watch.stop
        outcome = self._search(allowed, [start], cutoff)
        self.done[-1] = outcome._replace(record=None)
        return outcome, self._stop(outcome)

    def _search(
        self, allowed: BoolArray | None, starts: Sequence[IntArray], cutoff: float = math.inf
    ) -> LinkingSearchResult:
        allowed_members = self.costs.allowed if allowed is None else allowed
        costs = self.costs
        try:
            outcome = linking_search(
                self.problem.first,
                self.problem.slots,
                costs.distances,
                costs.own,
                allowed=allowed_members,
                start=np.array(starts, np.int32).reshape(-1, self.problem.k),
                # Choices at the limit are not connected.
                cutoff=min(cutoff, costs.limit),
                limit=costs.limit,
                granularity=costs.granularity,
                kicks=self.kicks,
                seed=self.solve.seed,
                pulse=self.watch,
                prove=self.prove,
            )
        except MemoryError as error:
            raise SolveError(f"{error}") from error
        value, bound = outcome.value + costs.offset, outcome.bound + costs.offset
        step = self.problem.granularity
        if outcome.proved and outcome.members is not None and step and value - bound < step / 2:
            bound = value  # what would be cheaper would be so by a step
        outcome = outcome._replace(value=value, bound=bound)
        self.done.append(outcome)
        self.watch.work[0] += outcome.sweeps
        self.watch.work[1] += outcome.nodes
        return outcome

    def _stop(self, outcome: LinkingSearchResult) -> Stop:
        if outcome.interrupted:
            self.solve.budget.interrupt()
            return Stop.INTERRUPTED
        if not outcome.proved:
            return self.watch.stop
        # Where large costs cancel, their rounding may leave more of a gap than a proof may have.
        exact = outcome.members is None or outcome.value - outcome.bound <= score_tolerance(outcome.value)
        return Stop.PROVED if exact else Stop.RELAXED

    def _certificate(self, stop: Stop) -> Certificate:
        if not self.done:
            return SearchCertificate(math.inf, 1.0, (), np.zeros(0), ())  # a set has no member that is allowed
        if not self.prove:
            return NoCertificate("local search proves nothing")
        if stop is Stop.RELAXED:
            return NoCertificate("large costs cancel: float64 loses more than evidence may be forgiven")
        outcome = self.done[0]
        if outcome.record is None:
            return NoCertificate("the record of the search outgrew its memory")
        nothing = outcome.proved and outcome.members is None
        return SearchCertificate.of(
            outcome.record, self.costs.limit + self.costs.offset if nothing else outcome.value
        )

    def _result(self, choices: Sequence[IntArray], bound: float, stop: Stop) -> Result[IntArray]:
        problem, solve = self.problem, self.solve
        return Result.of(
            problem,
            [problem.decode(members) for members in choices],
            -bound,
            stop,
            certificate=self._certificate(stop),
            method=solve.method,
            stats=Stats(
                seconds=solve.budget.elapsed,
                nodes=sum(outcome.nodes + outcome.branches for outcome in self.done),
                iterations=sum(outcome.sweeps for outcome in self.done),
                warm_start_used=bool(solve.start),
            ),
            trace=solve.budget.events,
            explanation=problem.infeasibility() if bound == math.inf and stop is Stop.PROVED else (),
            complete=solve.k == 1 or stop is Stop.PROVED,
        )
