"""``verify=True``: what a method answers is re-checked before it is given, and nothing wrong is called OPTIMAL."""

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless import streaming
from gapless.column_generation import PricedRelaxation
from gapless.roles import Batch, Method, MostFractional, NoCertificate
from gapless.testing.example_pricing import ItemGenerator, KnownItems
from gapless.testing.examples import Expenses, OptimisticBound, Selection
from gapless.tree_search import tree_search

WORTH = [5.0, 4.0, 3.0, 3.0, 2.0, 1.0]


class Unwritten(KnownItems):
    """A master as users write it first: without `certify`."""

    def certify(self, answers):
        return NoCertificate("the formulation brings no `certify`")


class Blind(ItemGenerator):
    """Prices wrongly: it never sees item 1, and claims that nothing is missing."""

    def query(self, view, *, limit=None):
        answer = super().query(view, limit=limit)
        keep = np.flatnonzero(answer.batch.columns.keys != 1)
        columns = self.columns(answer.batch.columns.keys[keep].tolist())
        return attrs.evolve(answer, batch=Batch(columns), pricing_gap=answer.pricing_gap if len(columns) else 0.0)


def blind(problem, solve):
    """Branch and price with a generator that ignores a part of what it should price."""
    relaxation = PricedRelaxation(Unwritten(problem), [Blind(problem)], problem.decisions)
    return tree_search(problem, relaxation, MostFractional(), solve.budget, method=solve.method)


def search(problem, solve):
    return tree_search(
        problem, OptimisticBound(problem), MostFractional(), solve.budget, k=solve.k, method=solve.method
    )


def lying(problem, solve, *, about="bound"):
    """Answers that were changed on their way."""
    honest = search(problem, solve)
    best = honest.solutions[0]
    if about == "bound":
        worst = gl.Result.of(problem, [()], 0.0, gl.Stop.PROVED, certificate=honest.certificate, method="lying")
        return attrs.evolve(worst, explanation=["as the method says"])
    if about == "value":
        told = best.value + problem.sense.sign
        return attrs.evolve(honest, solutions=(gl.Solution(best.structure, told),), bound=told)
    if about == "structure":
        everything = tuple(range(len(WORTH)))
        return attrs.evolve(honest, solutions=(gl.Solution(everything, best.value), best))
    if about == "nonsense":
        return attrs.evolve(honest, solutions=(gl.Solution("nonsense", best.value),))
    assert about == "crash"
    return attrs.evolve(honest, certificate=Crashing())


@attrs.frozen
class Crashing(gl.Certificate):
    def verify(self, problem, fixings=None):
        raise RuntimeError("no more room")


@attrs.frozen
class Interrupted(gl.Certificate):
    def verify(self, problem, fixings=None):
        raise KeyboardInterrupt


def slow(problem, solve):
    return attrs.evolve(search(problem, solve), certificate=Interrupted())


def many(problems, solve, *, about="bound"):
    return gl.BatchResult.from_results([lying(p, solve, about=about) for p in problems], len(problems))


def batched(problems, solve):
    return gl.BatchResult.from_results([search(p, solve) for p in problems], len(problems))


@pytest.fixture
def methods(install, make, monkeypatch):
    def register(registry):
        registry.problem("selection", Selection)
        registry.problem("expenses", Expenses)
        registry.method(Method("search", Selection, search, k_best=True, default=True))
        registry.method(Method("blind", Selection, blind))
        registry.method(Method("lying", Selection, lying))
        registry.method(Method("lying-batch", Selection, lying, run_many=many))
        registry.method(Method("batch", Selection, search, run_many=batched))
        registry.method(Method("slow", Selection, slow))

    plugins = install(make.Entry("demo", make.plugin(register)))
    monkeypatch.setattr(streaming, "load_plugins", lambda: plugins)


@pytest.fixture(params=[Selection, Expenses], ids=["maximise", "minimise"])
def problem(request):
    """The best is 10 (or -10), nothing is 0."""
    sign = 1 if request.param is Selection else -1
    return request.param([sign * worth for worth in WORTH], [[4.0, 3.0, 2.0, 2.0, 2.0, 1.0]], [7.0])


pytestmark = pytest.mark.usefixtures("methods")


def test_what_holds_is_given_as_it_is(problem):
    plain, checked = gl.solve(problem, k=2), gl.solve(problem, k=2, verify=True)
    assert checked.status is gl.Status.OPTIMAL
    assert [s.value for s in checked.solutions] == [s.value for s in plain.solutions]
    assert checked.stats.extra["verify_seconds"] >= 0.0
    assert "verify_seconds" not in plain.stats.extra
    assert checked.verify(problem)


def test_an_oracle_that_prices_wrongly_is_not_called_proved_in_silence(problem):
    """It is OPTIMAL by the word of its generators alone; the result says so, and a check does not let it pass."""
    wrong = gl.solve(problem, "blind")
    assert (wrong.status, abs(wrong.value)) == (gl.Status.OPTIMAL, 9.0)  # 10 is the best
    assert not wrong.certified
    assert "proved, no certificate: " in repr(wrong)
    assert "brings no `certify`" in wrong.proof
    with pytest.raises(gl.VerificationFailed, match=r"cannot be checked: .* brings no `certify`.*drop verify") as e:
        gl.solve(problem, "blind", verify=True)
    assert e.value.claimed.status is gl.Status.OPTIMAL
    left = e.value.result
    assert (left.status, left.stop, left.value) == (gl.Status.FEASIBLE, gl.Stop.ERROR, wrong.value)
    assert left.unbounded
    assert f"bound {wrong.bound:.12g}" in left.explanation[-1]


@pytest.mark.parametrize(
    ("about", "place", "reason", "kept"),
    [
        ("bound", "certificate", "the evidence proves -?10, but 0 is claimed", 0.0),
        ("value", r"solutions\[0\]", "recomputed from the problem", 10.0),
        ("structure", r"solutions\[0\]", "infeasible", 10.0),
        ("nonsense", r"solutions\[0\]", "not a structure", None),
        ("crash", "certificate", "the check raised RuntimeError: no more room", 10.0),
    ],
)
def test_what_does_not_hold_is_an_error_that_keeps_the_answer(problem, about, place, reason, kept):
    with pytest.raises(gl.VerificationFailed, match=f"fails its check: {place}: .*{reason}") as caught:
        gl.solve(problem, "lying", verify=True, about=about)
    error = caught.value
    assert not error.verdict
    left = error.result
    assert left.stop is gl.Stop.ERROR
    assert left.status is (gl.Status.NO_SOLUTION if kept is None else gl.Status.FEASIBLE)
    assert [abs(s.value) for s in left.solutions] == ([] if kept is None else [kept])
    assert left.verify(problem)  # what is left of it is true
    assert any("claimed, but not checked: optimal" in line for line in left.explanation)
    assert gl.Result.from_json(left.to_json()).verify(problem)
    assert isinstance(error.__cause__, RuntimeError) == (about == "crash")


def test_without_verify_nothing_changes(problem):
    assert gl.solve(problem, "lying").status is gl.Status.OPTIMAL
    assert gl.solve(problem, "lying").explanation == ["as the method says"]


def test_control_c_while_an_answer_is_checked(problem):
    result = gl.solve(problem, "slow", verify=True)
    assert (result.status, result.stop, abs(result.value)) == (gl.Status.FEASIBLE, gl.Stop.INTERRUPTED, 10.0)
    assert result.unbounded
    assert "the check of the answer was interrupted (Ctrl-C)" in result.explanation
    batch = gl.solve_many([problem] * 3, "slow", verify=True)
    assert [status is None for status in batch.statuses] == [False, True, True]


@pytest.mark.parametrize("method", ["lying", "lying-batch"])
def test_many_problems_fail_one_by_one(problem, method):
    batch = gl.solve_many([problem] * 2, method, verify=True)
    assert sorted(batch.errors) == [0, 1]
    assert all(isinstance(error, gl.VerificationFailed) for error in batch.errors.values())
    assert batch.statuses == [gl.Status.FEASIBLE] * 2
    assert batch.proved_share == 0.0
    assert batch[0].stop is gl.Stop.ERROR
    outcomes = list(gl.solve_stream([problem] * 2, method, verify=True))
    assert all(isinstance(outcome, gl.VerificationFailed) for outcome in outcomes)
    assert gl.solve_many([problem] * 2, method).proved_share == 1.0


@pytest.mark.parametrize("method", ["search", "batch"])
def test_many_that_hold(problem, method):
    batch = gl.solve_many([problem] * 2, method, verify=True)
    assert batch.proved_share == 1.0
    assert not batch.errors
    for result in [*batch, *gl.solve_stream([problem] * 2, method, verify=True)]:
        assert result.stats.extra["verify_seconds"] >= 0.0
