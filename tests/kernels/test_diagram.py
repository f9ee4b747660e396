"""Passes over layered graphs: compiled and twin agree bit by bit, both with enumeration."""

import numpy as np
import pytest
from diagrams import RandomDiagram, configurations, drawn_diagram, plain_value
from drawn import examples, generators, seeing
from hypothesis import given

import gapless_kernels
from gapless.roles import Decisions
from gapless_kernels.diagrams import _diagram_twin

VERSIONS = [pytest.param(_diagram_twin.DiagramFactor, id="numpy")]
if gapless_kernels.COMPILED:
    from gapless_kernels.diagrams import _diagram

    VERSIONS.append(pytest.param(_diagram.DiagramFactor, id="compiled"))
both = pytest.mark.parametrize("version", VERSIONS)


def passes(version, factor, decisions):
    graph = factor.graph(decisions)
    exact = factor.value if graph.relaxed else None
    return version(factor.scope(decisions), graph.arrays, exact_value=exact)


@both
@seeing("found", "nothing", "on", "tie")
@examples(60)
@given(rng=generators())
def test_passes_equal_enumeration(seen, version, rng):
    factor, decisions = drawn_diagram(rng)
    made = passes(version, factor, decisions)
    count = factor.scope(decisions).size
    prices = np.asarray(rng.integers(-2, 3, count), float)
    prices[np.asarray(rng.random(count)) < 0.1] = np.inf
    state = np.asarray(rng.choice(np.array([-1, -1, -1, 0, 1]), count), np.int8).reshape(count)
    every = configurations(count)
    values = np.array([plain_value(factor, decisions, on) for on in every])
    totals = np.array(
        [value - prices[on].sum() if value > -np.inf else value for on, value in zip(every, values, strict=True)]
    )
    agreeing = np.array([bool(np.all((state == -1) | (on == (state == 1)))) for on in every])
    totals[~agreeing] = -np.inf
    value, y = made.solve(prices, state)
    assert value == totals.max()
    seen["found" if value > -np.inf else "nothing"] += 1
    seen["on"] += bool(np.any(state == 1)) and value > -np.inf
    seen["tie"] += value > -np.inf and np.count_nonzero(totals == value) > 1
    if value > -np.inf:
        assert totals[[bool(np.array_equal(on, y == 1)) for on in every].index(True)] == value
    with_it, without = made.marginals_of(prices, state)
    for i in range(count):
        on = np.array([one[i] for one in every], bool)
        assert with_it[i] == totals[on].max()
        assert without[i] == totals[~on].max()
    for on, worth in zip(every, values.tolist(), strict=True):
        assert made.value_of(on.astype(np.int8)) == worth


@both
@seeing("single", "several", "group", "forbidden")
@examples(40)
@given(rng=generators())
def test_flips(seen, version, rng):
    factor, decisions = drawn_diagram(rng)
    made = passes(version, factor, decisions)
    scope = factor.scope(decisions)
    for on in configurations(scope.size):
        worth = plain_value(factor, decisions, on)
        found = made.flips_of(on.astype(np.int8))
        if worth == -np.inf:
            assert not found.any()
            continue
        for layer in factor.layers(decisions):
            places = np.searchsorted(scope, layer)

            def replaced(place, on=on, places=places):
                other = on.copy()
                other[places] = False
                if place is not None:
                    other[place] = True
                return plain_value(factor, decisions, other)

            none = replaced(None)
            for place in places.tolist():
                if on[place] and len(layer) > 1 and none == -np.inf:
                    expected = 0.0
                elif on[place]:
                    expected = none - worth
                else:
                    expected = replaced(place) - (worth if none == -np.inf else none)
                assert found[place] == expected
                seen["single" if len(layer) == 1 else "group" if none == -np.inf else "several"] += 1
                seen["forbidden"] += expected == -np.inf


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@examples(40)
@given(rng=generators())
def test_twins_agree_bit_by_bit(rng):
    factor, decisions = drawn_diagram(rng, most=20, integers=False)
    compiled, twin = (passes(version.values[0], factor, decisions) for version in VERSIONS[::-1])
    count = factor.scope(decisions).size
    prices = np.asarray(rng.normal(size=count), float).reshape(count)
    state = np.asarray(rng.choice(np.array([-1, -1, -1, 0, 1]), count), np.int8).reshape(count)
    (value, y), (other_value, other_y) = compiled.solve(prices, state), twin.solve(prices, state)
    assert (value, y.tolist()) == (other_value, other_y.tolist())
    for one, other in zip(compiled.marginals_of(prices, state), twin.marginals_of(prices, state), strict=True):
        assert one.tolist() == other.tolist()
    assert compiled.value_of(y) == twin.value_of(y)
    assert compiled.flips_of(y).tolist() == twin.flips_of(y).tolist()


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@pytest.mark.parametrize("states", [1, 7, 8, 9, 40, 65])
def test_wide_layers(states):
    """Ranges around the width of a vector, with targets that rise by one and others, one score and many."""

    class Shifted(RandomDiagram):
        def step(self, layer, choice, numbers):
            if layer % 3 == 0:
                return np.where(numbers + choice >= states, -1, numbers + max(choice, 0)), 0.5 * layer
            if layer % 3 == 1:
                return super().step(layer, choice, numbers)
            return numbers, self.tables[layer][1][0, numbers]

    rng = np.random.default_rng(states)
    factor = Shifted(rng, [2] * 12, states, 0.1, integers=False)
    decisions = Decisions(24)
    compiled, twin = (passes(version.values[0], factor, decisions) for version in VERSIONS[::-1])
    for _ in range(10):
        prices, state = rng.normal(size=24), rng.choice(np.array([-1, -1, -1, -1, -1, 0], np.int8), 24)
        assert compiled.solve(prices, state)[0] == twin.solve(prices, state)[0]
        for one, other in zip(compiled.marginals_of(prices, state), twin.marginals_of(prices, state), strict=True):
            assert one.tolist() == other.tolist()
        y = twin.solve(prices, state)[1]
        assert compiled.flips_of(y).tolist() == twin.flips_of(y).tolist()


def arrays(**changes):
    graph = RandomDiagram(np.random.default_rng(4), [1, 2, 1], 4, 0.0).graph(Decisions(4))
    return graph.arrays._replace(**{name: change(getattr(graph, name).copy()) for name, change in changes.items()})


@both
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"targets": lambda a: a.astype(np.int64)}, "targets must be a one-dimensional int32 array"),
        ({"targets": lambda a: a + 99}, "targets must lie in the next layer"),
        ({"places": lambda a: a + 9}, "places must be -1 or places in the scope"),
        ({"layer_blocks": lambda a: a[:-1]}, "layer_blocks must rise from 0"),
        ({"layer_nodes": lambda a: a + 1}, "layer_nodes must rise from 1"),
        ({"final": lambda a: a[:-1]}, "final must have a number for each node"),
        ({"counts": lambda a: a + 9}, "sources and counts must lie in the layer"),
        ({"counts": lambda a: a[1:]}, "must have one entry for each of"),
        ({"scores": lambda a: a[:-2]}, "leave room for the edges"),
    ],
)
def test_wrong_graphs_are_refused(version, changes, said):
    version(np.arange(4), arrays())
    with pytest.raises((TypeError, ValueError), match=said):
        version(np.arange(4), arrays(**changes))


@both
def test_wrong_questions_are_refused(version):
    made = version(np.arange(4), arrays())
    free = np.full(4, -1, np.int8)
    for prices, state, said in [
        (np.zeros(3), free, r"prices must have shape \(4,\)"),
        (np.full(4, np.nan), free, "prices must be numbers"),
        (np.full(4, -np.inf), free, "prices must be numbers"),
        (np.zeros(4), free[:3], r"the state must have shape \(4,\)"),
        (np.zeros(4), free + 5, "a state is -1, 0 or 1"),
    ]:
        with pytest.raises(ValueError, match=said):
            made.solve(prices, state)


@both
def test_a_relaxed_graph_asks_for_its_value(version):
    asked = []

    def exact(on):
        asked.append(on.tolist())
        if on.all():
            raise OSError("asked for all")
        return -7.0

    made = version(np.arange(4), arrays(), exact_value=exact)
    prices, fixed = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 0, 0, 1], np.int8)
    value, y = made.solve(prices, fixed)
    assert (value, y.tolist()) == (-12.0, fixed.tolist())
    assert [array.tolist() for array in made.marginals_of(prices, fixed)] == [
        [-12.0, -np.inf, -np.inf, -12.0],
        [-np.inf, -12.0, -12.0, -np.inf],
    ]
    assert made.value_of(fixed) == -7.0
    assert asked == [[True, False, False, True]] * 3
    assert made.solve(prices, np.full(4, -1, np.int8))[0] > -np.inf
    assert len(asked) == 3
    for call in (made.value_of, lambda y: made.solve(prices, y), lambda y: made.marginals_of(prices, y)):
        with pytest.raises(OSError, match="asked for all"):
            call(np.ones(4, np.int8))
