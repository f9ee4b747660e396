"""The hooks: called once per process or once per solve, never in a loop. The docstrings are the spec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from gapless.core.events import Observer
    from gapless.core.problem import Problem
    from gapless.core.result import Result
    from gapless.plugins.parts import Parts
    from gapless.plugins.registry import Registry
    from gapless.plugins.specimens import Specimens

PROJECT = "gapless"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def gapless_register(registry: Registry) -> None:
    """Register problem types, methods, factors, maximisers and tasks. Called once, when plug-ins are loaded."""


@hookspec(firstresult=True)
def gapless_default_method(problem: Problem[Any]) -> str | None:
    """Name the method for `problem` when the user names none; None leaves it to the registered default."""


@hookspec
def gapless_observers(problem: Problem[Any]) -> Observer | None:
    """Give an observer for one solve, or None. Called before each solve."""


@hookspec
def gapless_finished(problem: Problem[Any], result: Result[Any]) -> None:
    """Look at a finished result (logging, statistics). Called after each solve."""


@hookspec(firstresult=True)
def gapless_draw(problem: Problem[Any], structure: Any, words: Sequence[str], against: Any) -> str | None:
    """Draw a structure of `problem` as one SVG element, complete in itself; None for problems of other plug-ins.

    `words` is what a `gapless.Record` holds for people: the words of the sentence, the mentions of the text; it may
    be empty. `against` is None, or another structure: then the drawing marks where the two differ, if it can.
    """


@hookspec(firstresult=True)
def gapless_parts(problem: Problem[Any], structure: Any) -> Parts | None:
    """Name a structure of `problem` part by part; None for problems of other plug-ins.

    Reports lay the parts beside those of the right answer, and count errors and confusions.
    """


@hookspec
def gapless_specimens() -> Sequence[Specimens]:  # type: ignore[empty-body]  # specs have none
    """Random small instances of problem types and how to judge answers: what ``gapless selftest`` tries methods on.

    Called by that command only, so an implementation may import what it needs.
    """


@hookspec
def gapless_cli(subparsers: Any) -> None:
    """Add sub-commands: ``subparsers.add_parser(...)``, with ``set_defaults(run=function)``.

    The function takes the parsed `argparse.Namespace` and returns an exit code.
    """


@hookspec
def gapless_data() -> str | None:
    """Give corpora or sets of instances to ``gapless data``: TOML, with one table for each of them.

    A table has the fields of `gapless_models.corpora.registry.OpenCorpus`. Called by that command only.
    """


@hookspec
def gapless_report_header() -> str | None:
    """One line for the head of ``gapless plugins``: versions of solvers and libraries in use."""
