"""PathWyse: labels from both ends in C++ over a file; its program is named by the environment variable PATHWYSE.

There is no package: clone github.com/pathwyse/pathwyse and build it by CMake (Community edition, version 0.1; with
GCC 12 its ``solver.cpp`` needs ``#include <algorithm>``). Its ng-sets are its own; its optimum over them may differ
from ours.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import tempfile
from pathlib import Path

import attrs

from benchmarks.frame.peers import Peer
from benchmarks.labelling.instances import Priced, PricingGraph

SETTINGS = """verbosity = 2
main_algorithm = PWDefault
algo/default/autoconfig = 1
algo/default/parallel = 0
algo/default/bidirectional = 1
algo/default/reserve = 2000000
algo/default/dssr = {dssr}
algo/default/ng = {ng}
algo/default/ng/set_size = 8
"""


@attrs.frozen
class PathWyseResult:
    """Cost of the best route, and CPU seconds of the program: all of them, and without the reading of the file."""

    cost: float
    seconds: float
    alone: float


class _Program(Peer):
    """The program instead of a module."""

    @property
    def installed(self) -> bool:
        """Whether the variable names a file."""
        return program() is not None


PATHWYSE = _Program("PathWyse", "", "set PATHWYSE to its program")


def program() -> Path | None:
    """Return the path of the program; None if there is none."""
    named = os.environ.get("PATHWYSE")
    return Path(named).resolve() if named and Path(named).is_file() else None


def solve(one: Priced, *, windows: bool, ng: bool) -> PathWyseResult:
    """Let the program solve a pricing problem, and once more with vehicles that can carry nothing."""
    with tempfile.TemporaryDirectory() as folder:
        settings = SETTINGS.format(dssr="off" if ng else "standard", ng="standard" if ng else "off")
        (Path(folder) / "pathwyse.set").write_text(settings)
        cost, seconds = _run(folder, _written(one, windows, one.graph.capacity))
        _, reading = _run(folder, _written(one, windows, 0.0))
    return PathWyseResult(cost, seconds, max(seconds - reading, 1e-4))


def _run(folder: str, text: str) -> tuple[float, float]:
    (Path(folder) / "instance.txt").write_text(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(program()), "instance.txt"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"^Obj: (\S+)", said.stdout, re.MULTILINE)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(found[1]) if found else float("inf"), seconds


def _written(one: Priced, windows: bool, capacity: float) -> str:
    graph: PricingGraph = one.graph
    n, pairs = graph.network.vertices, list(zip(graph.network.tails, graph.network.heads, strict=True))
    lines = ["NAME : drawn", "COMMENT : drawn", f"SIZE : {n}", "DIRECTED : 1", "CYCLIC : 1", "ORIGIN : 0"]
    lines += [f"DESTINATION : {n - 1}", "RESOURCES : 2", "RES_NAMES : 0 1"]
    lines += ["RES_TYPE", f"0 {'TW' if windows else 'TIME'}", "1 CAP", "END"]
    lines += ["RES_BOUND", f"0 0 {graph.due[0]:.0f}", f"1 0 {capacity:.0f}", "END"]
    if windows:
        lines += ["RES_NODE_BOUND", *(f"0 {v} {graph.ready[v]:.0f} {graph.due[v]:.0f}" for v in range(n)), "END"]
    lines += ["EDGE_COST", *(f"{u} {v} {one.costs[a]:.0f}" for a, (u, v) in enumerate(pairs)), "END"]
    lines += ["EDGE_CONSUMPTION", *(f"0 {u} {v} {graph.time[a]:.0f}" for a, (u, v) in enumerate(pairs)), "END"]
    lines += ["NODE_CONSUMPTION", *(f"1 {v} {graph.demand[v]:.0f}" for v in range(n)), "END"]
    return "\n".join(lines) + "\n"
