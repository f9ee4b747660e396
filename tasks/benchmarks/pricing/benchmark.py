"""``python -m benchmarks pricing``: rounds of pricing with smoothing over without, and the cost of a round."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.marks import line
from benchmarks.frame.peers import Peer
from gapless.column_generation import PricedRelaxation, branch_and_price
from gapless.column_generation.master import LinearMaster
from gapless.roles import Fixings, PricingOptions, SolveBudget
from gapless.scip import branch_price_and_cut
from gapless_tasks.run_options import add_number

EXAMPLE = Peer("cutting stock", "gapless_cutting_stock", "pip install -e docs/examples/cutting_stock")
SEEDS = 3
ITEMS = 120
TREES: dict[str, Any] = {"own tree": branch_and_price, "SCIP's tree": branch_price_and_cut}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_number(parser, "--seeds", "drawn instances of each kind", SEEDS)
    add_number(parser, "--items", "items of each instance", ITEMS)


def measure(arguments: argparse.Namespace, bench: Bench) -> Iterator[Measurement]:
    """Measure the rounds in both trees, and the cost of a round."""
    example, items = EXAMPLE.load(), arguments.items
    kinds: dict[str, Callable[[Any, int, int], Any]] = {
        "triplets": _triplets,
        "uniform": lambda example, count, seed: example.uniform_bin_packing(count, seed),
    }
    for kind, draw in kinds.items():
        problems = [draw(example, items, seed) for seed in range(bench.seeds)]
        for tree, solve in TREES.items():
            with bench.group(f"{kind}, {tree}"):
                yield from _rounds(example, problems, kind, tree, solve, bench)
        with bench.group(f"{kind}, cost of a round"):
            cost = [_beside_roles(example, problem) for problem in problems]
            yield line("a round beside oracle, problem and LP, own tree, ms", kind, cost, "", (0.3, 0.1))


def _triplets(example: Any, count: int, seed: int) -> Any:
    """Bins that three items fill to the brim, like class T of Falkenauer (1996)."""
    rng = np.random.default_rng(seed)
    sizes: list[int] = []
    while len(sizes) < count:
        first = int(rng.integers(380, 491))
        second = int(rng.integers(250, 1 + (1000 - first) // 2))
        sizes += [first, second, 1000 - first - second]
    kinds, demands = np.unique(sizes, return_counts=True)
    return example.CuttingStockProblem(1000, kinds[::-1].tolist(), demands[::-1].tolist())


def _rounds(
    example: Any, problems: list[Any], kind: str, tree: str, solve: Any, bench: Bench
) -> Iterator[Measurement]:
    """Measure the rounds at the root and in all, relative to those without smoothing."""
    directional = PricingOptions(smoothing="directional", initial_columns_priceable=True)
    ways: dict[str, Callable[[Any], PricingOptions]] = {
        "wentges": lambda _: PricingOptions(smoothing="wentges"),
        "directional": lambda _: directional,
        "directional, guess": lambda p: attrs.evolve(directional, initial_prices=_guess(p)),
        "directional 0.2, guess": lambda p: attrs.evolve(
            directional, smoothing_factor=0.2, initial_prices=_guess(p)
        ),
    }

    def rounds(problem: Any, pricing: PricingOptions) -> tuple[int, float]:
        budget = SolveBudget(gl.Limits(nodes=1))
        result = solve(problem, attrs.evolve(example.formulation(problem), pricing=pricing), budget)
        return budget.iterations, result.bound

    plain = [rounds(problem, PricingOptions()) for problem in problems]
    for name, way in ways.items():
        found = [rounds(problem, way(problem)) for problem in problems]
        for number, (smooth, before) in enumerate(zip(found, plain, strict=True)):
            if smooth[1] != before[1]:
                bench.wrong.append(f"{kind} {number}, {tree}, {name}: bound {smooth[1]}, without {before[1]}")
        ratio = sum(n for n, _ in found) / sum(n for n, _ in plain)
        marks = (0.6, 0.4) if name.endswith("0.2, guess") else (None, None)
        yield line(f"rounds at the root with {name} over without, {tree}", kind, ratio, "", marks)


def _guess(problem: Any) -> dict[int, float]:
    return {item: -size / problem.width for item, size in enumerate(problem.sizes)}


def _beside_roles(example: Any, problem: Any) -> float:
    """CPU time of a round without the oracle, the problem's own methods, the certificate and the LP solver."""
    inside = [0.0]

    def timed(call: Any) -> Any:
        def body(*arguments: Any, **more: Any) -> Any:
            began = time.process_time()
            try:
                return call(*arguments, **more)
            finally:
                inside[0] += time.process_time() - began

        return body

    formulation = example.formulation(problem)
    formulation = attrs.evolve(formulation, certify=timed(formulation.certify))
    for generator in formulation.generators:
        generator.query = timed(generator.query)
    master = LinearMaster(problem, formulation)
    program: Any = master._lp
    for name in ("optimise", "point", "prices", "add_columns", "add_rows"):
        setattr(program, name, timed(getattr(program, name)))
    relaxation = PricedRelaxation(master, formulation.generators, problem.decisions)
    budget, free = SolveBudget(), Fixings.none(problem.decisions.count)
    object.__setattr__(master._data, "structure", timed(master._data.structure))
    began = time.process_time()
    relaxation.solve(free, budget)
    return 1000 * (time.process_time() - began - inside[0]) / budget.iterations
