"""Column-and-row generation: restricted masters, rounds of pricing, smoothing, and branching.

Users declare a `Formulation` (`formulation.py`) with options (`pricing_options.py`). `price_and_cut.py` turns
it into a relaxation by rounds of pricing (`pricing_round.py`), and `branch_and_price.py` runs that relaxation
in a search tree. `master/` holds the linear programs, `branching/` the candidates, strong branching and diving.
"""

from gapless.column_generation.branch_and_price import branch_and_price
from gapless.column_generation.price_and_cut import PricedRelaxation, price_and_cut

__all__ = ["PricedRelaxation", "branch_and_price", "price_and_cut"]
