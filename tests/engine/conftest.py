"""Roles that do what a test tells them at the call it names, and a judge that knows the optimum."""

import math
from types import SimpleNamespace

import attrs
import numpy as np
import pytest

from gapless import Status, Stop
from gapless.roles import Branch, Brancher, Generator, InconsistentBound, Relaxation, RestrictedMaster
from gapless.testing import enumerate_best
from gapless.testing.example_pricing import ItemGenerator, KnownItems
from gapless.testing.examples import Expenses, OptimisticBound, Selection


class Sabotage:
    """Calls `trick(answer)` instead of answering, at the n-th call and, if asked to, at all later ones."""

    def __init__(self, trick, at=1, ever_after=False):
        self.trick, self.at, self.ever_after, self.calls = trick, at, ever_after, 0

    def __call__(self, answer):
        self.calls += 1
        if self.calls == self.at or (self.ever_after and self.calls > self.at):
            return self.trick(answer)
        return answer()


class BadRelaxation(Relaxation):
    def __init__(self, inner, sabotage):
        self.inner, self.sabotage = inner, sabotage

    def solve(self, fixings, budget, *, incumbent=-math.inf, state=None):
        return self.sabotage(lambda: self.inner.solve(fixings, budget, incumbent=incumbent, state=state))


class BadBrancher(Brancher):
    def __init__(self, inner, sabotage):
        self.inner, self.sabotage = inner, sabotage

    def split(self, fixings, relaxed):
        return self.sabotage(lambda: self.inner.split(fixings, relaxed))


class BadGenerator(Generator):
    def __init__(self, inner, sabotage):
        self.inner, self.sabotage = inner, sabotage

    def query(self, view, *, limit=None):
        return self.sabotage(lambda: self.inner.query(view, limit=limit))


class BadRestricted(RestrictedMaster):
    """`sabotages` by method name."""

    def __init__(self, inner, **sabotages):
        self.inner, self.sabotages = inner, sabotages

    def _do(self, name, answer):
        return self.sabotages[name](answer) if name in self.sabotages else answer()

    def solve(self, fixings, budget, *, incumbent=-math.inf, state=None):
        return self._do("solve", lambda: self.inner.solve(fixings, budget, incumbent=incumbent, state=state))

    def extend(self, batch):
        return self._do("extend", lambda: self.inner.extend(batch))

    def view(self):
        return self._do("view", self.inner.view)

    def certify(self, answers):
        return self._do("certify", lambda: self.inner.certify(answers))


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def raiser(error):
    def trick(_answer):
        raise error

    return trick


def change(**fields):
    """A trick that replaces fields of the honest answer; callables are given the honest answer."""

    def trick(answer):
        honest = answer()
        return attrs.evolve(honest, **{k: v(honest) if callable(v) else v for k, v in fields.items()})

    return trick


def returning(value):
    return lambda _answer: value


def judge(problem, result, error=None):
    """A result that was stopped: true values, a true bound, no claim that is not proved."""
    best = enumerate_best(problem, k=1)
    sign = problem.sense.sign
    if best:
        assert sign * result.bound >= sign * best[0].value - 1e-6
    for solution in result.solutions:
        assert not problem.violations(solution.structure)
        assert solution.value == problem.value(solution.structure)
    if error is not None:
        assert result.stop is Stop.ERROR
        assert result.status in (Status.FEASIBLE, Status.NO_SOLUTION)
        if isinstance(error, InconsistentBound):
            assert sign * result.bound == math.inf
    if result.status is Status.OPTIMAL:
        assert result.value == best[0].value
    verdict = result.verify(problem)
    assert verdict, (verdict.location, verdict.reason)
    return result


WORTH = [5.0, 4.0, 3.0, 3.0, 2.0, 1.0]
WEIGHT = [[4.0, 3.0, 2.0, 2.0, 2.0, 1.0]]


@pytest.fixture(params=["maximise", "minimise"])
def knapsack(request):
    """Six items, capacity 7; the optimum is 10 (items 1, 2, 3), not what greedy finds."""
    if request.param == "maximise":
        return Selection(WORTH, WEIGHT, [7.0])
    return Expenses(-np.array(WORTH), WEIGHT, [7.0])


@pytest.fixture
def grouped():
    """Three groups of two; the optimum is 3 + 5 + 0 = 8 without a binding capacity, 7 with it."""
    return Selection(
        [3.0, 1.0, 5.0, 4.0, 0.0, -2.0], [[2.0, 1.0, 3.0, 1.0, 1.0, 1.0]], [5.0], ((0, 1), (2, 3), (4, 5))
    )


@pytest.fixture(scope="session")
def roles():
    """The mocks."""
    return SimpleNamespace(
        Sabotage=Sabotage,
        BadRelaxation=BadRelaxation,
        BadBrancher=BadBrancher,
        BadGenerator=BadGenerator,
        BadRestricted=BadRestricted,
        Clock=Clock,
        Branch=Branch,
        OptimisticBound=OptimisticBound,
        KnownItems=KnownItems,
        ItemGenerator=ItemGenerator,
        raiser=raiser,
        change=change,
        returning=returning,
        judge=judge,
    )
