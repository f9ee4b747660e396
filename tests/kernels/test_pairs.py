"""The compiled factor of pair scores against its twin in Python, for each instruction set."""

import numpy as np
import pytest

import gapless_kernels
from gapless.core.decisions import FREE, OFF, ON, Decisions
from gapless.factors import PairScores

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="the compiled kernels are not in use")


@pytest.mark.parametrize("seed", range(60))
def test_the_same_as_in_python(seed, instruction_set):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 20))
    scores = np.triu(rng.normal(size=(count, count)) * rng.choice([0.5, 2.0]), 1)
    scores = np.round(scores) if seed % 3 == 0 else scores
    factor = PairScores(np.arange(count), scores + scores.T)
    weights = rng.normal(size=count) * 2
    state = rng.choice([FREE, FREE, FREE, OFF, ON], size=count).astype(np.int8)
    compiled = factor.compiled(Decisions(count))
    value, on = compiled.solve(-weights, state)
    assert value == pytest.approx(factor.most(weights, state)[0], abs=1e-9)
    assert factor.value(on) + weights[on].sum() == pytest.approx(value, abs=1e-9)
    assert compiled.max_marginals(-weights, state) is None
    on = rng.random(count) < 0.5
    assert compiled.value_of(on) == pytest.approx(factor.value(on))
    for place, difference in enumerate(compiled.flip_differences(on)):
        other = on.copy()
        other[place] ^= True
        assert difference == pytest.approx(factor.value(other) - factor.value(on), abs=1e-9)
