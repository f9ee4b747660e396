"""Roles that fail in a chosen way at a chosen call, and a check of the results that they leave."""

import math

import attrs

from gapless import Status, Stop
from gapless.roles import Brancher, Generator, InconsistentBound, Relaxation, RestrictedMaster
from gapless.testing import enumerate_best


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


def check_stopped(problem, result, error=None):
    """Check a result that was stopped: true values, a true bound, no claim that is not proved."""
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
