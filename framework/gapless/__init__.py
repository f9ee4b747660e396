"""gapless: the best structure under a scoring model, and the proof.

Bring scores, build a problem, call `solve`; the `Result` contains the structure, a bound that meets it, and a
certificate that ``result.verify(problem)`` re-checks without any solver.

The names here are those that users call. Base classes and values for authors of problems, methods and plug-ins are
in `gapless.roles`. Every name is imported on first access.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gapless.results.batch_result import BatchResult as BatchResult
    from gapless.certificates.certificate import Certificate as Certificate, Verdict as Verdict
    from gapless.errors import (
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
    from gapless.limits.events import Event as Event
    from gapless.limits.limits import Limits as Limits, Stop as Stop
    from gapless.problems.problem import Problem as Problem
    from gapless.results.record import Record as Record, read_values as read_values
    from gapless.results.result import (
        NoSolution as NoSolution,
        Result as Result,
        Solution as Solution,
        Status as Status,
    )
    from gapless.arrays.serial import dumps as dumps, loads as loads
    from gapless.limits.work import work_limit as work_limit
    from gapless.solving import solve as solve, solve_many as solve_many
    from gapless.streaming import solve_stream as solve_stream
else:
    from gapless.notebook import register_html_maker
    from gapless.arrays.class_loaders import register_class_loader
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__, submodules="cli parallel plugins roles solving streaming")

    __all__ += ["__version__"]

    # Registered here, not imported by `arrays` and `notebook`: those rooms must not depend on plug-ins and reports.
    def _import_plugins(package):
        from gapless.plugins import load_plugins  # noqa: PLC0415  when a document names a class of theirs

        load_plugins().import_all(package)

    def _make_html(value):
        from gapless.report.notebook import html_of  # noqa: PLC0415  in notebooks alone

        return html_of(value)

    register_class_loader(_import_plugins)
    register_html_maker(_make_html)
    del register_class_loader, lazy_names, register_html_maker
