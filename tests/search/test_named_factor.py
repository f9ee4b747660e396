"""Factors that fail inside the search: the error names factor, place and method, and keeps the answer."""

import math

import numpy as np
import pytest

import gapless as gl
from gapless.errors import InconsistentBound, InvalidProblem, OracleError
from gapless.factors import Cardinality
from gapless.roles import ConfigurationFactor
from gapless.search.driver import SearchDriver
from gapless.search.named_factor import NamedFactor
from gapless_chains import ChainProblem

PLACE = r"factors\[1\] \(budget\): "


class Faulty(ConfigurationFactor):
    """Scores nothing, until the call number `at` of a method does something else."""

    name = "budget"

    def __init__(self, method, at, answer):
        self.method, self.at, self.answer, self.calls = method, at, answer, {"value": 0, "best": 0}

    def scope(self, decisions):
        return np.arange(decisions.count)

    def _fails(self, method):
        self.calls[method] += 1
        return method == self.method and self.calls[method] == self.at

    def value(self, on):
        return self.answer() if self._fails("value") else 0.0

    def best(self, weights):
        on = weights > 0
        return self.answer() if self._fails("best") else (float(weights[on].sum()), on)


def raising(error):
    def answer():
        raise error

    return answer


def chain(*factors):
    rng = np.random.default_rng(0)
    return ChainProblem(rng.normal(size=(4, 3)), rng.normal(size=(3, 3)), factors=factors)


def faulty(method, at, answer):
    return chain(Cardinality.at_most(range(12), 12), Faulty(method, at, answer))


OFF = np.zeros(12, bool)
FAULTS = [
    ("best", 1, raising(ValueError("boom")), r"best\(\) raised ValueError: boom"),
    ("best", 1, lambda: None, r"best\(\) gave None, expected a value and a configuration"),
    ("best", 1, lambda: (math.nan, OFF), r"best\(\) gave the value nan"),
    ("best", 1, lambda: (math.inf, OFF), r"best\(\) gave the value inf"),
    ("best", 1, lambda: ("much", OFF), r"best\(\) gave the value 'much', expected a number"),
    ("best", 1, lambda: (0.0, OFF[:3]), r"best\(\) gave a configuration of shape \(3,\).* 12 booleans"),
    ("best", 1, lambda: (7.0, OFF), r"best\(\) .*7\.?0?, but by value\(\) its configuration"),
    ("best", 1, lambda: (-math.inf, OFF), r"best\(\) says that no configuration is allowed"),
    ("value", 1, raising(LookupError("boom")), r"value\(\) raised LookupError: boom"),
    ("value", 1, lambda: math.nan, r"value\(\) gave nan"),
    ("value", 1, lambda: np.zeros(3), r"value\(\) gave array.*, expected a number"),
    ("value", 1, lambda: None, r"value\(\) gave None, expected a number"),
    ("value", 1, lambda: 1e13, r"value\(\) gave 1.*e?.*, expected a number of at most 1e\+12"),
    ("value", 1, raising(MemoryError("full")), r"value\(\) raised MemoryError: full"),
]


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize(("method", "at", "answer", "said"), FAULTS, ids=[fault[3][:40] for fault in FAULTS])
def test_the_error_names_place_and_method(method, at, answer, said, k):
    with pytest.raises((OracleError, InconsistentBound), match=PLACE + said) as caught:
        gl.solve(faulty(method, at, answer), k=k)
    assert caught.value.result.stop is gl.Stop.ERROR
    assert not caught.value.result.proved


def test_the_list_keeps_what_was_found():
    """The first search ends in an error after it has a structure: so has the result of the list."""
    late = [at for at in range(5, 20) if _found(at, 1)]
    assert late
    assert all(_found(at, 3) for at in late)


def _found(at, k):
    try:
        gl.solve(faulty("value", at, raising(ValueError("boom"))), k=k, start=[0, 0, 0, 0])
    except OracleError as error:
        return bool(error.result.solutions)
    return False


def test_any_error_of_the_search_keeps_the_answer(monkeypatch):
    def advance(run, solve):
        raise MemoryError("no memory for the search tree")

    monkeypatch.setattr(SearchDriver, "run", advance)
    for k in (1, 3):
        problem = chain(Faulty("value", 10**6, None))
        with pytest.raises(MemoryError) as caught:
            gl.solve(problem, k=k, start=[0, 0, 0, 0])
        assert len(caught.value.result.solutions) == 1


def test_right_answers_pass():
    factor = NamedFactor(Faulty("value", 10**6, None), "factors[0] (budget)")
    assert factor.value(OFF) == 0.0
    most, on = factor.best(np.where(np.arange(12) == 2, 3.0, -1.0))
    assert (most, np.flatnonzero(on).tolist()) == (3.0, [2])
    barred = NamedFactor(Faulty("best", 1, lambda: (-math.inf, None)), "factors[0] (budget)")
    assert barred.best(np.zeros(12))[0] == -math.inf


def test_a_diagram_that_raises_is_named():
    class Broken(Cardinality):
        def written_graph(self, layout):
            return None

        def step(self, layer, choice, states):
            return {}[layer]

    with pytest.raises((gl.SolveError, InvalidProblem), match=r"step of layer 0, choice .* raised KeyError: 0"):
        gl.solve(chain(Broken([0, 1], [0.0, 1.0, 2.0])))
