"""At a limit SCIP's tree keeps a true bound, and SCIP prints nothing: no node is left as SCIP does not allow."""

import pytest
import tiny

from gapless import Limits
from gapless.roles import SolveBudget
from gapless.scip import branch_price_and_cut

LIMITS = [Limits(iterations=n) for n in range(5)] + [Limits(nodes=n) for n in range(3)]


def ends_at(call):
    """A budget whose time is up at a call of its clock."""
    calls = iter(range(10**9))
    return SolveBudget(Limits(time=50.0), clock=lambda: 100.0 * (next(calls) >= call))


@pytest.mark.parametrize("seed", [1, 4, 76])
def test_limits_are_quiet_wherever_they_fall(capfd, seed):
    problem = tiny.draw(seed)
    for limit in [*LIMITS, *map(ends_at, range(1, 30, 2))]:
        result = branch_price_and_cut(problem, tiny.formulation(problem), limit)
        assert problem.sense.sign * result.bound >= problem.best_score() - 1e-9
        assert capfd.readouterr() == ("", ""), limit
