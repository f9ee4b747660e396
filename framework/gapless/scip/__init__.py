"""SCIP as the owner of the tree, as an exporter, and as an independent judge."""

from gapless.scip.branch_price_and_cut import branch_price_and_cut
from gapless.scip.export import solve_monolithic, write_model

__all__ = ["branch_price_and_cut", "solve_monolithic", "write_model"]
