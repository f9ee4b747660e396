"""Entity linking: one candidate for each mention, such that the chosen vertices of a graph are close to each other.

The problem of Blanco, Boldi, Marino, Entity-Linking via Graph-Distance Minimization (2013).
"""

from gapless_linking.connection import Connection
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem

__all__ = ["Connection", "Graph", "LinkingProblem"]
