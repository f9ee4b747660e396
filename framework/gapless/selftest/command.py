"""``gapless selftest``: runs the checks and shows the findings."""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import gapless_kernels
from gapless.cli import exit_codes
from gapless.cli.console import Console
from gapless.cli.outputs import begins_with, check_output
from gapless.cli.running import answers_folder
from gapless.core import serial
from gapless.core.errors import UnknownName, UnknownOption
from gapless.core.nearest import nearest
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.registry import check_count
from gapless.plugins.specimens import Specimens
from gapless.selftest.differential import Mistake, Tally, differential
from gapless.selftest.pairs import PairMistake, PairTally, try_pairs
from gapless.selftest.twins import TwinTally, compare_kernels, instruction_sets

_SHOWN = 3
"""Limit on the mistakes shown per method; the rest are counted."""


def run(parsed: argparse.Namespace, console: Console) -> int:
    """Run the command; the exit code tells whether all answers are right."""
    check_count("--cases", parsed.cases)
    for option in ("seed", "pairs", "forged", "by_scip"):
        check_count(f"--{option.replace('_', '-')}", getattr(parsed, option), at_least=0)
    if not parsed.seconds >= 0:
        raise UnknownOption(f"--seconds is {parsed.seconds}, expected a number of seconds")
    plugins = load_plugins()
    specimens = _chosen(plugins, parsed.problem)
    methods = {name for given in specimens for name in plugins.registry.methods_for(given.problem)}
    if parsed.method is not None and parsed.method not in methods:
        raise UnknownName(
            f"--method {parsed.method}: there is no such method{nearest(parsed.method, sorted(methods))}"
        )
    folder = answers_folder(parsed.out)
    for file in folder.glob("*.json") if folder is not None else ():
        check_output(file, begins_with('{"type": "'), overwrite=parsed.overwrite)
    versions = _versions(plugins)
    for name, version in versions.items():
        console.say(f"{name}: {version}")
    count = sum(
        len(plugins.registry.methods_for(given.problem)) if parsed.method is None else 1 for given in specimens
    )
    skipped: list[str] = []
    with console.progress("instances", count * parsed.cases) as advance:
        tallies = differential(
            plugins.registry,
            specimens,
            cases=parsed.cases,
            seconds=parsed.seconds,
            seed=parsed.seed,
            method=parsed.method,
            advance=advance,
            skipped=skipped,
        )
    interrupted = not all(tally.closed for tally in tallies)
    pairs: list[PairTally] = []
    if not interrupted and parsed.method is None:
        with console.progress("pairs", parsed.pairs) as advance:
            pairs, interrupted = try_pairs(
                plugins.registry,
                specimens,
                cases=parsed.pairs,
                seed=parsed.seed,
                by_scip=parsed.by_scip,
                forged=parsed.forged,
                advance=advance,
            )
    twins = [] if interrupted or parsed.method or parsed.problem else compare_kernels(parsed.seed)
    untested = sorted(
        name
        for name, cls in plugins.registry.problems.items()
        if parsed.problem is None and all(cls is not given.problem for given in specimens)
    )
    kept = _keep(folder, tallies, pairs)
    _show(console, tallies, pairs, twins, untested, kept)
    for reason in skipped:
        console.say(f"note: not tested: {reason}")
    nothing = bool(skipped) and not tallies
    mistaken = any(tally.mistakes for tally in tallies) or any(pair.mistakes for pair in pairs)
    failed = nothing or mistaken or any(twin.different for twin in twins)
    console.data(
        {
            "versions": versions,
            "seed": parsed.seed,
            "cases": parsed.cases,
            "interrupted": interrupted,
            "methods": [
                {
                    **attrs.asdict(tally, filter=lambda a, _: a.name not in ("mistakes", "closed")),
                    "mistakes": [{"case": m.case, "reason": m.reason} for m in tally.mistakes],
                }
                for tally in tallies
            ],
            "pairs": [
                {
                    **attrs.asdict(pair, filter=lambda a, _: a.name != "mistakes"),
                    "mistakes": [{"case": m.case, "reason": m.reason} for m in pair.mistakes],
                }
                for pair in pairs
            ],
            "kernels": [attrs.asdict(twin) for twin in twins],
            "without_specimens": untested,
            "skipped": skipped,
            "kept": [str(file) for file in kept],
            "passed": not failed and not interrupted,
        }
    )
    if interrupted:
        console.say("interrupted: results so far")
        return exit_codes.INTERRUPTED
    console.result("FAILED" if failed else "all answers are right")
    return exit_codes.FAILED if failed else exit_codes.PROVED


def _chosen(plugins: Plugins, name: str | None) -> Sequence[Specimens]:
    """Specimens of all plug-ins, or of one problem type."""
    registry = plugins.registry
    if name is not None and name not in registry.problems:
        raise UnknownName(f"--problem {name}: there is no such problem type{nearest(name, registry.problems)}")
    found = [one for several in plugins.hook.gapless_specimens() for one in several]
    wanted = found if name is None else [one for one in found if one.problem is registry.problems[name]]
    if not wanted:
        of = "" if name is None else f" of {name!r}"
        raise UnknownName(f"no plug-in provides specimens{of} (hook gapless_specimens)")
    return wanted


def _versions(plugins: Plugins) -> dict[str, str]:
    """Versions that an answer may depend on."""
    sets = instruction_sets()
    compiled = f"compiled, {sets[-1]} of {', '.join(sets)}" if sets else "NumPy twins (GAPLESS_PURE=1)"
    return {
        "gapless": importlib.metadata.version("gapless"),
        "python": f"{platform.python_version()} on {platform.platform()}",
        "numpy": np.__version__,
        "pyscipopt": importlib.metadata.version("pyscipopt"),
        "kernels": f"{compiled}; {Path(gapless_kernels.__file__).parent}",
        "plug-ins": ", ".join(
            f"{p.name} {p.version}" + (f" (skipped: {p.error})" if p.error else "") for p in plugins.loaded
        ),
    }


def _keep(folder: Path | None, tallies: Sequence[Tally], pairs: Sequence[PairTally]) -> list[Path]:
    """Write the instances of mistakes as JSON."""
    if folder is None:
        return []
    kept: dict[Path, Mistake | PairMistake] = {
        folder / f"{mistake.problem}-{mistake.method}-{mistake.case}.json": mistake
        for tally in tallies
        for mistake in tally.mistakes
    }
    for pair in pairs:
        name = f"{pair.backbone} with {pair.factors}".replace(" ", "-")
        kept.update({folder / f"{name}-{mistake.case}.json": mistake for mistake in pair.mistakes})
    for file, mistake in kept.items():
        serial.write_aside(file, serial.dumps(mistake.instance) + "\n")
    return list(kept)


def _show(
    console: Console,
    tallies: Sequence[Tally],
    pairs: Sequence[PairTally],
    twins: Sequence[TwinTally],
    untested: Sequence[str],
    kept: Sequence[Path],
) -> None:
    rows: list[tuple[Any, ...]] = [
        (
            tally.problem,
            tally.method,
            tally.instances,
            tally.proved,
            tally.verified,
            tally.refused,
            len(tally.mistakes),
            f"{tally.seconds:.1f}",
            "yes" if tally.exact else "no",
        )
        for tally in tallies
    ]
    names = ("problem", "method", "answers", "proved", "verified", "not for", "mistakes", "CPU s", "exact")
    console.table("Methods against brute force", names, rows)
    if pairs:
        console.table(
            "Pairs of a backbone and a kind of factor against a list of all structures", *_by_backbone(pairs)
        )
    if twins:
        console.table(
            "Kernels against their NumPy twins",
            ("kernel", "compared", "different", "how"),
            [(twin.kernel, twin.compared, twin.different, twin.reason) for twin in twins],
        )
    for name in untested:
        console.say(f"note: {name!r} was not tested: no plug-in provides specimens (hook gapless_specimens)")
    for tally in tallies:
        for mistake in tally.mistakes[:_SHOWN]:
            console.result(f"MISTAKE {mistake.problem}, {mistake.method}, case {mistake.case}: {mistake.reason}")
        if len(tally.mistakes) > _SHOWN:
            console.say(f"... and {len(tally.mistakes) - _SHOWN} more of {tally.problem}, {tally.method}")
    for pair in pairs:
        for wrong in pair.mistakes[:_SHOWN]:
            console.result(f"MISTAKE {pair.backbone} with {pair.factors}, case {wrong.case}: {wrong.reason}")
    for file in kept:
        console.say(f"wrote {file}")


def _by_backbone(pairs: Sequence[PairTally]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Names of columns, and a row for each backbone: sums over all kinds of factors."""
    counts = (
        "instances",
        "infeasible",
        "several",
        "limited",
        "readable",
        "by_scip",
        "verified",
        "forged",
        "refused",
    )
    rows = []
    for backbone in dict.fromkeys(pair.backbone for pair in pairs):
        own = [pair for pair in pairs if pair.backbone == backbone]
        sums = [sum(getattr(pair, name) for pair in own) for name in counts]
        rows.append((backbone, len(own), *sums, sum(len(pair.mistakes) for pair in own)))
    names = ("k best", "limits", "readable", "SCIP", "verified", "forged", "refused", "mistakes")
    return ("backbone", "kinds", "instances", "infeasible", *names), rows
