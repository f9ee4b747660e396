"""Where a sign is flipped, and nowhere else.

gapless maximises. SCIP and its LP solvers are always given a minimisation of negated scores, because there the
dual of a row is what an extra unit of its side *costs* the minimum, whatever the row's direction, and there
``pyscipopt.LP`` and ``pyscipopt.Model`` agree about it (they have opposite signs when they maximise). Everything
else is in scores:

====================  ==========================  ===================================
in the LP             in gapless                  meaning
====================  ==========================  ===================================
objective c           ``objective = -c``          what a column scores
dual y, Farkas ray y  ``price = -y``              what a column pays per unit of a row
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
    """The score that an objective value or a dual bound of a minimising solver stands for."""
    return -minimum


def cost(score: float) -> float:
    """The objective value of a minimising solver that stands for a score."""
    return -score
