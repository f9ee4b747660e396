"""Generators and branchers that are wrong on purpose: refused by name, or at least caught by comparison."""

import attrs
import numpy as np
import pytest
import tiny
from drawn import long

from gapless import Status, Stop
from gapless.column_generation import branch_and_price
from gapless.roles import (
    Branch,
    Brancher,
    FixedColumn,
    GeneratorResult,
    InconsistentBound,
    MissingBound,
    UncoveredBranching,
)
from gapless.scip import branch_price_and_cut

TREES = (branch_and_price, branch_price_and_cut)
CASES = [48, long(120)]


def outcomes(tree, kind, seeds):
    """Numbers of right and of wrong answers, and the errors raised."""
    right, wrong, raised = 0, 0, []
    for seed in range(seeds):
        problem = tiny.draw(seed)
        try:
            result = tree(problem, tiny.formulation(problem, kind(problem)))
        except (InconsistentBound, MissingBound, FixedColumn, UncoveredBranching) as error:
            result, raised = error.result, [*raised, type(error)]
        if raised and result.stop is Stop.ERROR:
            assert result.status is not Status.OPTIMAL
            continue
        best = problem.best_score()
        value = problem.sense.sign * result.value if result.solutions else -np.inf
        right += value == best
        wrong += value != best
    return right, wrong, raised


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cases", CASES)
def test_a_dropped_column_is_caught_by_comparison(tree, cases):
    class Drops(tiny.Complete):
        def missing(self):
            return super().missing()[:-1]

    _, wrong, raised = outcomes(tree, Drops, cases)
    assert wrong > cases / 12
    assert set(raised) <= {InconsistentBound}, "a structure was met that beats the bound"


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cases", CASES)
def test_a_slack_too_small_is_refused(tree, cases):
    class Understates(tiny.Complete):
        def claim(self, gain, missing):
            return 0.0

    _, _, raised = outcomes(tree, Understates, cases)
    assert raised.count(InconsistentBound) > cases / 12


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("slack", [-1.0, float("nan")])
def test_a_slack_that_is_none_is_refused(tree, slack):
    class Odd(tiny.Complete):
        def claim(self, gain, missing):
            return slack

    problem = tiny.draw(5)
    with pytest.raises(InconsistentBound, match="pricing gap"):
        tree(problem, tiny.formulation(problem, Odd(problem)))


@pytest.mark.parametrize("tree", TREES)
def test_silence_is_no_proof(tree):
    class Silent(tiny.Complete):
        def query(self, view, *, limit=None):
            return GeneratorResult(pricing_gap=None)

    problem = tiny.draw(5)
    with pytest.raises(MissingBound, match="Silent"):
        tree(problem, tiny.formulation(problem, Silent(problem)))


@pytest.mark.filterwarnings("ignore::gapless.roles.PricingWarning")  # what is not banned yet does not gain either
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cases", CASES)
def test_a_banned_column_is_refused(tree, cases):
    class Ignores(tiny.Complete):
        """Returns what is missing whatever the fixings say."""

        def query(self, view, *, limit=None):
            answer = super().query(view, limit=limit)
            missing = self.missing()[:1]
            if len(answer.batch) or not view.fixings.off.size or not missing:
                return answer
            self.priced.update(missing)
            return attrs.evolve(answer, batch=attrs.evolve(answer.batch, columns=self.columns(missing)))

    _, wrong, raised = outcomes(tree, Ignores, cases)
    assert set(raised) == {FixedColumn}
    assert not wrong


@pytest.mark.parametrize("cases", CASES)
def test_a_repair_that_is_withheld_is_no_proof_of_infeasibility(cases):
    class Withholds(tiny.Complete):
        def query(self, view, *, limit=None):
            answer = super().query(view, limit=limit)
            return answer if view.objective_weight else GeneratorResult(pricing_gap=1.0)

    _, wrong, raised = outcomes(branch_price_and_cut, Withholds, cases)
    assert raised.count(MissingBound) > cases / 12
    assert not wrong


class Loses(Brancher):
    """Forgets one side."""

    def split(self, fixings, relaxed):
        return [Branch(on=fixings.free[:1])] if fixings.free.size else []


class Repeats(Brancher):
    """A child that is its parent."""

    def split(self, fixings, relaxed):
        return [Branch()]


class GivesUp(Brancher):
    """Claims that nothing is left to decide."""

    def split(self, fixings, relaxed):
        return []


class Invents(Brancher):
    """Speaks of a decision that does not exist."""

    def split(self, fixings, relaxed):
        return [Branch(on=[10**6]), Branch(off=[10**6])]


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize(
    ("brancher", "words"),
    [
        (Loses, "no child covers"),
        (Repeats, "nothing new"),
        (GivesUp, "no children"),
        (Invents, "no decision 1000000"),
    ],
)
@pytest.mark.parametrize("cases", [25, long(60)])
def test_a_wrong_brancher_is_named(tree, brancher, words, cases):
    said = []
    for seed in range(cases):
        problem = tiny.draw(seed)
        try:
            tree(problem, tiny.formulation(problem, brancher=brancher()))
        except UncoveredBranching as error:
            said.append(str(error))
    assert said
    assert all(words in s and brancher.__name__ in s for s in said)
