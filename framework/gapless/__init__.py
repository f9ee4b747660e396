"""gapless: the best structure under a scoring model, and the proof.

Bring scores, build a problem, call `solve`; the `Result` holds the structure, a bound that meets it, and a
certificate that ``result.verify(problem)`` re-checks without any solver.

The names here are those that users call. Base classes and values for those who write problems, methods and plug-ins
are in `gapless.roles`. Every name is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gapless.core.batch_result import BatchResult as BatchResult
    from gapless.core.certificate import Certificate as Certificate, Verdict as Verdict
    from gapless.core.errors import (
        GaplessError as GaplessError,
        InvalidLimits as InvalidLimits,
        InvalidProblem as InvalidProblem,
        InvalidResult as InvalidResult,
        MissingDependency as MissingDependency,
        SolveError as SolveError,
        UnknownName as UnknownName,
        UnknownOption as UnknownOption,
        VerificationFailed as VerificationFailed,
    )
    from gapless.core.events import Event as Event
    from gapless.core.limits import Limits as Limits, Stop as Stop
    from gapless.core.problem import Problem as Problem
    from gapless.core.record import Record as Record, read_values as read_values
    from gapless.core.result import (
        NoSolution as NoSolution,
        Result as Result,
        Solution as Solution,
        Status as Status,
    )
    from gapless.core.serial import dumps as dumps, loads as loads
    from gapless.core.work import work_limit as work_limit
    from gapless.solving import solve as solve, solve_many as solve_many
    from gapless.streaming import solve_stream as solve_stream
else:
    from gapless.core.results.notebook import show_by
    from gapless.core.owners import ask_when_unknown
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "gapless.core.batch_result": "BatchResult",
            "gapless.core.certificate": "Certificate Verdict",
            "gapless.core.errors": (
                "GaplessError InvalidLimits InvalidProblem InvalidResult MissingDependency "
                "SolveError UnknownName UnknownOption VerificationFailed"
            ),
            "gapless.core.events": "Event",
            "gapless.core.limits": "Limits Stop",
            "gapless.core.problem": "Problem",
            "gapless.core.record": "Record read_values",
            "gapless.core.result": "NoSolution Result Solution Status",
            "gapless.core.serial": "dumps loads",
            "gapless.core.work": "work_limit",
            "gapless.solving": "solve solve_many",
            "gapless.streaming": "solve_stream",
        },
        submodules="cli core parallel plugins roles solving streaming",
    )

    __all__ += ["__version__"]

    def _import_plugins(package):
        from gapless.plugins import load_plugins  # noqa: PLC0415  when a document names a class of theirs

        load_plugins().import_all(package)

    def _make_html(value):
        from gapless.report.notebook import html_of  # noqa: PLC0415  in notebooks alone

        return html_of(value)

    ask_when_unknown(_import_plugins)
    show_by(_make_html)
    del ask_when_unknown, lazy_names, show_by
