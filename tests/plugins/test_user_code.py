"""Errors of a user's problem, backbone or factor: an `OracleError` that names the method, with the original."""

import numpy as np
import pytest

import gapless as gl
from gapless.roles import (
    Backbone,
    Conjunctions,
    DecisionDiagram,
    Decisions,
    GroupMaximiser,
    LinearModel,
    OracleError,
    Sparse,
)
from gapless.scip import solve_monolithic
from gapless_chains import ChainProblem

WEIGHTS = np.array([1.0, 2.0, 3.0, 5.0])
START = (0, 2)


class Failing(gl.Problem):
    """Two choices of two; one method raises from its call number `after` on."""

    def __init__(self, method="", after=0, guess=None, factors=()):
        self.method, self.left, self.guess, self.factors = method, after, guess, factors
        self.known = Decisions(4, exactly_one=[[0, 1], [2, 3]])

    def _called(self, method):
        if method == self.method:
            self.left -= 1
            if self.left < 0:
                raise KeyError("not loaded")

    @property
    def decisions(self):
        return self.known

    def value(self, structure):
        self._called("value")
        return float(WEIGHTS[list(structure)].sum()) + self.factor_value(structure)

    def violations(self, structure):
        self._called("violations")
        return [] if len(structure) == 2 else ["not two"]

    def encode(self, structure):
        self._called("encode")
        return np.array(structure)

    def decode(self, on_ids):
        self._called("decode")
        return tuple(on_ids.tolist())

    def infeasibility(self):
        self._called("infeasibility")
        return ()

    def backbone(self):
        self._called("backbone")
        return Backbone(GroupMaximiser(self.known), WEIGHTS, initial_structure=self.guess)

    def linear_model(self):
        self._called("linear_model")
        rows = Sparse.from_rows([[0, 1], [2, 3]])
        return LinearModel(WEIGHTS, np.zeros(4), np.ones(4), [True] * 4, rows, [1, 1], [1, 1], np.arange(4))


FACTORS = (Conjunctions([[1, 3]], [-9.0]), Conjunctions([[0, 3]], [1.5]))
CALLS = {
    "solve": gl.solve,
    "start": lambda problem: gl.solve(problem, start=START),
    "k best": lambda problem: gl.solve(problem, k=3, start=START),
    "no certificate": lambda problem: gl.solve(problem, certificate=False),
    "checked": lambda problem: gl.solve(problem, verify=True),
    "SCIP": lambda problem: solve_monolithic(problem, start=[START]),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "method", ["value", "violations", "encode", "decode", "infeasibility", "backbone", "linear_model"]
)
def test_methods_of_a_problem_that_raise_are_named(method, call):
    """Whichever call it is: of the searches, the one before them, and the one after."""
    raised = 0
    for after in range(6):
        for factors in ((), FACTORS) if call != "SCIP" else ((),):
            problem = Failing(method, after, guess=lambda: START, factors=factors)
            try:
                CALLS[call](problem)
            except OracleError as error:
                raised += 1
                assert f"Failing.{method} raised KeyError: 'not loaded'" in str(error)  # noqa: PT017
                assert isinstance(error.__cause__, KeyError)  # noqa: PT017
            except gl.VerificationFailed:  # the verdict on an answer whose problem cannot be asked any more
                assert call == "checked"
    unused = {"linear_model"} if call != "SCIP" else {"backbone", "infeasibility"}
    assert bool(raised) == (method not in unused)


def test_a_guess_that_raises_is_named():
    def guess():
        raise ZeroDivisionError("no scores")

    with pytest.raises(OracleError, match=r"Backbone\.guess raised ZeroDivisionError: no scores"):
        gl.solve(Failing(guess=guess))


def test_a_guess_that_is_no_structure_is_named():
    with pytest.raises(OracleError, match=r"Failing\.violations raised TypeError: object of type 'int' has no len"):
        gl.solve(Failing(guess=lambda: 7))


def test_starts_of_another_form_are_bad_input_and_no_fault_of_the_problem():
    chain = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    with pytest.raises(gl.InvalidProblem, match="start"):
        gl.solve(chain, "split-bound", start=[0, 1, 0])


class Unrelaxed(DecisionDiagram):
    """As many states as configurations, and a relaxation that raises."""

    name = "unrelaxed"
    limit = 8

    def layers(self, decisions):
        return [[d] for d in range(0, decisions.count, 2)]

    def step(self, layer, choice, states):
        return 2 * states + (choice >= 0), 0.0

    def relax(self, layer, states):
        raise LookupError("no table of states")


def test_a_relaxation_of_states_that_raises_is_named():
    problem = ChainProblem(np.zeros((6, 2)), np.zeros((2, 2)), factors=[Unrelaxed()])
    with pytest.raises(
        OracleError, match=r"factor unrelaxed: relax\(\d, states\) raised LookupError: no table of states"
    ):
        gl.solve(problem, "split-bound")
