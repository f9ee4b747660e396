"""Bounds of verifiers on backbones, with each decision on and off, against enumeration."""

import numpy as np
import pytest
from drawn import mostly_long
from small_problems import KINDS

from gapless.testing import feasible_structures
from gapless.testing.conformance import sample_fixings
from gapless.testing.random_factors import random_scores


def own_scores(kind, problem):
    """The backbone's own score of each structure."""
    found = feasible_structures(problem)
    if kind in ("ordering", "linking"):
        return [(f.on_ids, 0.0) for f in found]
    weights = problem.local.ravel()
    return [(f.on_ids, f.score - float(weights[f.on_ids].sum())) for f in found]


@pytest.mark.parametrize("count", mostly_long([2, 25], quick=[0]))
@pytest.mark.parametrize("scores", ["ties", "normal", "cancel"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_structure_is_worth_more(kind, scores, count):
    rng = np.random.default_rng(7)
    exact = tried = 0
    for _ in range(count // 2 if kind == "ordering" else count):
        problem = KINDS[kind](rng)
        count, listed = problem.decisions.count, own_scores(kind, problem)
        weights = random_scores(rng, count, scores, 0.0)
        for fixings in sample_fixings(problem.decisions, [s for s, _ in listed], 5, int(rng.integers(1 << 30))):
            fits = [(s, w + float(weights[s].sum())) for s, w in listed if fixings.allows(s)]
            bounds = problem.verifier_backbone_bounds(weights, fixings)
            best = max((w for _, w in fits), default=-np.inf)
            assert bounds.best >= best
            near = bounds.best <= best or bounds.best <= best + 1e-6 * max(1.0, abs(best))
            exact, tried = exact + near, tried + 1
            for d in range(count):
                for side, holds in ((bounds.on, True), (bounds.off, False)):
                    forced = max((w for s, w in fits if (d in s) is holds), default=-np.inf)
                    assert side[d] >= forced, (d, holds)
                    assert side[d] <= bounds.best or side[d] <= bounds.best + 1e-6 * max(1.0, abs(bounds.best))
    assert exact >= (0.5 if kind == "ordering" else 1.0) * tried
