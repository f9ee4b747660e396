"""Plug-in of the command ``selftest``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gapless.plugins import hookimpl
from gapless.plugins.selftest_instances import SelftestInstances

if TYPE_CHECKING:
    import argparse

_SUMMARY = "Check every installed method against brute force on random instances."


@hookimpl
def gapless_cli(subparsers: Any) -> None:
    """Add the command."""
    subparsers.add_parser("selftest", help=_SUMMARY, description=_SUMMARY, fill=_fill)


@hookimpl
def gapless_selftest_instances() -> Sequence[SelftestInstances]:
    """Provide independent choices, whose maximiser is the compiled one or one in Python."""
    from gapless.testing.choices import Choices, all_choices, named, random_choices  # noqa: PLC0415  as below

    return [SelftestInstances(Choices, random_choices, structures=all_choices, named=named)]


def _fill(parser: argparse.ArgumentParser) -> None:
    from gapless.cli.outputs import add_overwrite_option  # noqa: PLC0415  as below
    from gapless.selftest.command import run  # noqa: PLC0415  brute force: imported when it is asked for

    parser.add_argument("--cases", type=int, default=1000, help="instances per problem type (1000)")
    parser.add_argument("--seconds", type=float, default=45.0, help="total CPU time; slow methods solve fewer (45)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the instances (0)")
    parser.add_argument("--problem", metavar="NAME", help="only this problem type")
    parser.add_argument("--method", metavar="NAME", help="only this method")
    parser.add_argument(
        "--pair-cases",
        type=int,
        default=600,
        help="instances over every pair of a backbone and a kind of factor (600)",
    )
    parser.add_argument(
        "--forged-cases",
        type=int,
        default=100,
        help="forged answers to those instances, which must be refused (100)",
    )
    parser.add_argument("--scip-cases", type=int, default=10, help="instances of those that SCIP solves, too (10)")
    parser.add_argument("--out", metavar="DIR", help="folder for instances of mistakes, for `gapless solve`")
    add_overwrite_option(parser)
    parser.set_defaults(run=run)
