"""CPU time of the backbone alone: NumPy twin, Cython class and numba's functions, on random sequences, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gapless.roles import Fixings
from gapless_rna_folding import FoldingProblem


def least(work: Callable[[], Any], turns: int = 5) -> float:
    """Measure milliseconds of CPU time, the best of some turns."""
    times = []
    for _ in range(turns):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return 1e3 * min(times)


def by_numba(twin: Any) -> Any:
    """Make the same backbone by numba; None without numba."""
    try:
        from gapless_rna_folding.by_numba import noncrossing_pairs  # noqa: PLC0415  an extra
    except ModuleNotFoundError:
        return None
    return noncrossing_pairs(twin.length, twin.left, twin.right)


def main() -> None:
    rng = np.random.default_rng(0)
    print("bases  pairs |      solve, ms: twin   cython   numba |  and slacks: twin   cython")
    for length in (40, 76, 150, 300):
        problem = FoldingProblem("".join(rng.choice(list("ACGU"), length)))
        twin: Any = problem.backbone().maximiser
        weights, free = problem.weights, Fixings.none(problem.decisions.count)
        compiled, numbas = twin.compiled(), by_numba(twin)
        assert compiled.solve(weights)[0] == twin.solve(weights, free).value
        times = [
            least(partial(twin.solve, weights, free)),
            least(partial(compiled.solve, weights)),
            float("nan") if numbas is None else least(partial(numbas.solve, weights)),
            least(partial(twin.max_marginals, weights, free)),
            least(partial(compiled.max_marginals, weights)),
        ]
        print(f"{length:5} {weights.size:6} |{{:21.2f}}{{:9.3f}}{{:8.3f}} |{{:18.2f}}{{:9.3f}}".format(*times))


if __name__ == "__main__":
    main()
