"""``python -m benchmarks labelling``: cheapest routes over the same pricing graphs as cspy and PathWyse."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.marks import Marks, line
from benchmarks.frame.peers import CSPY
from benchmarks.frame.turns import Both, Compared, Side, time_interleaved
from benchmarks.labelling import cspy_peer, pathwyse_peer
from benchmarks.labelling.instances import Priced, drawn, near
from gapless.arrays.sparse import FloatArray
from gapless.rcsp import LabelSetting, Visits
from gapless_tasks.run_options import add_number

CSPY_MARKS: Marks = (50.0, 200.0)
PATHWYSE_MARKS: Marks = (0.5, 1.0)
SEEDS = 1
PEERS = (CSPY, pathwyse_peer.PATHWYSE)


def measure(_: argparse.Namespace, bench: Bench) -> Iterator[Measurement]:
    """Measure routes beside both peers, and the stages of pricing."""
    return bench.groups(cspy_lines, pathwyse_lines, stage_lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_number(parser, "--seeds", "drawn instances of each kind", SEEDS)


def _instances(bench: Bench, kind: str, customers: int) -> list[Priced]:
    return [one for seed in range(bench.seeds) for one in Priced.all_of(drawn(kind, customers, seed))]


def _ours(visits: Callable[[Priced], Visits], windows: bool) -> Side[Priced, float]:
    def prepare(one: Priced) -> tuple[LabelSetting, Priced]:
        return one.graph.labelling(visits(one), windows), one

    def search(ready: tuple[LabelSetting, Priced]) -> float:
        labelling, one = ready
        return float(labelling.routes(one.costs, below=np.inf, limit=1).cost[0])

    return Side.of(search, prepare)


def cspy_lines(bench: Bench) -> Iterator[Measurement]:
    """Compare elementary routes under a load and the length of a day, which cspy knows without callbacks."""
    if not CSPY.installed:
        return
    cspy: Side[Priced, float] = Side.of(cspy_peer.search, cspy_peer.prepared)
    for customers in (25, 50):
        scores = f"R{customers}, load and length of the day"
        sides = {"gapless": _ours(lambda one: Visits(), windows=False), "cspy": cspy}
        instances = _instances(bench, "R", customers)[-8 if customers < 50 else -1 :]  # cspy takes long
        found = time_interleaved(sides, instances, bench.console, scores)
        _compare(bench, scores, found["gapless"], found["cspy"], equal=False)
        yield Compared("labelling", "cspy", "elementary", scores, (found["gapless"], found["cspy"]), CSPY_MARKS)


def pathwyse_lines(bench: Bench) -> Iterator[Measurement]:
    """Compare routes under loads and time windows, with ng-sets of eight and elementary."""
    if not pathwyse_peer.PATHWYSE.installed:
        return
    for kind, customers in (("R", 50), ("R", 100), ("C", 100), ("RC", 100)):
        for what, ng in (("ng 8", True), ("elementary", False)):
            instances = _instances(bench, kind, customers)
            scores = f"{kind}{customers}, load and windows"
            side = {"gapless": _ours(lambda one, ng=ng: near(one.graph) if ng else Visits(), windows=True)}  # type: ignore[misc]
            ours = time_interleaved(side, instances, bench.console, scores)["gapless"]
            theirs = _pathwyse(instances, ng)
            if not ng:  # its ng-sets are its own
                _compare(bench, f"{scores}, {what}", ours, theirs, equal=True)
            yield Compared("labelling", "PathWyse", what, scores, (ours, theirs), PATHWYSE_MARKS)


def _pathwyse(instances: Sequence[Priced], ng: bool) -> Both[float]:
    answers = [pathwyse_peer.solve(one, windows=True, ng=ng) for one in instances]
    whole, alone = (np.array([getattr(one, name) for one in answers]) for name in ("seconds", "alone"))
    both: Both[float] = Both.of(whole, alone)
    both.alone.answers.extend(one.cost for one in answers)
    return both


def _compare(bench: Bench, what: str, ours: Both[float], theirs: Both[float], *, equal: bool) -> None:
    """Record peers' routes that cost less than ours, and any difference if both solve the same problem."""
    for number, (one, two) in enumerate(zip(ours.alone.answers, theirs.alone.answers, strict=True)):
        at = f"{what}, instance {number}"
        if equal and abs(one - two) > 1e-6:
            bench.wrong.append(f"{at}: {one} and {two}")
        elif not equal and two < one - 1e-6:
            bench.wrong.append(f"{at}: {one}, but the peer has a route of {two}")
        elif not equal and two > one + 1e-6:
            bench.remarks.append(f"{at}: the peer stopped at {two}, the best costs {one}")


def stage_lines(bench: Bench) -> Iterator[Measurement]:
    """Measure milliseconds of each stage below zero, as pricing asks them."""
    for kind in ("R", "C", "RC"):
        instances = _instances(bench, kind, 100)
        for stage in ("heuristic", "relaxed", "exact"):
            ready = [(one.graph.labelling(near(one.graph)), one.costs) for one in instances]
            ask = partial(_routes, stage)
            found = time_interleaved({"gapless": Side(ask, ask)}, ready, bench.console, f"{kind}100")["gapless"]
            scores = f"{kind}100, load and windows, ng 8"
            yield line(f"routes below 0, {stage}", scores, found.alone.milliseconds, "ms")


def _routes(stage: str, ready: tuple[LabelSetting, FloatArray]) -> object:
    labelling, costs = ready
    return labelling.routes(costs, limit=100, stage=stage)  # type: ignore[arg-type]
