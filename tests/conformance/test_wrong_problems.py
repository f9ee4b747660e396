"""Deliberately wrong problems are caught by the kit, under the rule that they break."""

import itertools
import math

import attrs
import numpy as np
import pytest

from gapless.roles import Conjunctions, Decisions, serialisable
from gapless.testing import ConformanceError, check_problem, feasible_structures
from gapless.testing.examples import Selection
from gapless_chains import ChainProblem

NAN, INF = math.nan, math.inf
CALLS = itertools.count()


def mutant(**methods):
    """A selection with some methods replaced."""
    return type("Mutant", (Selection,), methods)


def worth(self, structure):
    return Selection.value(self, structure)


PROBLEMS = {
    "value is NaN": (mutant(value=lambda self, s: NAN), "never NaN"),
    "value is infinitely good": (mutant(value=lambda self, s: INF), "never NaN or infinitely good"),
    "value changes": (
        type("Changing", (Selection,), {"value": lambda self, s: worth(self, s) + next(CALLS)}),
        "value is deterministic",
    ),
    "value raises": (mutant(value=lambda self, s: 1 / 0), "enumerated"),
    "encode descends": (
        mutant(encode=lambda self, s: Selection.encode(self, s)[::-1].copy()),
        "encode|enumeration",
    ),
    "encode gives floats": (
        mutant(encode=lambda self, s: Selection.encode(self, s).astype(float)),
        "integer array",
    ),
    "decode forgets": (mutant(decode=lambda self, on: tuple(on[1:].tolist())), "enumeration|inverse"),
    "violations raise": (mutant(violations=lambda self, s: {}["rule"]), "enumeration|violations"),
    "violations of the feasible": (mutant(violations=lambda self, s: ["never"]), "no violations|enumeration"),
    "infeasibility speaks": (mutant(infeasibility=lambda self: ["nothing fits"]), "infeasibility() says nothing"),
    "granularity": (mutant(granularity=2.0), "multiples of the granularity"),
    "granularity of zero": (mutant(granularity=0.0), "granularity is positive"),
    "nameless": (
        mutant(decisions=property(lambda self: attrs.evolve(Selection.decisions.fget(self), name=lambda d: ""))),
        "has a name",
    ),
    "unnameable": (
        mutant(decisions=property(lambda self: attrs.evolve(Selection.decisions.fget(self), name={}.__getitem__))),
        "has a name",
    ),
    "names raise": (mutant(describe=lambda self, s: 1 / 0), "a feasible structure has names"),
    "names are numbers": (mutant(describe=lambda self, s: tuple(s)), "describe gives strings"),
    "group out of range": (
        mutant(decisions=property(lambda self: Decisions(6, exactly_one=((0, 6),)))),
        "groups name existing decisions",
    ),
    "group repeats": (
        mutant(decisions=property(lambda self: Decisions(6, exactly_one=((0, 0),)))),
        "groups list a decision once",
    ),
    "no JSON": (mutant(), "survive JSON"),
    "linear model too small": (
        mutant(
            linear_model=lambda self: attrs.evolve(
                Selection.linear_model(self), objective=Selection.linear_model(self).objective - 1.0
            )
        ),
        "linear model bounds",
    ),
    "linear model without decisions": (
        mutant(linear_model=lambda self: attrs.evolve(Selection.linear_model(self), decision_columns=[0])),
        "a column for each decision",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems(grouped, name):
    cls, rule = PROBLEMS[name]
    problem = cls(grouped.worth, grouped.weights, grouped.capacities, grouped.groups)
    structures = [f.structure for f in feasible_structures(grouped)]
    options = {"json": name == "no JSON"}
    errors = []
    for given in (structures, None):
        try:
            check_problem(problem, given, **options)
        except ConformanceError as error:
            errors.append(error)
    assert errors, "the mutant survived"
    assert any(part in error.rule for part in rule.split("|") for error in errors), errors


def test_problem_whose_groups_are_no_facts(grouped):
    lenient = mutant(violations=lambda self, s: [])
    problem = lenient(grouped.worth, grouped.weights, grouped.capacities, grouped.groups)
    with pytest.raises(ConformanceError):
        check_problem(problem, [(0, 1, 2)], json=False)


@serialisable("tests.Forgetful")
class Forgetful(Selection):
    """Its JSON loses the last capacity."""

    def to_fields(self):
        return {**super().to_fields(), "worth": self.worth * 2}


def test_problem_whose_json_lies(caught, grouped):
    problem = Forgetful(grouped.worth, grouped.weights, grouped.capacities, grouped.groups)
    caught("survive JSON", check_problem, problem)


class Careless(ChainProblem):
    """Calls feasible what a factor forbids."""

    def violations(self, structure):
        return []


def test_problem_that_forgets_its_factors(caught):
    problem = Careless(np.zeros((2, 2)), np.zeros((2, 2)), factors=[Conjunctions([[0, 2]], [-np.inf])])
    error = caught("that factors forbid has violations", check_problem, problem, json=False)
    assert "forbids" in error.instance
