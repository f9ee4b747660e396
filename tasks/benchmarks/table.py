"""The benchmarks by name."""

from __future__ import annotations

import importlib

from gapless.roles import Task

SUMMARIES = {
    "chains": "Chain decoders beside numba, hmmlearn and the physical floor.",
    "colouring": "Graphs coloured by branch and price, in both trees.",
    "factors": "Factors, limits and observers beside none, and chains with factors beside HiGHS and toulbar2.",
    "labelling": "Resource-constrained shortest paths beside cspy and PathWyse.",
    "linking": "Entity links and graph distances beside toulbar2 and networkit.",
    "ordering": "Best paths beside beams, colour coding and integer programs.",
    "parsing": "Dependency trees beside the paper's variant and ufal.chu-liu-edmonds.",
    "price-and-cut": "Grandparent trees beside HiGHS, AD3 and the paper's variant.",
    "pricing": "Rounds of column generation with smoothing over without, and the cost of a round.",
    "report": "The page about many answers beside reading their file.",
    "scale": "Several workers beside one, and the cost of sharing.",
}


def benchmark(name: str) -> Task:
    """Load a benchmark as a task with its options."""
    module = importlib.import_module(f"benchmarks.{name.replace('-', '_')}.benchmark")
    return Task(name, SUMMARIES[name], module.add_arguments, module.run)
