"""The factors that are shipped as diagrams: each against its definition, over all configurations."""

import itertools
import math
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless
import gapless.factors
from gapless import InvalidProblem
from gapless.factors import (
    AtLeastOne,
    AtMostOne,
    Automaton,
    Budget,
    Cardinality,
    Or,
    Precedence,
    SegmentLengths,
    Table,
)
from gapless.plugins import Plugins, factors
from gapless.roles import DecisionDiagram, Decisions
from gapless.testing import check_factor

ROOT = Path(__file__).parents[2]
PLAIN = Decisions(8)
GROUPED = Decisions(9, exactly_one=((0, 1, 2), (3, 4, 5), (6, 7, 8)))
LOOSE = Decisions(9)
GROUPS = GROUPED.exactly_one
INF = math.inf


def labels(on, whole):
    """The label of each group, None for none; None for all where the configuration is forbidden."""
    found = [[k for k, d in enumerate(group) if on[d]] for group in GROUPS]
    if any(len(one) > 1 or (whole and not one) for one in found):
        return None
    return [one[0] if one else None for one in found]


def runs(sequence, label):
    return [len(list(group)) for key, group in itertools.groupby(sequence) if key == label]


WEIGHTS = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
FRACTIONS = np.array([0.1, 0.2, 0.3, 0.7, 0.15])
ONES = (1, 2, 4, 5, 7)
BY_ON = {
    "hard budget": (Budget(ONES, WEIGHTS, 6), lambda on: 0.0 if on @ WEIGHTS <= 6 else -INF),
    "fractions": (Budget(ONES, FRACTIONS, 0.6), lambda on: 0.0 if round(on @ FRACTIONS, 9) <= 0.6 else -INF),
    "soft budget": (Budget(ONES, WEIGHTS, 6, 0.5), lambda on: -0.5 * max(0.0, on @ WEIGHTS - 6)),
    "soft fractions": (Budget(ONES, FRACTIONS, 0.4, 2), lambda on: -2 * max(0.0, on @ FRACTIONS - 0.4)),
    "no weights": (Budget(ONES, np.zeros(5), 0), lambda on: 0.0),
    "nothing allowed but light ones": (Budget(ONES, WEIGHTS, 1), lambda on: 0.0 if on @ WEIGHTS <= 1 else -INF),
    "cardinality": (Cardinality(ONES, [0.0, 2.0, -INF, 1.0]), lambda on: [0.0, 2.0, -INF, 1.0][min(3, sum(on))]),
    "at most": (Cardinality.at_most(ONES, 2), lambda on: 0.0 if sum(on) <= 2 else -INF),
    "at most, softly": (Cardinality.at_most(ONES, 2, -1.5), lambda on: 0.0 if sum(on) <= 2 else -1.5),
    "at least": (Cardinality.at_least(ONES, 2), lambda on: 0.0 if sum(on) >= 2 else -INF),
    "exactly": (Cardinality.exactly(ONES, 3, -2.0), lambda on: 0.0 if sum(on) == 3 else -2.0),
    "none": (Cardinality.exactly(ONES, 0), lambda on: 0.0 if sum(on) == 0 else -INF),
    "or": (Or(ONES, 2.5), lambda on: 2.5 if any(on) else 0.0),
    "forbidden": (Or(ONES, -INF), lambda on: -INF if any(on) else 0.0),
    "at least one": (AtLeastOne(ONES), lambda on: 0.0 if any(on) else -INF),
    "at least one, softly": (AtLeastOne(ONES, -3), lambda on: 0.0 if any(on) else -3.0),
    "at most one": (AtMostOne(ONES), lambda on: 0.0 if sum(on) <= 1 else -INF),
    "at most one, softly": (AtMostOne(ONES, -1), lambda on: -max(0.0, sum(on) - 1.0)),
}
NEXT = np.array([[0, 1, -1], [2, 1, 0], [0, 0, 2]])
SCORES = np.array([[1.0, 0.0, 5.0], [2.0, -INF, -1.0], [0.5, 0.25, -2.0]])
ENDS = np.array([0.0, -INF, 3.0])


def automaton(sequence):
    state, total = 1, 0.0
    for label in sequence:
        if label is not None:
            total += SCORES[state, label]
            state = NEXT[state, label]
            if state < 0:
                return -INF
    return total + ENDS[state]


TABLE = np.arange(9.0).reshape(3, 3) - 4.0
TABLE[1, 2] = -INF


def table(sequence):
    first, last = sequence[0], sequence[2]
    return 0.0 if first is None or last is None else TABLE[first, last]


LENGTHS = [1.0, -INF, 4.0]
BY_LABELS = {
    "automaton": (Automaton(NEXT, SCORES, ENDS, 1), automaton),
    "precedence": (Precedence(0, 2), lambda s: -INF if 2 in s and 0 not in s[: s.index(2)] else 0.0),
    "precedence, softly": (
        Precedence(0, 2, -1.0),
        lambda s: -sum(label == 2 and 0 not in s[:i] for i, label in enumerate(s)),
    ),
    "precedence of itself": (Precedence(1, 1), lambda s: -INF if 1 in s else 0.0),
    "lengths": (SegmentLengths(1, LENGTHS), lambda s: sum(LENGTHS[min(k, 3) - 1] for k in runs(s, 1))),
    "one length": (SegmentLengths(2, [-2.0]), lambda s: -2.0 * len(runs(s, 2))),
}


@pytest.mark.parametrize("which", BY_ON)
def test_factors_over_decisions(which):
    factor, definition = BY_ON[which]
    assert factor.scope(PLAIN).tolist() == list(ONES)
    for bits in itertools.product((False, True), repeat=5):
        assert factor.value(np.array(bits)) == pytest.approx(definition(np.array(bits)), abs=1e-12), bits
    check_factor(factor, PLAIN)


@pytest.mark.parametrize("decisions", [GROUPED, LOOSE], ids=["groups", "at most one"])
@pytest.mark.parametrize("which", [*BY_LABELS, "table"])
def test_factors_over_labels(which, decisions):
    whole = decisions is GROUPED
    if which == "table":
        factor, definition = Table((GROUPS[0], GROUPS[1], GROUPS[2]), np.repeat(TABLE[:, None], 3, axis=1)), None
    else:
        factor, definition = BY_LABELS[which]
        if not whole:
            fields = {
                key: getattr(factor, key) for key in type(factor).__annotations__ if key not in ("name", "groups")
            }
            factor = type(factor)(**fields, groups=GROUPS)
    factor.scope(decisions)
    for bits in itertools.product((False, True), repeat=9):
        sequence = labels(bits, whole)
        if sequence is None:
            expected = -INF
        elif which == "table":
            expected = 0.0 if None in sequence else table(sequence)
        else:
            expected = definition(sequence)
        assert factor.value(np.array(bits)) == pytest.approx(expected, abs=1e-12), (bits, sequence)
    check_factor(factor, decisions)


@pytest.mark.parametrize(
    "factor",
    [*(one for one, _ in BY_ON.values()), *(one for one, _ in BY_LABELS.values()), Table(GROUPS[:2], TABLE)],
)
def test_factors_are_stored(factor):
    again = gapless.loads(gapless.dumps(factor))
    assert gapless.dumps(again) == gapless.dumps(factor)
    assert again.scope(GROUPED).tolist() == factor.scope(GROUPED).tolist()
    on = np.zeros(factor.scope(GROUPED).size, bool)
    assert again.value(on) == factor.value(on)


def test_a_fresh_process_reads_them():
    code = """
import sys
from gapless.plugins import factors, load_plugins
plugins = load_plugins()
if "precedence" not in plugins.registry.factors:  # the clone was not installed again since the plug-in came
    plugins.add(factors, "factors (gapless)")
import gapless
assert "gapless.factors.shipped.precedence" not in sys.modules
print(gapless.loads(sys.argv[1]).score)
"""
    stored = gapless.dumps(Precedence(0, 2, -6.0))
    found = subprocess.run([sys.executable, "-c", code, stored], capture_output=True, text=True, check=False)
    assert found.stdout == "-6.0\n", found.stderr


def test_a_large_budget_is_relaxed():
    rng = np.random.default_rng(0)

    class Small(Budget):
        limit = 600

    for weights, most, penalty in [
        (rng.random(12), 3.0, INF),
        (rng.integers(1, 90, 12), 200, INF),
        (rng.random(12), 2.0, 1.5),
    ]:
        exact, small = Budget(range(12), weights, most, penalty), Small(range(12), weights, most, penalty)
        decisions = Decisions(12)
        assert small.graph(decisions).relaxed
        assert not exact.graph(decisions).relaxed
        for _ in range(20):
            wanted = rng.normal(0.3, 1.0, 12)
            bound, true = small.best(wanted)[0], exact.best(wanted)[0]
            assert true <= bound + 1e-12
            assert bound <= true + 1.0  # not worthless: sums are rounded a little
    check_factor(small, decisions, samples=5)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: Budget([1, 2], [1.0], 3), "budget: 1 weights for 2 decisions"),
        (lambda: Budget([1, 2], [1.0, -1.0], 3), "budget: weights must be"),
        (lambda: Budget([1], [1.0], -3), "budget: the limit is -3"),
        (lambda: Budget([1], [1.0], 3, math.nan), "budget: the penalty is nan"),
        (lambda: Budget([1, 1], [1.0, 1.0], 3), "budget: the decision 1 is listed twice"),
        (lambda: Budget(["a"], [1.0], 3), "budget: decisions are .* expected integers"),
        (lambda: Cardinality([1], []), r"cardinality: scores have shape \(0,\), expected one or more"),
        (lambda: Cardinality([1], [[0.0]]), r"cardinality: scores have shape \(1, 1\), expected one axis"),
        (lambda: Cardinality([1], [0, math.nan]), r"cardinality: scores\[1\] is nan"),
        (lambda: Cardinality.at_most([1], -1), "-1 where a number is expected"),
        (lambda: Or([1], [1.0]), "or: the score is"),
        (lambda: AtLeastOne(3), "at-least-one: decisions are 3"),
        (lambda: Automaton([[0, 7]]), "automaton: transitions lead to states of 0..0"),
        (lambda: Automaton([[0.5]]), "automaton: transitions have shape .* expected integers"),
        (lambda: Automaton([[0, 0]], [[1.0]]), "automaton: scores have shape"),
        (lambda: Automaton([[0]], None, [1.0, 2.0]), "automaton: scores of ends have shape"),
        (lambda: Automaton([[0]], start=1), "automaton: start is 1, but there are 1 states"),
        (lambda: Automaton([[0]]).scope(GROUPED), "automaton: group 0 has 3 decisions, but there are 1 labels"),
        (lambda: Precedence(0.5, 1), "precedence: 0.5 where a number is expected"),
        (lambda: SegmentLengths(0, [], None), "segment-lengths: scores have shape"),
        (lambda: SegmentLengths(0, [1.0], 3), "segment-lengths: groups are 3"),
        (lambda: Table([], 1.0), "table: it needs the decisions"),
        (lambda: Table([[1, 2], [3]], [[1.0]]), "table: scores have shape"),
    ],
)
def test_wrong_fields_are_refused(made, said):
    with pytest.raises(InvalidProblem, match=said):
        made()


def test_all_are_registered():
    plugins = Plugins(())
    plugins.add(factors, "factors (gapless)")
    found = plugins.registry.factors
    shipped = {
        one.name: one for one in vars_of_the_package() if isinstance(one, type) and issubclass(one, DecisionDiagram)
    }
    assert {name: found[name] for name in found} == shipped
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["gapless"]
    assert entries["factors"] == factors.__name__


def vars_of_the_package():
    return [getattr(gapless.factors, name) for name in gapless.factors.__all__]


def test_a_drawing():
    drawn = gapless.factors.draw_diagram(Budget((0, 1, 2), [1.0, 2.0, 1.0], 2), PLAIN)
    assert drawn.startswith("<svg")
    assert drawn.count("<circle") == Budget((0, 1, 2), [1.0, 2.0, 1.0], 2).graph(PLAIN).nodes
    assert len(re.findall("stroke-dasharray", drawn)) > 2
    with pytest.raises(InvalidProblem, match=r"a graph of .* nodes is no picture"):
        gapless.factors.draw_diagram(Cardinality(range(60), np.arange(61.0)), Decisions(60))


@examples(20)
@given(rng=generators())
def test_budgets_of_whole_weights(rng):
    weights = np.asarray(rng.integers(0, 5, 6), float)
    most = int(rng.integers(0, 14))
    factor, decisions = Budget(range(6), weights, most), Decisions(6)
    factor.scope(decisions)
    wanted = np.asarray(rng.integers(-2, 5, 6), float)
    value, on = factor.best(wanted)
    assert on @ weights <= most
    assert value == max(
        sum(w for w, bit in zip(wanted, bits, strict=True) if bit)
        for bits in itertools.product((0, 1), repeat=6)
        if np.array(bits) @ weights <= most
    )
