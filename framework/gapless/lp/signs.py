"""The only place where signs are flipped.

gapless maximises. SCIP and its LP solvers always get a minimisation of negated scores: there the dual of a row is
the *cost* of an extra unit of its side, for either direction of the row, and ``pyscipopt.LP`` agrees with
``pyscipopt.Model`` (their signs are opposite when they maximise). Everything else is in scores:

====================  ==========================  ===================================
in the LP             in gapless                  meaning
====================  ==========================  ===================================
objective c           ``objective = -c``          score of a column
dual y, Farkas ray y  ``price = -y``              price of one unit of a row
reduced cost          ``gain = -(c - y @ a)``     positive: the column improves
====================  ==========================  ===================================
"""

from __future__ import annotations

from gapless.core.sparse import FloatArray


def costs(objective: FloatArray) -> FloatArray:
    """Objective coefficients for a minimising solver."""
    return -objective


def prices(dual: FloatArray) -> FloatArray:
    """Prices from the duals, or from the Farkas ray, of a minimising solver."""
    return -dual


def score(minimum: float) -> float:
    """The score of an objective value or a dual bound of a minimising solver."""
    return -minimum


def cost(score: float) -> float:
    """The objective value of a score in a minimising solver."""
    return -score
