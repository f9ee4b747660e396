"""Branch and bound over the roles *Relaxation* and *Brancher*: one loop that knows no problem.

`relaxation.py` and `brancher.py` are the contracts, `tree_search.py` the loop, `frontier.py` its open nodes,
`lawler.py` the k best structures over any search. All user code is called through `role_calls.py`, which turns its
errors into `OracleError`.
"""

from gapless.tree_search.lawler import KBestPool, SubspaceOptimum, lawler, partition
from gapless.tree_search.tree_search import tree_search

__all__ = ["KBestPool", "SubspaceOptimum", "lawler", "partition", "tree_search"]
