"""Random scores of labels: ties, floats, all equal, or a few that stand out; some forbid."""

import numpy as np

KINDS = ["ties", "floats", "equal", "peaked"]
FORBIDDEN = [0.0, 0.2, 0.5]


def draw(rng, kind, shape, forbidden):
    if kind == "ties":
        scores = rng.integers(-2, 3, shape).astype(float)
    elif kind == "floats":
        scores = rng.normal(size=shape)
    elif kind == "equal":
        scores = np.full(shape, rng.normal())
    else:
        scores = rng.normal(size=shape) ** 3 * 10
    scores[rng.random(shape) < forbidden] = -np.inf
    return scores
