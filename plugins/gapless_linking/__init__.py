"""Entity linking: one candidate for each mention, such that the chosen vertices of a graph are close to each other.

The problem of Blanco, Boldi, Marino, Entity-Linking via Graph-Distance Minimization (2013).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_linking.connection import Connection as Connection
    from gapless_linking.graph import Graph as Graph
    from gapless_linking.problem import LinkingProblem as LinkingProblem
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
