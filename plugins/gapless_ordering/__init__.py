"""Selection and ordering: the best path of a given length through a graph, no equivalence class visited twice.

The problem of Deshpande, Barzilay, Karger, Randomized Decoding for Selection-and-Ordering Problems (2007).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_ordering.auxiliary import Auxiliary as Auxiliary, AuxiliaryWords as AuxiliaryWords
    from gapless_ordering.problem import OrderingProblem as OrderingProblem
    from gapless_ordering.walk_maximiser import WalkMaximiser as WalkMaximiser
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
