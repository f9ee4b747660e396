"""Base classes and values for those who write problems, oracles, factors, methods and plug-ins.

Users who only call `gapless.solve` need none of them. Every name is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

__all__ = [
    "Answer",
    "Batch",
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
    "Factor",
    "FixedColumn",
    "Fixings",
    "FloatArray",
    "Formulation",
    "Generator",
    "InconsistentBound",
    "IntArray",
    "LinearDualCertificate",
    "LinearModel",
    "LinearView",
    "Maximised",
    "Maximiser",
    "Method",
    "MissingBound",
    "MostFractional",
    "NoCertificate",
    "Observer",
    "OracleError",
    "OutOfWork",
    "PointCertificate",
    "ProbabilisticCertificate",
    "Problem",
    "ProblemBatch",
    "Registry",
    "Relaxation",
    "Relaxed",
    "ReplayCertificate",
    "Restricted",
    "Rows",
    "ScoredFactor",
    "Sense",
    "Slacks",
    "Solve",
    "Sparse",
    "Specimens",
    "Stats",
    "Task",
    "Tightening",
    "TreeCertificate",
    "UncoveredBranching",
    "View",
    "hookimpl",
    "load_plugins",
    "serialisable",
    "spend_work",
]

if TYPE_CHECKING:
    from gapless.core.batch import Batch, Columns, Rows
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
    )
    from gapless.core.decisions import Decisions, Fixings
    from gapless.core.errors import (
        DuplicateName,
        FixedColumn,
        InconsistentBound,
        MissingBound,
        OracleError,
        UncoveredBranching,
    )
    from gapless.core.events import Observer
    from gapless.core.factor import ConfigurationFactor, Factor, ScoredFactor
    from gapless.core.formulation import Formulation
    from gapless.core.limits import Budget
    from gapless.core.model import LinearModel
    from gapless.core.oracle import Answer, Generator, LinearView, Maximised, Maximiser, Slacks, View
    from gapless.core.problem import Problem, Sense
    from gapless.core.problem_batch import ProblemBatch
    from gapless.core.relaxation import Relaxation, Relaxed, Restricted
    from gapless.core.result import Stats
    from gapless.core.serial import serialisable
    from gapless.core.sparse import BoolArray, FloatArray, IntArray, Sparse
    from gapless.core.tree_certificate import Tightening, TreeCertificate
    from gapless.core.work import OutOfWork, spend_work
    from gapless.plugins.call import Solve
    from gapless.plugins.hookspecs import hookimpl
    from gapless.plugins.manager import load_plugins
    from gapless.plugins.registry import Method, Registry, Task
    from gapless.plugins.specimens import Specimens
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "gapless.core.batch": "Batch Columns Rows",
            "gapless.core.branch": "Branch",
            "gapless.core.brancher": "Brancher MostFractional",
            "gapless.core.certificate": (
                "BoundCertificate Certificate LinearDualCertificate NoCertificate "
                "PointCertificate ProbabilisticCertificate ReplayCertificate"
            ),
            "gapless.core.decisions": "Decisions Fixings",
            "gapless.core.errors": (
                "DuplicateName FixedColumn InconsistentBound MissingBound OracleError UncoveredBranching"
            ),
            "gapless.core.events": "Observer",
            "gapless.core.factor": "ConfigurationFactor Factor ScoredFactor",
            "gapless.core.formulation": "Formulation",
            "gapless.core.limits": "Budget",
            "gapless.core.model": "LinearModel",
            "gapless.core.oracle": "Answer Generator LinearView Maximised Maximiser Slacks View",
            "gapless.core.problem": "Problem Sense",
            "gapless.core.problem_batch": "ProblemBatch",
            "gapless.core.relaxation": "Relaxation Relaxed Restricted",
            "gapless.core.result": "Stats",
            "gapless.core.serial": "serialisable",
            "gapless.core.sparse": "BoolArray FloatArray IntArray Sparse",
            "gapless.core.tree_certificate": "Tightening TreeCertificate",
            "gapless.core.work": "OutOfWork spend_work",
            "gapless.plugins.call": "Solve",
            "gapless.plugins.hookspecs": "hookimpl",
            "gapless.plugins.manager": "load_plugins",
            "gapless.plugins.registry": "Method Registry Task",
            "gapless.plugins.specimens": "Specimens",
        },
    )
