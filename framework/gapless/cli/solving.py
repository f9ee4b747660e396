"""``gapless solve``: one stored problem, or a file of many."""

from __future__ import annotations

import argparse
import json
from typing import Any

from gapless.arrays import serial
from gapless.cli import exit_codes
from gapless.cli.backends import add_backend_options, chosen_backend
from gapless.cli.console import STDOUT, Console
from gapless.cli.documents import Documents, once
from gapless.cli.outputs import add_overwrite_option, check_output, is_record
from gapless.cli.reading import StoredProblem, read_first, read_stored
from gapless.cli.solving_many import solve_lines
from gapless.errors import SolveError, UnknownName, UnknownOption, VerificationFailed
from gapless.limits.limits import Limits, Stop
from gapless.parallel import CHUNK_SIZE
from gapless.plugins.manager import Plugins
from gapless.problems.names import one_line
from gapless.results.record import Record
from gapless.results.result import Result, Status
from gapless.results.verification import SECONDS
from gapless.solving import solve


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless solve``."""
    parser.add_argument(
        "file",
        help="problem as JSON, as gapless.dumps writes it, or a record; or .jsonl, with one on each line; - for "
        "standard input",
    )
    parser.add_argument("--method", help="by default the problem type's own")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the method")
    parser.add_argument("-k", type=int, default=1, help="how many best structures, of each problem")
    parser.add_argument("--time", type=float, help="seconds, for each problem")
    parser.add_argument("--nodes", type=int, help="search nodes")
    parser.add_argument("--gap", type=float, default=0.0, help="stop at this relative gap")
    parser.add_argument("--iterations", type=int, help="rounds of pricing or multiplier steps")
    parser.add_argument("--target", type=float, help="stop at an answer at least this good")
    parser.add_argument("--start", metavar="FILE", help="a feasible structure as JSON, to begin with")
    parser.add_argument("--seed", type=int, default=0, help="for methods that draw random numbers")
    parser.add_argument(
        "--verify", action="store_true", help="re-check the answer before it is given; exit code 1 when it fails"
    )
    parser.add_argument("--trace", action="store_true", help="store what happened too, for `gapless report`")
    parser.add_argument(
        "-o",
        "--out",
        help="store problem and result here, for `gapless verify`; for many a .jsonl file, or a folder: there the "
        "same command goes on after it was killed; - for standard output, the text then goes to standard error",
    )
    add_overwrite_option(parser)
    parser.add_argument(
        "--jobs", type=int, help="workers for many problems; -1 is all there are (default 1; with --backend: -1)"
    )
    parser.add_argument(
        "--chunk-size",
        type=int,
        default=CHUNK_SIZE,
        metavar="N",
        help=f"most problems in a chunk (default {CHUNK_SIZE})",
    )
    add_backend_options(parser)


def run(parsed: argparse.Namespace, console: Console, _: Plugins) -> int:
    """Run ``gapless solve FILE``."""
    documents = Documents(parsed.file)
    once(parsed.file, parsed.start)
    if parsed.out == STDOUT:
        console.clear_stdout("--out -")
    many = documents.many
    alone = {"--start": parsed.start is not None, "--trace": parsed.trace}
    together = {"--jobs": parsed.jobs is not None, "--backend": parsed.backend is not None}
    for option, given in (alone if many else together).items():
        if given:
            what = "one problem, and this file may hold many" if many else "a .jsonl file of many problems"
            raise UnknownOption(f"{option} is for {what}: {documents.name}")
    if many:
        with chosen_backend(parsed, console):
            return solve_lines(documents, parsed, _limits(parsed), _options(parsed), console)
    return _solve_alone(documents, parsed, console)


def _solve_alone(documents: Documents, parsed: argparse.Namespace, console: Console) -> int:
    stored = read_stored(documents)
    problem = stored.problem
    limits, options = _limits(parsed), _options(parsed)
    if parsed.out and parsed.out != STDOUT:
        reads = [parsed.file, parsed.start]
        check_output(parsed.out, is_record, overwrite=parsed.overwrite, reads=reads)
    if parsed.trace and not parsed.out:
        raise UnknownOption("--trace stores what happened in the record: give --out too")
    start = read_first(parsed.start) if parsed.start else None
    try:
        result: Result[Any] = solve(
            problem,
            parsed.method,
            limits=limits,
            k=parsed.k,
            start=start,
            seed=parsed.seed,
            trace=parsed.trace,
            verify=parsed.verify,
            **options,
        )
    except VerificationFailed as error:
        if parsed.out and error.result is not None:
            _keep(stored.answered(error.result), parsed.out)
        if error.result is not None:
            _report(stored, error.result, console)
        console.error(f"gapless: {error}")
        return exit_codes.FAILED
    except SolveError as error:
        if error.result is not None:
            _report(stored, error.result, console)
        raise
    if parsed.out:
        _keep(stored.answered(result), parsed.out)
    _report(stored, result, console)
    if result.status is Status.INFEASIBLE:
        return exit_codes.INFEASIBLE
    if result.stop is Stop.INTERRUPTED:
        return exit_codes.INTERRUPTED
    return exit_codes.PROVED if result.proved else exit_codes.STOPPED_EARLY


def _keep(record: Record, out: str) -> None:
    if out == STDOUT:
        print(serial.dumps(record))
    else:
        record.save(out)


def _report(stored: StoredProblem, result: Result[Any], console: Console) -> None:
    named = [stored.problem.describe(solution.structure, stored.words) for solution in result.solutions]
    ended = result.status.value if result.proved else result.outcome
    console.info(f"{ended}: {result.proof}; method {result.method}")
    for number, (solution, names) in enumerate(zip(result.solutions, named, strict=True), 1):
        console.result(f"{number}. value {solution.value:.12g}: {one_line(names)}")
    console.info(f"bound {result.bound:.12g}, gap {result.gap:.3g}, {result.stats.seconds:.3g} s")
    checked = result.stats.extra.get(SECONDS)
    if checked is not None:
        said = "values were checked" if result.unbounded else "checked"
        console.info(f"{said} before it was given, in {checked:.3g} s")
    for line in result.explanation:
        console.info(f"note: {line}")
    console.data(
        {
            "status": result.status.value,
            "stop": result.stop.value,
            "method": result.method,
            "solutions": [
                {"value": solution.value, "structure": solution.structure, "description": names}
                for solution, names in zip(result.solutions, named, strict=True)
            ],
            "bound": result.bound,
            "gap": result.gap,
            "proof": result.proof,
            "certified": result.certified,
            "verify_seconds": checked,
            "seconds": result.stats.seconds,
            "explanation": list(result.explanation),
        }
    )


def _limits(parsed: argparse.Namespace) -> Limits:
    return Limits(parsed.time, parsed.nodes, parsed.gap, parsed.iterations, parsed.target)


def _options(parsed: argparse.Namespace) -> dict[str, Any]:
    return dict(read_option(text) for text in parsed.option)


# As `gapless methods` prints these defaults, in JSON.
_AS_PRINTED = {"True": "true", "False": "false", "None": "null"}


def read_option(text: str) -> tuple[str, Any]:
    """Parse name and value of ``--option NAME=VALUE``."""
    name, separator, value = text.partition("=")
    if not separator:
        raise UnknownName(f"--option {text!r}: expected NAME=VALUE")
    value = _AS_PRINTED.get(value, value)
    try:
        return name.replace("-", "_"), json.loads(value)
    except (ValueError, RecursionError):
        return name.replace("-", "_"), value
