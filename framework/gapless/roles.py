"""Base classes and values for authors of problems, oracles, factors, methods and plug-ins.

Users who only call `gapless.solve` need none of them. Every name is imported on first access.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless.problems.backbone import Backbone as Backbone
    from gapless.oracles.batch import Batch as Batch, Columns as Columns, Rows as Rows
    from gapless.decisions.branch import Branch as Branch
    from gapless.decisions.branch_row import BranchRow as BranchRow
    from gapless.tree_search.brancher import Brancher as Brancher, MostFractional as MostFractional
    from gapless.oracles.verifier_bounds import CheckedBounds as CheckedBounds
    from gapless.certificates.certificate import (
        BoundCertificate as BoundCertificate,
        Certificate as Certificate,
        LinearDualCertificate as LinearDualCertificate,
        NoCertificate as NoCertificate,
        PointCertificate as PointCertificate,
        ProbabilisticCertificate as ProbabilisticCertificate,
        ReplayCertificate as ReplayCertificate,
    )
    from gapless.decisions.decisions import Decisions as Decisions, Fixings as Fixings
    from gapless.factors.diagrams.diagram import DecisionDiagram as DecisionDiagram
    from gapless.errors import (
        DuplicateName as DuplicateName,
        FixedColumn as FixedColumn,
        InconsistentBound as InconsistentBound,
        MissingBound as MissingBound,
        OracleError as OracleError,
        PricingWarning as PricingWarning,
        UncoveredBranching as UncoveredBranching,
    )
    from gapless.limits.events import Observer as Observer
    from gapless.factors.factor import (
        ConfigurationFactor as ConfigurationFactor,
        Factor as Factor,
        ScoredFactor as ScoredFactor,
    )
    from gapless.factors.conjunctions import Conjunctions as Conjunctions
    from gapless.factors.factor_set import FactorSet as FactorSet
    from gapless.column_generation.formulation import Formulation as Formulation
    from gapless.oracles.group_maximiser import GroupMaximiser as GroupMaximiser
    from gapless.limits.limits import SolveBudget as SolveBudget
    from gapless.factors.linear_form import SupportsLinearForm as SupportsLinearForm, LinearForm as LinearForm
    from gapless.decisions.linear_model import LinearModel as LinearModel
    from gapless.oracles.generator import GeneratorResult as GeneratorResult, Generator as Generator
    from gapless.oracles.views import LinearView as LinearView, MasterView as MasterView
    from gapless.oracles.maximiser import Optimum as Optimum, Maximiser as Maximiser, MaxMarginals as MaxMarginals
    from gapless.column_generation.pricing_options import PricingOptions as PricingOptions
    from gapless.tree_search.relaxation import Probe as Probe
    from gapless.problems.problem import Problem as Problem
    from gapless.sense import Sense as Sense
    from gapless.problems.problem_batch import ProblemBatch as ProblemBatch
    from gapless.tree_search.relaxation import (
        Relaxation as Relaxation,
        RelaxationResult as RelaxationResult,
        RestrictedMaster as RestrictedMaster,
    )
    from gapless.results.result import Stats as Stats
    from gapless.arrays.serial import serialisable as serialisable
    from gapless.arrays.sparse import (
        BoolArray as BoolArray,
        FloatArray as FloatArray,
        IntArray as IntArray,
        Sparse as Sparse,
    )
    from gapless.factors.structure_factor import StructureFactor as StructureFactor
    from gapless.certificates.tree_certificate import Tightening as Tightening, TreeCertificate as TreeCertificate
    from gapless.limits.work import WorkLimitReached as WorkLimitReached, charge_work as charge_work
    from gapless.plugins.call import SolveRequest as SolveRequest
    from gapless.plugins.hookspecs import hookimpl as hookimpl
    from gapless.plugins.manager import load_plugins as load_plugins
    from gapless.plugins.named_structure import NamedStructure as NamedStructure
    from gapless.plugins.registry import Method as Method, Registry as Registry, Task as Task
    from gapless.plugins.selftest_instances import SelftestInstances as SelftestInstances
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
