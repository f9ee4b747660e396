"""Every labelling of a small chain or tree, and what the best of them are worth."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np


def all_labellings(problem: Any) -> Iterator[Any]:
    """Yield every labelling (n,), feasible or not."""
    return map(np.array, itertools.product(range(problem.label_count), repeat=problem.positions))


def best_values(problem: Any, k: int | None = None) -> list[float]:
    """List the values of the k best labellings (of all without `k`), the best first; none is -inf."""
    values = map(problem.value, all_labellings(problem))
    return sorted((value for value in values if value > -np.inf), reverse=True)[:k]
