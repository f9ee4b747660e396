"""SCIP as the owner of the tree, as an exporter, and as an independent judge."""

from gapless.scip.export import solve_monolithic, write_model

__all__ = ["solve_monolithic", "write_model"]
