"""Selection and ordering: the best path of a given length through a graph, no equivalence class visited twice.

The problem of Deshpande, Barzilay, Karger, Randomized Decoding for Selection-and-Ordering Problems (2007).
"""

from gapless_ordering.auxiliary import Auxiliary, AuxiliaryWords
from gapless_ordering.problem import OrderingProblem

__all__ = ["Auxiliary", "AuxiliaryWords", "OrderingProblem"]
