"""Signs: translation between scores, which are maximised, and the minimisation that SCIP gets.

No other module flips signs. SCIP and its LP solvers always get a minimisation of negated scores: there the dual
of a row is the *cost* of an extra unit of its side, for either direction of the row, and ``pyscipopt.LP``
agrees with ``pyscipopt.Model`` (their signs are opposite when they maximise). Everything else is in scores:

====================  ==========================  ===================================
in the LP             in gapless                  meaning
====================  ==========================  ===================================
objective c           ``objective = -c``          score of a column
dual y, Farkas ray y  ``price = -y``              price of one unit of a row
reduced cost          ``-(c - y @ a)``            positive: the column improves
====================  ==========================  ===================================
"""

from __future__ import annotations

from gapless.arrays.sparse import FloatArray


def costs(objective: FloatArray) -> FloatArray:
    """Return the objective coefficients for a minimising solver."""
    return -objective


def prices(dual: FloatArray) -> FloatArray:
    """Return the prices from the duals, or from the Farkas ray, of a minimising solver."""
    return -dual


def score(minimum: float) -> float:
    """Return the score of an objective value or a dual bound of a minimising solver."""
    return -minimum


def cost(score: float) -> float:
    """Return the objective value of a score in a minimising solver."""
    return -score
