"""gapless: the best structure under a scoring model, and the proof.

Bring scores, build a problem, call `solve`; the `Result` holds the structure, a bound that meets it, and a
certificate that ``result.verify(problem)`` re-checks without any solver.
"""

import sys as _sys
from pathlib import Path as _Path

try:
    import gapless_kernels  # noqa: F401  first, because it looks at the environment
except ValueError as error:  # GAPLESS_SIMD names no instruction set; the command has no code of its own yet
    if _Path((_sys.argv or [""])[0]).stem not in ("gapless", "-m"):
        raise
    print(f"gapless: {error}", file=_sys.stderr)
    raise SystemExit(2) from None

from gapless.core.batch import Batch, Columns, Rows
from gapless.core.batch_result import BatchResult
from gapless.core.branch import Branch
from gapless.core.brancher import Brancher, MostFractional
from gapless.core.certificate import (
    BoundCertificate,
    Certificate,
    LinearDualCertificate,
    NoCertificate,
    PointCertificate,
    ProbabilisticCertificate,
    ReplayCertificate,
    Verdict,
)
from gapless.core.decisions import Decisions, Fixings
from gapless.core.errors import (
    DuplicateName,
    FixedColumn,
    GaplessError,
    InconsistentBound,
    InvalidLimits,
    InvalidProblem,
    InvalidResult,
    MissingBound,
    MissingDependency,
    OracleError,
    SolveError,
    UncoveredBranching,
    UnknownName,
    UnknownOption,
    VerificationFailed,
)
from gapless.core.events import Event, Observer
from gapless.core.factor import ConfigurationFactor, Factor, ScoredFactor
from gapless.core.formulation import Formulation
from gapless.core.limits import Budget, Limits, Stop
from gapless.core.model import LinearModel
from gapless.core.oracle import Answer, Generator, LinearView, Maximised, Maximiser, Slacks, View
from gapless.core.problem import Problem, Sense
from gapless.core.problem_batch import ProblemBatch
from gapless.core.record import Record, read_values
from gapless.core.relaxation import Relaxation, Relaxed, Restricted
from gapless.core.result import NoSolution, Result, Solution, Stats, Status
from gapless.core.serial import ask_when_unknown, dumps, loads, serialisable
from gapless.core.sparse import BoolArray, FloatArray, IntArray, Sparse
from gapless.core.tree_certificate import Tightening, TreeCertificate
from gapless.core.work import OutOfWork, spend_work, work_limit
from gapless.plugins import Method, Registry, Solve, Specimens, Task, hookimpl, load_plugins
from gapless.solving import solve, solve_many
from gapless.streaming import solve_stream

__version__ = "0.1.0"

# A stored result names classes of plug-ins: they are imported when one is met.
ask_when_unknown(load_plugins)

__all__ = [
    "Answer",
    "Batch",
    "BatchResult",
    "BoolArray",
    "BoundCertificate",
    "Branch",
    "Brancher",
    "Budget",
    "Certificate",
    "Columns",
    "ConfigurationFactor",
    "Decisions",
    "DuplicateName",
    "Event",
    "Factor",
    "FixedColumn",
    "Fixings",
    "FloatArray",
    "Formulation",
    "GaplessError",
    "Generator",
    "InconsistentBound",
    "IntArray",
    "InvalidLimits",
    "InvalidProblem",
    "InvalidResult",
    "Limits",
    "LinearDualCertificate",
    "LinearModel",
    "LinearView",
    "Maximised",
    "Maximiser",
    "Method",
    "MissingBound",
    "MissingDependency",
    "MostFractional",
    "NoCertificate",
    "NoSolution",
    "Observer",
    "OracleError",
    "OutOfWork",
    "PointCertificate",
    "ProbabilisticCertificate",
    "Problem",
    "ProblemBatch",
    "Record",
    "Registry",
    "Relaxation",
    "Relaxed",
    "ReplayCertificate",
    "Restricted",
    "Result",
    "Rows",
    "ScoredFactor",
    "Sense",
    "Slacks",
    "Solution",
    "Solve",
    "SolveError",
    "Sparse",
    "Specimens",
    "Stats",
    "Status",
    "Stop",
    "Task",
    "Tightening",
    "TreeCertificate",
    "UncoveredBranching",
    "UnknownName",
    "UnknownOption",
    "Verdict",
    "VerificationFailed",
    "View",
    "__version__",
    "dumps",
    "hookimpl",
    "load_plugins",
    "loads",
    "read_values",
    "serialisable",
    "solve",
    "solve_many",
    "solve_stream",
    "spend_work",
    "work_limit",
]
