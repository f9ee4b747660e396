"""Dependency parsing: the problem, its factors, and the exact maximisers over trees that the methods share.

`problem` and `labelled_problem` hold the problem types, `arcs` their decisions. The module
`backbones` wraps the dynamic programs and spanning tree kernels, `tree_maximiser` makes them maximisers over arcs.
`factors` holds one family of factors a file, `proofs` the verifier's bounds, which share no code with the kernels.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_dependency.arcs import Arcs as Arcs, LabelledArcs as LabelledArcs
    from gapless_dependency.backbones import TreeBackbone as TreeBackbone, backbone_for as backbone_for
    from gapless_dependency.factors import (
        AdjacentSibling as AdjacentSibling,
        AnyOf as AnyOf,
        ArcConjunctions as ArcConjunctions,
        BackboneFactor as BackboneFactor,
        Comb as Comb,
        GrandSibling as GrandSibling,
        Grandchild as Grandchild,
        GreatGrandchild as GreatGrandchild,
        OutermostGrandchild as OutermostGrandchild,
        Pattern as Pattern,
        PatternNode as PatternNode,
        Sibling as Sibling,
        TriSibling as TriSibling,
        Valency as Valency,
        valency as valency,
    )
    from gapless_dependency.labelled_problem import LabelledParsingProblem as LabelledParsingProblem
    from gapless_dependency.problem import ParsingProblem as ParsingProblem
    from gapless_dependency.tree import DependencyTree as DependencyTree
    from gapless_dependency.tree_maximiser import (
        LabelledTreeMaximiser as LabelledTreeMaximiser,
        TreeMaximiser as TreeMaximiser,
    )
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
