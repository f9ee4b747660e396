"""Quick and long tests are chosen as documented; drawn numbers are what NumPy's would be, differ, and shrink."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from drawn import DrawnGenerator, generators, scaled, seeded
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

import gapless as gl
from gapless.column_generation import price_and_cut
from gapless.roles import Batch, Fixings, GeneratorResult, SolveBudget
from gapless_chains import ChainProblem, DomainMessages, ReducedCostOracle
from gapless_kernels.chains import _viterbi_twin


@given(rng=generators(), low=st.integers(-5, 5), span=st.integers(1, 9))
def test_integers_are_all_those_asked_for(rng, low, span):
    drawn = rng.integers(low, low + span, (3, 2))
    assert drawn.shape == (3, 2)
    assert drawn.dtype == np.int64
    assert ((low <= drawn) & (drawn < low + span)).all()
    assert rng.integers(np.array([low]), np.array([low + 1])) == [low]


@pytest.mark.parametrize(("low", "high"), [(0, 7), (-3, 4), (-2, 9), (-9, 2), (3, 8), (-8, -3)])
def test_each_integer_has_one_code_and_the_simplest_is_the_nearest_to_zero(low, high):
    class Counting(DrawnGenerator):
        def _below(self, bound, shape):
            return np.arange(bound)

    @given(data=st.data())
    def check(data):
        drawn = Counting(data.conjecture_data).integers(low, high, high - low)
        assert sorted(drawn) == list(range(low, high))
        assert sorted(drawn, key=abs)[0] == drawn[0]

    check()


@given(rng=generators())
def test_the_other_numbers(rng):
    n = int(rng.integers(1, 6))
    assert sorted(rng.permutation(n)) == list(range(n))
    assert len(set(rng.choice(n + 3, 3, replace=False).tolist())) == 3
    assert rng.choice([2.0, 5.0], p=[0.0, 1.0]) == 5.0
    assert (rng.random(n) >= 0).all()
    assert (rng.random(n) < 1).all()
    assert (rng.exponential(2.0, n) >= 0).all()
    assert rng.dirichlet(np.ones(3)).sum() == pytest.approx(1)
    assert rng.normal(np.zeros(3), 1.0).shape == (3,)
    assert 1 <= rng.uniform(1, 2) < 2
    assert rng.normal(size=(40, 40)).std() < 2  # more than are drawn one by one
    order = list(range(n))
    rng.shuffle(order)
    assert sorted(order) == list(range(n))


def shrunk(property_):
    """The first failure as Hypothesis shows it; None if it finds none."""
    seen = {}

    @settings(max_examples=200, derandomize=True, database=None, phases=[Phase.generate, Phase.shrink])
    @given(rng=generators())
    def check(rng):
        seen["last"] = case = property_.case(rng)
        property_.holds(case)

    try:
        check()
    except AssertionError:
        return seen["last"]
    return None


class _Kernel:
    """A planted bug in a twin: the last row of transitions is left out."""

    @staticmethod
    def case(rng):
        n, k = int(rng.integers(1, 8)), int(rng.integers(1, 20))
        return rng.normal(size=(n, k)), rng.integers(-3, 4, (k, k)).astype(float)

    @staticmethod
    def holds(case):
        unary, transition = case
        wrong = transition.copy()
        wrong[-1] = -np.inf
        labels = np.zeros(len(unary), np.int64)
        assert _viterbi_twin.viterbi(unary, wrong, labels) == _viterbi_twin.viterbi(unary, transition, labels)


class _Silent(ReducedCostOracle):
    def query(self, view, *, limit=None):
        return GeneratorResult(Batch(super().query(view, limit=limit).batch.columns.take(np.zeros(0, int))), 0.0)


class _Role:
    """A planted bug in a role: the oracle says that no label is missing."""

    @staticmethod
    def case(rng):
        n, k = int(rng.integers(1, 8)), int(rng.integers(1, 9))
        return ChainProblem(rng.normal(size=(n, k)), rng.normal(size=(k, k)))

    @staticmethod
    def holds(problem):
        fixings = Fixings.none(problem.decisions.count)
        relaxed = price_and_cut(
            DomainMessages(problem), [_Silent(problem)], problem.decisions, fixings, SolveBudget()
        )
        assert relaxed.bound >= gl.solve(problem).value - 1e-9


def test_a_planted_bug_in_a_role_shrinks():
    problem = shrunk(_Role)
    assert problem.unary.size <= 6
    assert np.count_nonzero(problem.unary) + np.count_nonzero(problem.transition) <= 3


def test_a_planted_bug_in_a_kernel_shrinks():
    unary, transition = shrunk(_Kernel)
    assert unary.shape == (2, 1)
    assert not unary.any()
    assert not transition.any()


def test_seeded_generators_and_scaled_examples():
    assert isinstance(find(seeded(), lambda _: True), np.random.Generator)
    assert scaled(20) == settings().max_examples


def chosen(request, long=False, markexpr="", args=("tests",)):
    """The names that the rule of tests/conftest.py keeps of a plain, a long, a drawn and a long drawn test."""
    home = str(Path(__file__).parents[1] / "conftest.py")
    (rule,) = (p for p in request.config.pluginmanager.get_plugins() if getattr(p, "__file__", None) == home)

    @given(st.integers())
    def drawn(number):
        pass

    marks = {"plain": (), "long": ("long",), "drawn": (), "long drawn": ("long",)}
    items = [_Item(name, held, drawn if "drawn" in name else print) for name, held in marks.items()]
    options = {"--long": long, "markexpr": markexpr}
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    rule.pytest_collection_modifyitems(SimpleNamespace(getoption=options.get, args=args, hook=hook), items)
    return [item.name for item in items]


class _Item:
    def __init__(self, name, marks, function):
        self.name, self.marks, self.function = name, marks, function

    def get_closest_marker(self, name):
        return name in self.marks or None


def test_long_tests_run_where_they_are_asked_for(request):
    assert chosen(request) == ["plain", "drawn"]
    assert chosen(request, long=True) == ["long", "drawn", "long drawn"]
    everything = ["plain", "long", "drawn", "long drawn"]
    assert chosen(request, markexpr="corpus") == everything
    assert chosen(request, args=["tests/soak/test_soak.py::test_a_short_run_does_everything"]) == everything


def test_examples_differ():
    """Hypothesis repeats what strategies drew; here each example but the first few, which are nearly 0, is new."""
    seen = []

    @settings(max_examples=20, derandomize=True, database=None)
    @given(rng=generators())
    def collect(rng):
        seen.append(rng.normal(size=30))

    collect()
    fresh = [a for i, a in enumerate(seen) if all((a != b).mean() > 0.9 for b in seen[:i])]
    assert len(seen) == 20
    assert len(fresh) > 15
    assert 0.9 < np.std(fresh[2:]) < 1.1
