"""Base classes and values for those who write problems, oracles, factors, methods and plug-ins.

Users who only call `gapless.solve` need none of them. Every name is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless.core.backbone import Backbone as Backbone
    from gapless.core.batch import Batch as Batch, Columns as Columns, Rows as Rows
    from gapless.core.branch import Branch as Branch
    from gapless.core.branch_row import BranchRow as BranchRow
    from gapless.core.brancher import Brancher as Brancher, MostFractional as MostFractional
    from gapless.core.proofs.checked_bounds import CheckedBounds as CheckedBounds
    from gapless.core.certificate import (
        BoundCertificate as BoundCertificate,
        Certificate as Certificate,
        LinearDualCertificate as LinearDualCertificate,
        NoCertificate as NoCertificate,
        PointCertificate as PointCertificate,
        ProbabilisticCertificate as ProbabilisticCertificate,
        ReplayCertificate as ReplayCertificate,
    )
    from gapless.core.decisions import Decisions as Decisions, Fixings as Fixings
    from gapless.core.diagram import Diagram as Diagram
    from gapless.core.errors import (
        DuplicateName as DuplicateName,
        FixedColumn as FixedColumn,
        InconsistentBound as InconsistentBound,
        MissingBound as MissingBound,
        OracleError as OracleError,
        PricingWarning as PricingWarning,
        UncoveredBranching as UncoveredBranching,
    )
    from gapless.core.events import Observer as Observer
    from gapless.core.factor import (
        ConfigurationFactor as ConfigurationFactor,
        Factor as Factor,
        ScoredFactor as ScoredFactor,
    )
    from gapless.core.factors.conjunctions import Conjunctions as Conjunctions
    from gapless.core.factors.factor_set import FactorSet as FactorSet
    from gapless.core.formulation import Formulation as Formulation
    from gapless.core.group_maximiser import GroupMaximiser as GroupMaximiser
    from gapless.core.limits import Budget as Budget
    from gapless.core.factors.linear_form import HasLinearForm as HasLinearForm, LinearForm as LinearForm
    from gapless.core.model import LinearModel as LinearModel
    from gapless.core.oracle import (
        Answer as Answer,
        Generator as Generator,
        LinearView as LinearView,
        Maximised as Maximised,
        Maximiser as Maximiser,
        Slacks as Slacks,
        View as View,
    )
    from gapless.core.pricing import Pricing as Pricing
    from gapless.core.relaxation import Probe as Probe
    from gapless.core.problem import Problem as Problem, Sense as Sense
    from gapless.core.problem_batch import ProblemBatch as ProblemBatch
    from gapless.core.relaxation import Relaxation as Relaxation, Relaxed as Relaxed, Restricted as Restricted
    from gapless.core.result import Stats as Stats
    from gapless.core.serial import serialisable as serialisable
    from gapless.core.sparse import (
        BoolArray as BoolArray,
        FloatArray as FloatArray,
        IntArray as IntArray,
        Sparse as Sparse,
    )
    from gapless.core.factors.structure_factor import StructureFactor as StructureFactor
    from gapless.core.tree_certificate import Tightening as Tightening, TreeCertificate as TreeCertificate
    from gapless.core.work import OutOfWork as OutOfWork, spend_work as spend_work
    from gapless.plugins.call import Solve as Solve
    from gapless.plugins.hookspecs import hookimpl as hookimpl
    from gapless.plugins.manager import load_plugins as load_plugins
    from gapless.plugins.parts import Parts as Parts
    from gapless.plugins.registry import Method as Method, Registry as Registry, Task as Task
    from gapless.plugins.specimens import Specimens as Specimens
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "gapless.core.backbone": "Backbone",
            "gapless.core.batch": "Batch Columns Rows",
            "gapless.core.branch": "Branch",
            "gapless.core.branch_row": "BranchRow",
            "gapless.core.brancher": "Brancher MostFractional",
            "gapless.core.certificate": (
                "BoundCertificate Certificate LinearDualCertificate NoCertificate "
                "PointCertificate ProbabilisticCertificate ReplayCertificate"
            ),
            "gapless.core.proofs.checked_bounds": "CheckedBounds",
            "gapless.core.factors.conjunctions": "Conjunctions",
            "gapless.core.decisions": "Decisions Fixings",
            "gapless.core.diagram": "Diagram",
            "gapless.core.errors": (
                "DuplicateName FixedColumn InconsistentBound MissingBound OracleError PricingWarning "
                "UncoveredBranching"
            ),
            "gapless.core.events": "Observer",
            "gapless.core.factor": "ConfigurationFactor Factor ScoredFactor",
            "gapless.core.factors.factor_set": "FactorSet",
            "gapless.core.formulation": "Formulation",
            "gapless.core.group_maximiser": "GroupMaximiser",
            "gapless.core.limits": "Budget",
            "gapless.core.factors.linear_form": "HasLinearForm LinearForm",
            "gapless.core.model": "LinearModel",
            "gapless.core.oracle": "Answer Generator LinearView Maximised Maximiser Slacks View",
            "gapless.core.pricing": "Pricing",
            "gapless.core.problem": "Problem Sense",
            "gapless.core.problem_batch": "ProblemBatch",
            "gapless.core.relaxation": "Probe Relaxation Relaxed Restricted",
            "gapless.core.result": "Stats",
            "gapless.core.serial": "serialisable",
            "gapless.core.sparse": "BoolArray FloatArray IntArray Sparse",
            "gapless.core.factors.structure_factor": "StructureFactor",
            "gapless.core.tree_certificate": "Tightening TreeCertificate",
            "gapless.core.work": "OutOfWork spend_work",
            "gapless.plugins.call": "Solve",
            "gapless.plugins.hookspecs": "hookimpl",
            "gapless.plugins.manager": "load_plugins",
            "gapless.plugins.parts": "Parts",
            "gapless.plugins.registry": "Method Registry Task",
            "gapless.plugins.specimens": "Specimens",
        },
    )
