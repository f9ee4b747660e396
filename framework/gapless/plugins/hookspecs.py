"""Hooks of plug-ins, called once per process or once per solve, never in a loop; the docstrings specify them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from gapless.limits.events import Observer
    from gapless.plugins.named_structure import NamedStructure
    from gapless.plugins.registry import Registry
    from gapless.plugins.selftest_instances import SelftestInstances
    from gapless.problems.problem import Problem
    from gapless.results.result import Result

PROJECT = "gapless"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def gapless_register(registry: Registry) -> None:
    """Register problem types, methods, factors, maximisers and tasks. Called once, during loading."""


@hookspec(firstresult=True)
def gapless_default_method(problem: Problem[Any]) -> str | None:
    """Name the method for `problem` if the user names none; None selects the registered default."""


@hookspec
def gapless_observers(problem: Problem[Any]) -> Observer | None:
    """Return an observer for one solve, or None. Called before each solve."""


@hookspec
def gapless_finished(problem: Problem[Any], result: Result[Any]) -> None:
    """Process a finished result (logging, statistics). Called after each solve."""


@hookspec(firstresult=True)
def gapless_draw(problem: Problem[Any], structure: Any, words: Sequence[str], against: Any) -> str | None:
    """Draw a structure of `problem` as one self-contained SVG element; None for problems of other plug-ins.

    `words`: those of a `gapless.Record`, such as the words of the sentence or the mentions of the text; may be
    empty. `against`: None, or another structure; the drawing then marks the differences, if it can.
    """


@hookspec(firstresult=True)
def gapless_named_structure(problem: Problem[Any], structure: Any) -> NamedStructure | None:
    """Name a structure of `problem` part by part; None for problems of other plug-ins.

    Reports compare the parts with those of the right answer, and count errors and confusions.
    """


@hookspec
def gapless_selftest_instances() -> Sequence[SelftestInstances]:  # type: ignore[empty-body]  # specs have none
    """Return sources of small random instances with verified answers, for ``gapless selftest``.

    Called by that command only, so that an implementation may import any module.
    """


@hookspec
def gapless_cli(subparsers: Any) -> None:
    """Add subcommands: ``subparsers.add_parser(...)``, with ``set_defaults(run=function)``.

    The function takes the parsed `argparse.Namespace` and returns an exit code.
    """


@hookspec
def gapless_data() -> str | None:
    """Return corpora or sets of instances for ``gapless data``: TOML, with one table for each of them.

    A table has the fields of `gapless_models.corpora.registry.OpenCorpus`. Called by that command only.
    """


@hookspec
def gapless_report_header() -> str | None:
    """Return one line for the head of ``gapless plugins``: versions of solvers and libraries in use."""
