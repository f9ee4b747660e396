"""Four generic loops that know only the roles.

`price_and_cut` and `lagrangian` make relaxations; `tree_search` and `lawler` (k best over any search) make answers.
"""

from gapless.engine.branch_and_price import branch_and_price
from gapless.engine.lagrangian import Dualized, LagrangianRelaxation, lagrangian
from gapless.engine.lawler import KBest, Part, lawler, partition
from gapless.engine.price_and_cut import PricedRelaxation, price_and_cut
from gapless.engine.tree_search import tree_search

__all__ = [
    "Dualized",
    "KBest",
    "LagrangianRelaxation",
    "Part",
    "PricedRelaxation",
    "branch_and_price",
    "lagrangian",
    "lawler",
    "partition",
    "price_and_cut",
    "tree_search",
]
