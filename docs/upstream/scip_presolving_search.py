"""Search for small models to which SCIP gives another optimum with presolving than without it.

The models are whole problems of gapless: the instances of ``gapless selftest``, with random factors on some of
them. SCIP solves each with its default parameters. Where HiGHS disagrees, SCIP solves the model again without
presolving; if that run agrees with HiGHS, the model is written to the output folder as an MPS file.

    python docs/upstream/scip_presolving_search.py --out found --seed 0 --cpu-seconds 600
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyscipopt
import scipy.sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from gapless.decisions.linear_model import LinearModel
from gapless.plugins.manager import load_plugins
from gapless.scip.export import scip_model
from gapless.testing.random_factors import TIERS

TOLERANCE = 1e-4
"""Far above the tolerances of both solvers, so that a difference is no rounding."""
LARGEST_SCORE = 1e3
"""Models with larger scores are left out: there the solvers' tolerances matter."""


def random_models(seed: int) -> Iterator[tuple[str, LinearModel]]:
    """Draw linear models without end, each with the words that reproduce it."""
    sources = [one for several in load_plugins().hook.gapless_selftest_instances() for one in several]
    case = 0
    while True:
        rng = np.random.default_rng([seed, case])
        source = sources[case % len(sources)]
        problem = source.draw(rng)
        if source.structures is not None and problem.decisions.count:
            names = list(TIERS)
            tiers = [TIERS[names[int(rng.integers(len(names)))]] for _ in range(int(rng.integers(1, 4)))]
            scores = "ties" if rng.random() < 0.7 else "normal"
            problem = source.with_factors(problem, [tier(rng, problem.decisions, scores) for tier in tiers])
        case += 1
        try:
            model = problem.linear_model()
        except NotImplementedError:
            continue
        if model.objective.size and np.abs(model.objective).max() <= LARGEST_SCORE:
            yield f"seed {seed}, case {case - 1}, {type(problem).__name__}", model


def by_highs(model: LinearModel) -> float | None:
    """Compute the optimum by HiGHS; -inf if infeasible, None if HiGHS gives no answer."""
    count = model.objective.size
    rows = scipy.sparse.csr_matrix(
        (model.rows.values, model.rows.indices, model.rows.indptr), shape=(len(model.rows), count)
    )
    found = milp(
        -model.objective,
        constraints=LinearConstraint(rows, model.row_lower, model.row_upper) if len(model.rows) else (),
        integrality=model.integer.astype(int),
        bounds=Bounds(model.column_lower, model.column_upper),
    )
    if found.status == 2:
        return -math.inf
    return None if found.x is None else model.constant - float(found.fun)


def by_scip(model: LinearModel, parameters: dict[str, Any]) -> float | None:
    """Compute the optimum by SCIP; -inf if infeasible, None if SCIP proves nothing."""
    program, _ = scip_model(model)
    program.setParams(parameters)
    program.optimize()
    status = program.getStatus()
    optimum = program.getObjVal() if status == "optimal" else -math.inf if status == "infeasible" else None
    program.freeProb()
    return optimum


def differ(one: float | None, other: float | None) -> bool:
    """Compare two solvers: True if they proved different optima."""
    if one is None or other is None or one == other:
        return False
    return not abs(one - other) <= TOLERANCE * max(1.0, abs(one), abs(other))


def main(arguments: Sequence[str] | None = None) -> None:
    """Search for a given CPU time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu-seconds", type=float, default=600.0)
    parsed = parser.parse_args(arguments)
    parsed.out.mkdir(parents=True, exist_ok=True)
    began, tried, found = time.process_time(), 0, 0
    for name, model in random_models(parsed.seed):
        if time.process_time() - began > parsed.cpu_seconds:
            break
        tried += 1
        expected, default = by_highs(model), by_scip(model, {})
        if not differ(expected, default):
            continue
        plain = by_scip(model, {"presolving/maxrounds": 0})
        print(f"{name}: HiGHS {expected}, SCIP {default}, SCIP without presolving {plain}", flush=True)
        if not differ(expected, plain):
            found += 1
            program, _ = scip_model(model)
            program.writeProblem(str(parsed.out / f"{name.replace(', ', '-').replace(' ', '')}.mps"), verbose=False)
    print(f"SCIP {pyscipopt.Model().version()}: {tried} models, {found} with another optimum", flush=True)


if __name__ == "__main__":
    main()
