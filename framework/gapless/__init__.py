"""gapless: the best structure under a scoring model, and the proof.

Bring scores, build a problem, call `solve`; the `Result` holds the structure, a bound that meets it, and a
certificate that ``result.verify(problem)`` re-checks without any solver.

The names here are those that users call. Base classes and values for those who write problems, methods and plug-ins
are in `gapless.roles`. Every name is imported when it is first asked for.
"""

# ruff: noqa: F405

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "BatchResult",
    "Certificate",
    "Event",
    "GaplessError",
    "InvalidLimits",
    "InvalidProblem",
    "InvalidResult",
    "Limits",
    "MissingDependency",
    "NoSolution",
    "Problem",
    "Record",
    "Result",
    "Solution",
    "SolveError",
    "Status",
    "Stop",
    "UnknownName",
    "UnknownOption",
    "Verdict",
    "VerificationFailed",
    "__version__",
    "dumps",
    "loads",
    "read_values",
    "solve",
    "solve_many",
    "solve_stream",
    "work_limit",
]

if TYPE_CHECKING:
    from gapless.core.batch_result import BatchResult
    from gapless.core.certificate import Certificate, Verdict
    from gapless.core.errors import (
        GaplessError,
        InvalidLimits,
        InvalidProblem,
        InvalidResult,
        MissingDependency,
        SolveError,
        UnknownName,
        UnknownOption,
        VerificationFailed,
    )
    from gapless.core.events import Event
    from gapless.core.limits import Limits, Stop
    from gapless.core.problem import Problem
    from gapless.core.record import Record, read_values
    from gapless.core.result import NoSolution, Result, Solution, Status
    from gapless.core.serial import dumps, loads
    from gapless.core.work import work_limit
    from gapless.roles import *  # noqa: F403  where they were before there was `gapless.roles`
    from gapless.solving import solve, solve_many
    from gapless.streaming import solve_stream

    __all__ += [
        "Answer", "Batch", "BoolArray", "BoundCertificate", "Branch", "Brancher", "Budget", "Columns",
        "ConfigurationFactor", "Decisions", "DuplicateName", "Factor", "FixedColumn", "Fixings",
        "FloatArray", "Formulation", "Generator", "InconsistentBound", "IntArray", "LinearDualCertificate",
        "LinearModel", "LinearView", "Maximised", "Maximiser", "Method", "MissingBound", "MostFractional",
        "NoCertificate", "Observer", "OracleError", "OutOfWork", "PointCertificate",
        "ProbabilisticCertificate", "ProblemBatch", "Registry", "Relaxation", "Relaxed",
        "ReplayCertificate", "Restricted", "Rows", "ScoredFactor", "Sense", "Slacks", "Solve", "Sparse",
        "Specimens", "Stats", "Task", "Tightening", "TreeCertificate", "UncoveredBranching", "View",
        "hookimpl", "load_plugins", "serialisable", "spend_work",
    ]  # fmt: skip
else:
    from gapless.core.owners import ask_when_unknown
    from gapless.lazy import lazy_names

    _get, __dir__ = lazy_names(
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

    def __getattr__(name):
        """Import a name; one that has moved is said to have."""
        try:
            return _get(name)
        except AttributeError:
            from gapless.roles import __all__ as moved  # noqa: PLC0415  for old names alone

            if name not in moved:
                raise
        import warnings  # noqa: PLC0415

        warnings.warn(f"gapless.{name} is now gapless.roles.{name}", DeprecationWarning, stacklevel=2)
        return getattr(_get("roles"), name)

    def _import_plugins(package):
        from gapless.plugins import load_plugins  # noqa: PLC0415  when a document names a class of theirs

        load_plugins().import_all(package)

    ask_when_unknown(_import_plugins)
    del ask_when_unknown, lazy_names
