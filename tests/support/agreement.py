"""Whether the answer to a drawn problem is the one that enumeration gives."""

import numpy as np

from gapless import Status, Stop


def agrees(problem, result):
    """Proved, right and feasible; `problem` knows its `best_score`."""
    best = problem.best_score()
    if best == -np.inf:
        return result.status is Status.INFEASIBLE and result.stop is Stop.PROVED
    return (
        result.status is Status.OPTIMAL
        and result.value == problem.sense.sign * best
        and result.bound == result.value
        and not problem.violations(result.best)
    )
