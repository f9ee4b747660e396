"""A registry with one problem type, and methods for it that are wrong on purpose."""

import itertools
import math
from types import SimpleNamespace

import pytest

from gapless import BatchResult, InvalidProblem, Result, Stop
from gapless.roles import Method, MostFractional, Registry, SelftestInstances
from gapless.testing import feasible_structures
from gapless.testing.examples import ChargedCapacities, OptimisticBound, Selection, random_selection
from gapless.tree_search import tree_search


def ranked(problem):
    return sorted(feasible_structures(problem), key=lambda f: -f.score)


def of(problem, solve, found, bound, stop=Stop.PROVED, **how):
    return Result.of(problem, [f.structure for f in found], bound, stop, method=solve.method, **how)


def best(problem):
    found = ranked(problem)[:1]
    return found, found[0].score if found else -math.inf


def honest(problem, solve):
    search = OptimisticBound(problem), MostFractional(), solve.budget
    return tree_search(problem, *search, k=solve.k, method=solve.method)


def second_best(problem, solve):
    found = ranked(problem)[1:2] or ranked(problem)
    return of(problem, solve, found, found[0].score if found else -math.inf)


def bound_below(problem, solve):
    found = ranked(problem)[-1:]
    return of(problem, solve, found, found[0].score if found else -math.inf, Stop.NODES)


def bad_evidence(problem, solve):
    found, score = best(problem)
    return of(problem, solve, found, score, certificate=ChargedCapacities([0.0]))


def raises(problem, solve):
    raise ZeroDivisionError("a slip")


def refuses(problem, solve):
    raise InvalidProblem("not for this one")


def proves_nothing(problem, solve):
    found, _ = best(problem)
    return of(problem, solve, found, math.inf, Stop.RELAXED)


def skips_the_second(problem, solve):
    found = ranked(problem)
    kept = [*found[:1], *found[2 : solve.k + 1]]
    return of(problem, solve, kept, found[0].score if found else -math.inf)


def interrupted_after(count):
    """A method that hears Ctrl-C in the solve after `count` of them."""
    calls = itertools.count()

    def interrupted(problem, solve):
        if next(calls) < count:
            return honest(problem, solve)
        return of(problem, solve, [], math.inf, Stop.INTERRUPTED)

    return interrupted


def batch_of_seconds(problems, solve):
    return BatchResult.from_results([second_best(p, solve) for p in problems], total=len(problems))


def draw(rng):
    return random_selection(rng, int(rng.integers(1, 6)))


@pytest.fixture
def wrong():
    return SimpleNamespace(
        second_best=second_best,
        bound_below=bound_below,
        bad_evidence=bad_evidence,
        raises=raises,
        refuses=refuses,
        proves_nothing=proves_nothing,
        skips_the_second=skips_the_second,
        interrupted_after=interrupted_after,
        batch_of_seconds=batch_of_seconds,
        honest=honest,
    )


@pytest.fixture
def specimens():
    return [SelftestInstances(Selection, draw)]


@pytest.fixture
def registered():
    def make(run, **how):
        registry = Registry()
        registry.problem("selection", Selection)
        registry.method(Method("tried", Selection, run, **how))
        return registry

    return make
