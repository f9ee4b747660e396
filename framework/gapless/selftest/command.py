"""Implementation of ``gapless selftest``: runs the campaigns and reports their results."""

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
from gapless.arrays import serial
from gapless.arrays.spelling_hint import spelling_hint
from gapless.cli import exit_codes
from gapless.cli.console import Console
from gapless.cli.outputs import begins_with, check_output
from gapless.cli.running import answers_folder
from gapless.errors import UnknownName, UnknownOption
from gapless.plugins.manager import Plugins, load_plugins
from gapless.plugins.registry import check_count
from gapless.plugins.selftest_instances import SelftestInstances
from gapless.testing.campaign import PairTally, Tally, try_methods, try_pairs
from gapless.testing.kernel_twins import TwinTally, compare_kernels, instruction_sets

_SHOWN = 3
"""Mistakes shown per method; the rest are only counted."""


def run(parsed: argparse.Namespace, console: Console) -> int:
    """Run the command; the exit code says whether all answers are right."""
    check_count("--cases", parsed.cases)
    for option in ("seed", "pair_cases", "forged_cases", "scip_cases"):
        check_count(f"--{option.replace('_', '-')}", getattr(parsed, option), at_least=0)
    if not parsed.seconds >= 0:
        raise UnknownOption(f"--seconds is {parsed.seconds}, expected a number of seconds")
    plugins = load_plugins()
    specimens = _select_specimens(plugins, parsed.problem)
    methods = {name for given in specimens for name in plugins.registry.methods_for(given.problem)}
    if parsed.method is not None and parsed.method not in methods:
        raise UnknownName(
            f"--method {parsed.method}: there is no such method{spelling_hint(parsed.method, sorted(methods))}"
        )
    folder = answers_folder(parsed.out)
    for file in folder.glob("*.json") if folder is not None else ():
        check_output(file, begins_with('{"type": "'), overwrite=parsed.overwrite)
    versions = _versions(plugins)
    for name, version in versions.items():
        console.info(f"{name}: {version}")
    count = sum(
        len(plugins.registry.methods_for(given.problem)) if parsed.method is None else 1 for given in specimens
    )
    skipped: list[str] = []
    with console.progress("instances", count * parsed.cases) as advance:
        tallies = try_methods(
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
        with console.progress("pairs", parsed.pair_cases) as advance:
            pairs, interrupted = try_pairs(
                plugins.registry,
                specimens,
                cases=parsed.pair_cases,
                seed=parsed.seed,
                scip_cases=parsed.scip_cases,
                forged_cases=parsed.forged_cases,
                advance=advance,
            )
    twins = [] if interrupted or parsed.method or parsed.problem else compare_kernels(parsed.seed)
    untested = sorted(
        name
        for name, cls in plugins.registry.problems.items()
        if parsed.problem is None and all(cls is not given.problem for given in specimens)
    )
    files = _write_instances(folder, tallies, pairs)
    _show(console, tallies, pairs, twins, untested, files)
    for reason in skipped:
        console.info(f"note: not tested: {reason}")
    nothing = bool(skipped) and not tallies
    mistaken = any(tally.mistakes for tally in tallies) or any(pair.mistakes for pair in pairs)
    failed = nothing or mistaken or any(twin.different for twin in twins)
    console.data(
        {
            "versions": versions,
            "seed": parsed.seed,
            "cases": parsed.cases,
            "interrupted": interrupted,
            "methods": [_as_data(tally) for tally in tallies],
            "pairs": [_as_data(pair) for pair in pairs],
            "kernels": [attrs.asdict(twin) for twin in twins],
            "without_specimens": untested,
            "skipped": skipped,
            "kept": [str(file) for file in files],
            "passed": not failed and not interrupted,
        }
    )
    if interrupted:
        console.info("interrupted: results so far")
        return exit_codes.INTERRUPTED
    console.result("FAILED" if failed else "all answers are right")
    return exit_codes.FAILED if failed else exit_codes.PROVED


def _as_data(tally: Tally | PairTally) -> dict[str, Any]:
    """Convert a tally to JSON data, without the instances of its mistakes."""
    data = attrs.asdict(tally, filter=lambda a, _: a.name not in ("mistakes", "closed"))
    return {**data, "mistakes": [{"case": m.case, "reason": m.reason} for m in tally.mistakes]}


def _select_specimens(plugins: Plugins, name: str | None) -> Sequence[SelftestInstances]:
    """Return the specimens of all plug-ins, or of one problem type."""
    registry = plugins.registry
    if name is not None and name not in registry.problems:
        raise UnknownName(
            f"--problem {name}: there is no such problem type{spelling_hint(name, registry.problems)}"
        )
    sources = [source for several in plugins.hook.gapless_selftest_instances() for source in several]
    if name is not None:
        sources = [source for source in sources if source.problem is registry.problems[name]]
    if not sources:
        of = "" if name is None else f" of {name!r}"
        raise UnknownName(f"no plug-in provides specimens{of} (hook gapless_selftest_instances)")
    return sources


def _versions(plugins: Plugins) -> dict[str, str]:
    """Return the versions that an answer may depend on."""
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


def _write_instances(folder: Path | None, tallies: Sequence[Tally], pairs: Sequence[PairTally]) -> list[Path]:
    """Write the instances of mistakes as JSON and return the files."""
    if folder is None:
        return []
    named = [(f"{tally.problem}-{tally.method}", tally.mistakes) for tally in tallies]
    named += [(f"{pair.backbone} with {pair.factors}".replace(" ", "-"), pair.mistakes) for pair in pairs]
    files = []
    for name, several in named:
        for mistake in several:
            files.append(folder / f"{name}-{mistake.case}.json")
            serial.write_aside(files[-1], serial.dumps(mistake.instance) + "\n")
    return list(dict.fromkeys(files))


def _show(
    console: Console,
    tallies: Sequence[Tally],
    pairs: Sequence[PairTally],
    twins: Sequence[TwinTally],
    untested: Sequence[str],
    files: Sequence[Path],
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
        console.info(
            f"note: {name!r} was not tested: no plug-in provides specimens (hook gapless_selftest_instances)"
        )
    for tally in tallies:
        for mistake in tally.mistakes[:_SHOWN]:
            console.result(f"MISTAKE {tally.problem}, {tally.method}, case {mistake.case}: {mistake.reason}")
        if len(tally.mistakes) > _SHOWN:
            console.info(f"... and {len(tally.mistakes) - _SHOWN} more of {tally.problem}, {tally.method}")
    for pair in pairs:
        for mistake in pair.mistakes[:_SHOWN]:
            console.result(f"MISTAKE {pair.backbone} with {pair.factors}, case {mistake.case}: {mistake.reason}")
    for file in files:
        console.info(f"wrote {file}")


def _by_backbone(pairs: Sequence[PairTally]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the names of the columns, and for each backbone a row of sums over all kinds of factors."""
    counts = [a.name for a in attrs.fields(PairTally)][2:-2]  # without both names, `rounded` and the mistakes
    rows = []
    for backbone in dict.fromkeys(pair.backbone for pair in pairs):
        members = [pair for pair in pairs if pair.backbone == backbone]
        sums = [sum(getattr(pair, name) for pair in members) for name in counts]
        rows.append((backbone, len(members), *sums, sum(len(pair.mistakes) for pair in members)))
    names = ("k best", "limits", "readable", "SCIP", "verified", "forged", "refused", "mistakes")
    return ("backbone", "kinds", "instances", "infeasible", *names), rows
