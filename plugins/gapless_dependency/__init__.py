"""Dependency parsing: the problem, its factors, and the exact maximisers over trees that the methods share.

`problem` and `labelled_problem` hold the problem types, `arcs` and `labelled_arcs` their decisions. The module
`backbones` wraps the dynamic programs and spanning tree kernels, `tree_maximiser` makes them maximisers over arcs.
`factors` holds one family of factors a file, `proofs` the verifier's bounds, which share no code with the kernels.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_dependency.arcs import Arcs as Arcs
    from gapless_dependency.backbones import TreeBackbone as TreeBackbone, backbone_for as backbone_for
    from gapless_dependency.factors.any_of import AnyOf as AnyOf
    from gapless_dependency.factors.arc_conjunctions import ArcConjunctions as ArcConjunctions
    from gapless_dependency.factors.backbone_factor import BackboneFactor as BackboneFactor
    from gapless_dependency.factors.comb import Comb as Comb
    from gapless_dependency.factors.grandchildren import (
        Grandchild as Grandchild,
        GreatGrandchild as GreatGrandchild,
    )
    from gapless_dependency.factors.modifier_chains import (
        AdjacentSibling as AdjacentSibling,
        GrandSibling as GrandSibling,
        OutermostGrandchild as OutermostGrandchild,
    )
    from gapless_dependency.factors.pattern import PatternNode as PatternNode, Pattern as Pattern
    from gapless_dependency.factors.siblings import Sibling as Sibling, TriSibling as TriSibling
    from gapless_dependency.factors.valency import Valency as Valency, valency as valency
    from gapless_dependency.labelled_arcs import LabelledArcs as LabelledArcs
    from gapless_dependency.labelled_maximiser import LabelledTreeMaximiser as LabelledTreeMaximiser
    from gapless_dependency.labelled_problem import LabelledParsingProblem as LabelledParsingProblem
    from gapless_dependency.problem import ParsingProblem as ParsingProblem
    from gapless_dependency.tree import DependencyTree as DependencyTree
    from gapless_dependency.tree_maximiser import TreeMaximiser as TreeMaximiser
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
