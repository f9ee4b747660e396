"""The method ``exact``: local search, costs moved from pairs to candidates, Russian dolls; and ``local-search``."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gapless import Certificate, Result, SolveError, Stop
from gapless.core.problem import check_start
from gapless.core.sparse import BoolArray, IntArray
from gapless.core.tolerance import margin
from gapless.engine.watch import Watch
from gapless.plugins.registry import check_count
from gapless.roles import NoCertificate, Sense, Solve, Stats
from gapless_kernels import FoundChoice, linking_search
from gapless_linking.certificate import SearchCertificate
from gapless_linking.costs import Costs
from gapless_linking.k_best import Listing
from gapless_linking.problem import LinkingProblem


def run(problem: LinkingProblem, solve: Solve, *, kicks: int = 50) -> Result[IntArray]:
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
    return _Search(problem, solve, kicks).run()


def local_search(problem: LinkingProblem, solve: Solve, *, kicks: int = 500) -> Result[IntArray]:
    """Best-improvement local search with kicks; no bound.

    `kicks`: restarts of the search from its best choice, a little changed.
    """
    check_count("kicks", kicks, at_least=0)
    return _Search(problem, solve, kicks, prove=False).run()


class _Watch(Watch):
    """As `Watch`, from the costs of one search after another."""

    def __init__(self, solve: Solve) -> None:
        # Where nobody says stop, local search has come to its end.
        super().__init__(solve.budget, solve.k, Stop.RELAXED, Sense.MINIMISE)
        self.work = [0, 0]
        self.offset = 0.0
        self.first: FoundChoice | None = None
        """Bound on the k best while parts are searched."""

    def __call__(self, bound: float, value: float, sweeps: int, nodes: int) -> bool:
        bound, value = bound + self.offset, value + self.offset
        if self.first is not None:
            bound, value = self.first.bound, self.first.value
        return super().__call__(-bound, -value, self.work[0] + sweeps, self.work[1] + nodes)


class _Search:
    """One solve: costs are prepared once, then searched once, or once for each part of a k-best partition."""

    def __init__(self, problem: LinkingProblem, solve: Solve, kicks: int, *, prove: bool = True) -> None:
        self.problem, self.solve, self.kicks, self.prove = problem, solve, kicks, prove
        self.watch = _Watch(solve)
        self.costs = Costs.of(problem)
        self.watch.offset = self.costs.offset
        self.done: list[FoundChoice] = []

    def run(self) -> Result[IntArray]:
        check_start(self.problem, self.solve.start)
        starts = [self.problem.chosen(structure) for structure in self.solve.start]
        if self.costs.hopeless:
            return self._result([], math.inf, Stop.PROVED)
        found = self._search(None, starts)
        choices = [] if found.members is None else [found.members]
        stop = self._stop(found)
        if self.solve.k > 1 and found.members is not None:
            choices, stop = self._list(found.members, starts, stop)
        bound = math.inf if found.proved and not choices else found.bound
        return self.watch.result(-bound, -found.value, lambda failed: self._result(choices, bound, failed or stop))

    def _list(self, best: IntArray, starts: Sequence[IntArray], stop: Stop) -> tuple[list[IntArray], Stop]:
        """The k best choices as far as they are known, and why the search for them ended."""
        self.watch.first = self.done[0]
        listing = Listing(self.problem, self.costs, self.solve.k, self._part)
        try:
            for choice in (best, *starts):
                listing.know(choice)
            if stop in (Stop.PROVED, Stop.RELAXED):
                ended = listing.complete(best)
                stop = stop if ended is Stop.PROVED else ended
        except KeyboardInterrupt:
            self.solve.budget.interrupt()
            stop = Stop.INTERRUPTED
        return listing.choices, stop

    def _part(self, allowed: BoolArray, start: IntArray, cutoff: float) -> tuple[FoundChoice, Stop]:
        """The best choice of a part, if it is below the cutoff; see `Listing`."""
        if self.watch(0.0, 0.0, 0, 0):
            return self.done[0], self.watch.stop
        found = self._search(allowed, [start], cutoff)
        self.done[-1] = found._replace(record=None)
        return found, self._stop(found)

    def _search(
        self, allowed: BoolArray | None, starts: Sequence[IntArray], cutoff: float = math.inf
    ) -> FoundChoice:
        may = self.costs.allowed if allowed is None else allowed
        costs = self.costs
        try:
            found = linking_search(
                self.problem.first,
                self.problem.slots,
                costs.distances,
                costs.own,
                allowed=may,
                start=np.array(starts, np.int32).reshape(-1, self.problem.k),
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
        value, bound = found.value + costs.offset, found.bound + costs.offset
        step = self.problem.granularity
        if found.proved and found.members is not None and step and value - bound < step / 2:
            bound = value  # what would be cheaper would be so by a step
        found = found._replace(value=value, bound=bound)
        self.done.append(found)
        self.watch.work[0] += found.sweeps
        self.watch.work[1] += found.nodes
        return found

    def _stop(self, found: FoundChoice) -> Stop:
        if found.interrupted:
            self.solve.budget.interrupt()
            return Stop.INTERRUPTED
        if not found.proved:
            return self.watch.stop
        # Where large costs cancel, their rounding may leave more of a gap than a proof may have.
        exact = found.members is None or found.value - found.bound <= margin(found.value)
        return Stop.PROVED if exact else Stop.RELAXED

    def _certificate(self, stop: Stop) -> Certificate:
        if not self.done:
            return SearchCertificate(math.inf, 1.0, (), np.zeros(0), ())  # a set has no member that is allowed
        if not self.prove:
            return NoCertificate("local search proves nothing")
        if stop is Stop.RELAXED:
            return NoCertificate("large costs cancel: float64 loses more than evidence may be forgiven")
        found = self.done[0]
        if found.record is None:
            return NoCertificate("the record of the search outgrew its memory")
        nothing = found.proved and found.members is None
        return SearchCertificate.of(found.record, self.costs.limit + self.costs.offset if nothing else found.value)

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
                nodes=sum(found.nodes + found.branches for found in self.done),
                iterations=sum(found.sweeps for found in self.done),
                warm_start_used=bool(solve.start),
            ),
            trace=solve.budget.events,
            explanation=problem.infeasibility() if bound == math.inf and stop is Stop.PROVED else (),
            complete=solve.k == 1 or stop is Stop.PROVED,
        )
