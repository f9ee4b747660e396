"""Problems small enough to enumerate, with what their results must say."""

import numpy as np
import pytest

from gapless import Status
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.roles import NoCertificate


class Enumerated:
    """A problem and the values of all its structures, best first; `sign` is -1 if values are costs."""

    sign = 1

    def __init__(self, problem, values):
        self.problem = problem
        self.values = self.sign * -np.sort(-self.sign * np.asarray(values))

    @property
    def best(self):
        return self.values[0] if self.values.size else -self.sign * np.inf

    def optimal(self, result, k=1, relative=1e-9):
        """The result is proved, right, and its certificate, if it has one, proves it again."""
        assert result.status is (Status.OPTIMAL if self.values.size else Status.INFEASIBLE), result
        self.feasible(result)
        values = [solution.value for solution in result.solutions]
        assert values == pytest.approx(self.values[:k].tolist(), rel=relative, abs=relative)
        if not isinstance(result.certificate, NoCertificate):
            verdict = result.verify(self.problem)
            assert verdict, verdict
            assert verdict.bound >= self.sign * self.best - score_tolerance(self.best)
            if k == 1:
                assert meets(verdict.bound, self.sign * self.best), verdict

    def valid(self, result):
        """Of methods that are not exact, or were stopped: the optimum lies between value and bound."""
        self.feasible(result)
        assert self.sign * result.bound >= self.sign * self.best - score_tolerance(self.best)
        for solution, value in zip(result.solutions, self.values, strict=False):
            assert self.sign * solution.value <= self.sign * value + score_tolerance(value)
        if result.status is Status.OPTIMAL:
            assert result.value == pytest.approx(self.best, rel=1e-9, abs=1e-9)
        if result.status is Status.INFEASIBLE:
            assert not self.values.size
        if not isinstance(result.certificate, NoCertificate):
            assert result.verify(self.problem)

    def feasible(self, result):
        """Structures are allowed and differ, and have their true values."""
        assert len(result.solutions) <= self.values.size
        for solution in result.solutions:
            assert not self.problem.violations(solution.structure)
            assert solution.value == self.problem.value(solution.structure)
        assert len({tuple(solution.structure) for solution in result.solutions}) == len(result.solutions)


def same_as_single_calls(batch, singles):
    """A batch has the statuses, values and bounds of single results."""
    for result, single in zip(batch, singles, strict=True):
        assert result.status is single.status
        assert [s.value for s in result.solutions] == pytest.approx([s.value for s in single.solutions], rel=1e-12)
        assert result.bound == pytest.approx(single.bound, rel=1e-9)
