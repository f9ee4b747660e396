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
from gapless.cli import Console
from gapless.rcsp import LabelSetting, Visits
from gapless_tasks.run_options import add_number

CSPY_MARKS: Marks = (50.0, 200.0)
PATHWYSE_MARKS: Marks = (0.5, 1.0)
SEEDS = 1
NO_PATHWYSE = "not compared with PathWyse: set PATHWYSE to its program"


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Measure and report."""
    absent = [] if CSPY.installed else [CSPY.absent]
    absent += [] if pathwyse_peer.program() else [NO_PATHWYSE]
    bench = Bench(console=console, seeds=arguments.seeds, remarks=absent)
    return bench.report(_measured(bench))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_number(parser, "--seeds", "drawn instances of each kind", SEEDS)


def _measured(bench: Bench) -> Iterator[Measurement]:
    for measure in (cspy_lines, pathwyse_lines, stage_lines):
        with bench.group(measure.__name__):
            yield from measure(bench)


def _instances(bench: Bench, kind: str, customers: int) -> list[Priced]:
    return [one for seed in range(bench.seeds) for one in Priced.all_of(drawn(kind, customers, seed))]


def _ours(visits: Callable[[Priced], Visits], windows: bool) -> Side[Priced, float]:
    def prepare(one: Priced) -> tuple[LabelSetting, Priced]:
        return one.graph.labelling(visits(one), windows), one

    def search(ready: tuple[LabelSetting, Priced]) -> float:
        labelling, one = ready
        return float(labelling.routes(one.costs, below=np.inf, limit=1).cost[0])

    return Side(lambda one: search(prepare(one)), search, prepare)


def _near(one: Priced) -> Visits:
    return near(one.graph)


def _elementary(one: Priced) -> Visits:
    return Visits()


def cspy_lines(bench: Bench) -> Iterator[Measurement]:
    """Elementary routes under a load and the length of a day, the resources that cspy knows without callbacks."""
    if not CSPY.installed:
        return
    cspy = Side(lambda one: cspy_peer.search(cspy_peer.prepared(one)), cspy_peer.search, cspy_peer.prepared)
    for customers in (25, 50):
        scores = f"R{customers}, load and length of the day"
        sides = {"gapless": _ours(_elementary, windows=False), "cspy": cspy}
        instances = _instances(bench, "R", customers)[-8 if customers < 50 else -1 :]  # cspy takes long
        found = time_interleaved(sides, instances, bench.console, scores)
        _compare(bench, scores, found["gapless"], found["cspy"], equal=False)
        yield Compared("labelling", "cspy", "elementary", scores, (found["gapless"], found["cspy"]), CSPY_MARKS)


def pathwyse_lines(bench: Bench) -> Iterator[Measurement]:
    """Routes under loads and time windows, with ng-sets of eight and elementary."""
    if not pathwyse_peer.program():
        return
    for kind, customers in (("R", 50), ("R", 100), ("C", 100), ("RC", 100)):
        for what, visits, ng in (("ng 8", _near, True), ("elementary", _elementary, False)):
            instances = _instances(bench, kind, customers)
            scores = f"{kind}{customers}, load and windows"
            side = {"gapless": _ours(visits, windows=True)}
            ours = time_interleaved(side, instances, bench.console, scores)["gapless"]
            theirs = _pathwyse(instances, ng)
            _compare(bench, f"{scores}, {what}", ours, theirs, equal=not ng)
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
        if equal and abs(one - two) > 1e-6:
            bench.wrong.append(f"{what}, instance {number}: {one} and {two}")
        elif not equal and "ng" not in what and two < one - 1e-6:
            bench.wrong.append(f"{what}, instance {number}: {one}, but the peer has a route of {two}")
        elif not equal and "ng" not in what and two > one + 1e-6:
            bench.remarks.append(f"{what}, instance {number}: the peer stopped at {two}, the best costs {one}")


def stage_lines(bench: Bench) -> Iterator[Measurement]:
    """Milliseconds of each stage below zero, as pricing asks them."""
    for kind in ("R", "C", "RC"):
        instances = _instances(bench, kind, 100)
        for stage in ("heuristic", "relaxed", "exact"):
            labelling = [one.graph.labelling(near(one.graph)) for one in instances]
            side = Side[int, object](
                partial(_asked, instances, labelling, stage), partial(_asked, instances, labelling, stage)
            )
            found = time_interleaved({"gapless": side}, range(len(instances)), bench.console, f"{kind}100")[
                "gapless"
            ]
            yield line(
                f"routes below 0, {stage}", f"{kind}100, load and windows, ng 8", found.alone.milliseconds, "ms"
            )


def _asked(instances: Sequence[Priced], labelling: Sequence[LabelSetting], stage: str, number: int) -> object:
    return labelling[number].routes(instances[number].costs, limit=100, stage=stage)  # type: ignore[arg-type]
