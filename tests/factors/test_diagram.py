"""Diagrams: values and best configurations against enumeration; relaxed ones are bounds; errors name places."""

import copy
import pickle
from typing import ClassVar

import attrs
import numpy as np
import pytest
from diagrams import RandomDiagram, configurations, drawn_diagram, plain_value
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
import gapless_kernels
from gapless import InvalidProblem
from gapless.factors.diagrams import unrolling
from gapless.factors.factor_set import FactorSet
from gapless.roles import DecisionDiagram, Decisions, OracleError
from gapless_chains import ChainProblem


@pytest.mark.parametrize("narrow", [0, unrolling.NARROW])
@seeing("forbidden", "allowed", "group", "nothing", "no decisions")
@examples(60)
@given(rng=generators())
def test_value_and_best_equal_enumeration(seen, rng, narrow):
    factor, decisions = drawn_diagram(rng)
    scope = factor.scope(decisions)
    assert scope.tolist() == list(range(decisions.count - 2))
    weights = np.asarray(rng.integers(-2, 3, scope.size), float)
    weights[np.asarray(rng.random(scope.size)) < 0.15] = -np.inf
    truth = {}
    for on in configurations(scope.size):
        worth = plain_value(factor, decisions, on)
        assert factor.value(on) == worth
        seen["allowed" if worth > -np.inf else "forbidden"] += 1
        truth[on.tobytes()] = worth + float(weights[on].sum())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unrolling, "NARROW", narrow)
        value, on = factor.best(weights)
    assert on.dtype == bool
    assert value == max(truth.values())
    if value > -np.inf:
        assert truth[on.tobytes()] == value
    seen["group"] += bool(decisions.exactly_one)
    seen["nothing"] += value == -np.inf
    seen["no decisions"] += not scope.size


@examples(30)
@given(rng=generators())
def test_real_scores(rng):
    factor, decisions = drawn_diagram(rng, integers=False)
    weights = np.asarray(rng.normal(size=factor.scope(decisions).size), float)
    value, on = factor.best(weights)
    worth = [plain_value(factor, decisions, on) + weights[on].sum() for on in configurations(weights.size)]
    assert value == pytest.approx(max(worth), abs=1e-12)
    if value > -np.inf:
        assert factor.value(on) + weights[on].sum() == pytest.approx(value, abs=1e-12)


class Counting(DecisionDiagram):
    """The number of decisions that are on, of which `most` are allowed; relaxed in steps of two."""

    name = "counting"

    def __init__(self, count, most, scores=None):
        self.count, self.most = count, most
        self.scores = np.zeros(count) if scores is None else scores

    def layers(self, decisions):
        return [[d] for d in range(self.count)]

    def step(self, layer, choice, states):
        following = states + (choice == 0)
        return np.where(following <= self.most, following, -1), self.scores[layer] * (choice == 0)


class Coarse(Counting):
    limit: ClassVar[int] = 25

    def relax(self, layer, states):
        return states // 2 * 2


def test_equal_states_are_merged_and_dead_ends_left_out(monkeypatch):
    monkeypatch.setattr(unrolling, "NARROW", 0)
    graph = Counting(10, 3).graph(Decisions(10))
    # A layer has the numbers 0 to 3, or to its own; those from which the rest cannot pass 3 are one node.
    free = [max(0, min(layer, 3, layer - 7) + 1) for layer in range(11)]
    assert graph.nodes == sum(min(layer, 3) + 1 - max(0, free[layer] - 1) for layer in range(11))
    assert graph.reached == sum(min(layer, 3) + 1 for layer in range(11))

    class Never(Counting):
        def final(self, states):
            return np.where(states == 11, 0.0, -np.inf)

    never = Never(10, 10)
    assert never.graph(Decisions(10)).nodes == 0
    value, on = never.best(np.ones(10))
    assert value == -np.inf
    assert not on.any()


@seeing("weak", "tight")
@examples(30)
@given(rng=generators())
def test_relaxed_diagrams_are_upper_bounds(seen, rng):
    scores = np.asarray(rng.integers(-2, 3, 9), float)
    exact, coarse = Counting(9, 4, scores), Coarse(9, 4, scores)
    decisions = Decisions(9)
    for factor in (exact, coarse):
        factor.scope(decisions)
    assert coarse.graph(decisions).relaxed
    assert coarse.graph(decisions).nodes <= Coarse.limit
    assert not exact.graph(decisions).relaxed
    weights = np.asarray(rng.integers(-2, 3, 9), float)
    bound, truth = coarse.best(weights)[0], exact.best(weights)[0]
    assert bound >= truth
    seen["weak" if bound > truth else "tight"] += 1
    for on in configurations(9)[:: int(rng.integers(1, 40))]:
        assert coarse.value(on) == exact.value(on)  # the steps, not the graph


def test_steps_are_never_asked_about_no_states():
    class Blocked(Counting):
        def step(self, layer, choice, states):
            assert states.size
            return np.full_like(states, -1) if layer == 1 else states, 0.0

        def final(self, states):
            return float(states.max())

    factor = Blocked(4, 4)
    assert factor.graph(Decisions(4)).nodes == 0
    assert factor.best(np.zeros(4))[0] == -np.inf


def test_large_diagrams_are_refused():
    class Large(Counting):
        limit: ClassVar[int] = 30

    with pytest.raises(
        InvalidProblem, match=r"counting: its diagram over 9 decisions in 9 layers has more than 30 nodes\. "
    ):
        Large(9, 9).graph(Decisions(9))
    assert Large(9, 1).graph(Decisions(9)).nodes <= 30

    class Stuck(Large):
        def relax(self, layer, states):
            return states

    with pytest.raises(InvalidProblem, match="also after relax"):
        Stuck(9, 9).graph(Decisions(9))


WRONG = {
    "step of layer 1, choice 0, gave states of shape (1,) and": lambda s: (s[:1], 0.0),
    "step of layer 1, choice 0, gave states of shape (2,) and dtype float64": lambda s: (s * 1.0, 0.0),
    "step of layer 1, choice 0, gave the state -2": lambda s: (s - 2, 0.0),
    "step of layer 1, choice 0,: scores of shape (3,)": lambda s: (s, np.zeros(3)),
    "step of layer 1, choice 0,: the score of state 1 is nan": lambda s: (s, np.where(s == 1, np.nan, 0)),
    "step of layer 1, choice 0,: the score of state 0 is inf": lambda s: (s, np.inf),
    "step of layer 1, choice 0,: the score of state 0 is 2000000000000.0": lambda s: (s, 2e12),
    "step of layer 1, choice 0, gave None": lambda s: None,
}


@pytest.mark.parametrize("said", WRONG)
def test_errors_name_layer_and_choice(said):
    class Wrong(Counting):
        def step(self, layer, choice, states):
            return WRONG[said](states) if (layer, choice) == (1, 0) else super().step(layer, choice, states)

    with pytest.raises(InvalidProblem) as caught:
        Wrong(3, 3).graph(Decisions(3))
    assert f"factor counting: {said}" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"layers": lambda self, d: [[0], [7]]}, r"layer 1 reads \[7\], but there are decisions 0\.\.2 only"),
        (
            {"layers": lambda self, d: [[0], [1, 0]]},
            r"the decision 0 \(decision 0\) is read twice, in layers \[0, 1\]",
        ),
        ({"layers": lambda self, d: [[0.5]]}, "layers\\(\\) must list decisions, integers"),
        ({"start": "none"}, "start is 'none', expected a state"),
        ({"start": -1}, "start is -1"),
        ({"final": lambda self, states: np.full(states.size, np.nan)}, "the final score of state 0 is nan"),
        ({"final": lambda self, states: np.zeros(7)}, r"final\(\) gave scores of shape \(7,\)"),
    ],
)
def test_wrong_diagrams(changes, said):
    factor = type("Wrong", (Counting,), changes)(3, 3)
    with pytest.raises(InvalidProblem, match=f"factor counting: {said}"):
        factor.graph(Decisions(3))


def test_what_a_step_raises_says_where():
    class Broken(Counting):
        def step(self, layer, choice, states):
            return {}[layer]

    said = r"factor counting: step of layer 0, choice -1 \(none is on\), raised KeyError: 0"
    with pytest.raises(OracleError, match=said) as caught:
        Broken(3, 3).graph(Decisions(3))
    assert isinstance(caught.value.__cause__, KeyError)
    factor = Broken(3, 3)
    factor.scope(Decisions(3))
    with pytest.raises(OracleError, match=said):
        factor.value(np.zeros(3, bool))


def test_one_factor_over_several_problems():
    class ByGroups(RandomDiagram):
        def layers(self, decisions):
            return list(decisions.exactly_one)

    factor = ByGroups(np.random.default_rng(0), [4, 4, 4], 3, 0.0)
    with pytest.raises(InvalidProblem, match=r"none yet; call scope\(decisions\) first"):
        factor.value(np.zeros(6, bool))
    twos, threes = (
        Decisions(6, exactly_one=groups) for groups in (((0, 1), (2, 3), (4, 5)), ((0, 1, 2), (3, 4, 5)))
    )
    four = Decisions(4, exactly_one=((0, 1), (2, 3)))
    for decisions in (twos, four, twos):
        factor.scope(decisions)
    assert factor.value(np.array([1, 0, 1, 0, 1, 0], bool)) == plain_value(factor, twos, [1, 0, 1, 0, 1, 0])
    assert factor.value(np.array([1, 0, 1, 0], bool)) == plain_value(factor, four, [1, 0, 1, 0])
    with pytest.raises(InvalidProblem, match=r"a configuration of 5 decisions, but scope\(\) listed 4 or 6"):
        factor.best(np.zeros(5))
    factor.scope(threes)  # 6 decisions, too: a configuration alone does not say which
    with pytest.raises(InvalidProblem, match="two problems that give it 6 decisions each, but in different layers"):
        factor.value(np.array([1, 0, 0, 1, 0, 0], bool))
    on = [1, 0, 0, 1, 0, 0]
    for decisions in (twos, threes):
        bound = factor.over(decisions)
        assert type(bound) is type(factor)
        assert bound.value(np.array(on, bool)) == plain_value(factor, decisions, on)
        value, best = bound.best(np.zeros(6))
        assert value == bound.value(best)
        part = FactorSet([factor], decisions).parts(np.array([0, 3]))[0]
        assert (part.factor, part.score) == (factor, plain_value(factor, decisions, on))


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
def test_a_compiled_factor_knows_its_problem():
    class ByGroups(DecisionDiagram):
        name = "by-groups"
        limit: ClassVar[int] = 6

        def layers(self, decisions):
            return list(decisions.exactly_one)

        def step(self, layer, choice, states):
            return states * 4 + choice + 1, 1.0 * choice * states

        def relax(self, layer, states):
            return np.zeros_like(states)

    factor = ByGroups()
    twos, threes = (
        Decisions(6, exactly_one=groups) for groups in (((0, 1), (2, 3), (4, 5)), ((0, 1, 2), (3, 4, 5)))
    )
    for decisions, on in ((twos, [1, 0, 1, 0, 1, 0]), (threes, [1, 0, 0, 1, 0, 0])):
        assert factor.graph(decisions).relaxed
        made = factor.compiled(decisions)
        assert made.scope.tolist() == list(range(6))
        assert made.value_of(np.array(on, np.int8)) == plain_value(factor, decisions, on)
        assert made.solve(np.zeros(6), np.array(on, np.int8))[0] == plain_value(factor, decisions, on)


def test_a_graph_is_made_once():
    asked = []

    class Asked(Counting):
        def step(self, layer, choice, states):
            asked.append(layer)
            return super().step(layer, choice, states)

    factor = Asked(3, 3)
    graph = factor.graph(Decisions(3))
    assert factor.graph(Decisions(5)) is graph  # the same layers
    assert asked == [0, 0, 1, 1, 2, 2]


@attrs.frozen(eq=False)
class Slotted(DecisionDiagram):
    """attrs leaves what is not a field out of copies."""

    name: ClassVar[str] = "slotted"
    most: int

    def layers(self, decisions):
        return [[d] for d in range(decisions.count)]

    def step(self, layer, choice, states):
        return np.where(states + choice + 1 > self.most, -1, states + choice + 1), 0.0


@pytest.mark.parametrize(
    "made", [lambda: Slotted(2), lambda: RandomDiagram(np.random.default_rng(1), [1, 1, 1], 3)]
)
def test_copies_know_what_they_stand_over(made):
    factor = made()
    factor.scope(Decisions(3))
    for other in (copy.copy(factor), copy.deepcopy(factor), pickle.loads(pickle.dumps(factor))):
        assert other is not factor
        assert other.best(np.ones(3))[0] == factor.best(np.ones(3))[0]
        assert other.value(np.ones(3, bool)) == factor.value(np.ones(3, bool))


def test_a_diagram_that_knows_all_is_proved_in_one_step():
    """Its own best configuration is tried as a structure first; else prices had to find it, in dozens of steps."""
    rng = np.random.default_rng(0)
    n = 24
    scores = rng.normal(size=(2, n))

    class Alone(DecisionDiagram):
        name = "alone"

        def layers(self, decisions):
            return decisions.exactly_one

        def step(self, layer, choice, states):
            following = states + (choice == 1)
            return np.where(following <= 7, following, -1), float(scores[choice, layer])

    problem = ChainProblem(np.zeros((n, 2)), np.zeros((2, 2)), factors=[Alone()])
    result = gapless.solve(problem, "split-bound")
    assert result.status is gapless.Status.OPTIMAL
    assert (result.stats.nodes, result.stats.iterations) == (1, 1)
