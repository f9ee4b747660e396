"""The certificate of dominance: which labels survive at each position, and which label dominates the others."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import BoundCertificate, Fixings, InvalidProblem, Problem, serialisable
from gapless.core.sparse import FloatArray, IntArray, int_array
from gapless_chains.once_per_array import OncePerArray
from gapless_chains.problem import ChainProblem


@serialisable("gapless_chains.DominanceCertificate")
@attrs.frozen(eq=False)
class DominanceCertificate(BoundCertificate):
    r"""Surviving labels and a dominating one for each position; any of them give a true bound.

    Write ``u_i`` for the label scores (initial and final scores included), ``t`` for the pair scores, ``S_i`` for
    the survivors and ``d_i`` for the dominator, a survivor. The potentials

    .. math:: m_0 = u_0, \qquad m_{i+1}(r) = u_{i+1}(r) + \max_{l \in S_i} [m_i(l) + t(l, r)]

    bound every labelling by telescoping, as those of `PotentialsCertificate` do, if no edge exceeds them. Edges that
    leave a survivor never do. An edge from another label x exceeds them by no more than

    .. math:: e_i(x) = m_i(x) - m_i(d_i) + \max_{r:\, t(x, r) > -\infty} [t(x, r) - t(d_i, r)],

    because the edge from the dominator to the same r does not. So every labelling scores at most
    ``max m_{n-1} + sum_i max(0, max_x e_i(x))``, and when all that was dropped was dominated, the sum is 0: nobody
    who came through a dropped label could not have come through the dominator at no loss.

    It is as long as the survivors are many, and checked in ``O(n K |S|)``; the maxima over r, one for each label
    that ever dominates, are remembered for each array of transitions. Only NumPy in float64 is used, no code of the
    method, and every rounding goes upward. Fixings are not looked at: what bounds all labellings bounds some.

    Parameters
    ----------
    positions, labels : int64 (m,)
        The pairs (position, label) that survive.
    dominators : int64 (n,)
    """

    kind: ClassVar[str] = "chain dominance"
    positions: IntArray = attrs.field(converter=int_array)
    labels: IntArray = attrs.field(converter=int_array)
    dominators: IntArray = attrs.field(converter=int_array)

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:  # noqa: ARG002  true for all fixings
        """Bound on all labellings of `problem`.

        Raises
        ------
        InvalidProblem
            Not a chain with one transition matrix, or positions and labels that it does not have.
        """
        if not isinstance(problem, ChainProblem) or problem.transition.ndim != 2:
            raise InvalidProblem("chain dominance speaks of a ChainProblem with one transition matrix")
        survivors = self._survivors(problem.positions, problem.label_count)
        # Kept relative to the dominator, whose own potential is the sum of `climbed`: no large number hides small ones.
        potential = problem.local[0]
        climbed: list[float] = []
        excesses: list[float] = []
        for i in range(problem.positions - 1):
            dominator = int(self.dominators[i])
            excesses.append(_excess(potential, dominator, survivors[i], problem.transition))
            if excesses[-1] == math.inf:
                return math.inf
            offers = _best_offers(potential, survivors[i], problem.transition)
            local = problem.local[i + 1]
            anchor = int(self.dominators[i + 1])
            if not (offers[anchor] > -np.inf and local[anchor] > -np.inf):
                reached = np.flatnonzero((offers > -np.inf) & (local > -np.inf))
                if not reached.size:
                    return -math.inf
                anchor = int(reached[0])
            potential = _up(_up(offers - offers[anchor]) + _up(local - local[anchor]))
            climbed += [float(offers[anchor]), float(local[anchor])]
        last = float(potential.max())
        if last == -math.inf:
            return -math.inf
        terms = [last, *climbed, *excesses]
        return math.nextafter(math.fsum(terms), math.inf)

    def _survivors(self, n: int, k: int) -> list[IntArray]:
        """Distinct surviving labels of each position."""
        if self.positions.shape != self.labels.shape or self.positions.ndim != 1 or self.dominators.shape != (n,):
            raise InvalidProblem(f"survivors must be pairs and dominators one for each of {n} positions")
        for name, array, end in (
            ("positions", self.positions, n), ("labels", self.labels, k), ("dominators", self.dominators, k)
        ):  # fmt: skip
            if array.size and not (array.min() >= 0 and array.max() < end):
                raise InvalidProblem(f"{name} must lie in 0..{end - 1}")
        pairs = np.unique(self.positions * k + self.labels)
        return [part % k for part in np.split(pairs, np.searchsorted(pairs, np.arange(1, n) * k))]


def _up(values: FloatArray) -> FloatArray:
    """The next larger float64 of rounded results, so that they are not below what was rounded; -inf stays."""
    return np.where(values > -np.inf, np.nextafter(values, np.inf), -np.inf)


def _best_offers(potential: FloatArray, survivors: IntArray, transition: FloatArray) -> FloatArray:
    """For each successor, the largest potential + pair score over the survivors, rounded upward."""
    best: FloatArray = (potential[survivors, None] + transition[survivors]).max(axis=0, initial=-np.inf)
    return _up(best)


def _excess(potential: FloatArray, dominator: int, survivors: IntArray, transition: FloatArray) -> float:
    """By how much an edge from a label that was dropped may exceed the potentials, rounded upward; at least 0."""
    dropped = potential > -np.inf
    dropped[survivors] = False
    if not dropped.any():
        return 0.0
    if dominator not in survivors or potential[dominator] == -np.inf:
        return math.inf
    lead = _row_maxima(transition)[dominator]
    behind = _up(potential[dropped] - potential[dominator])
    return max(0.0, float(_up(behind + lead[dropped]).max()))


class _RowMaxima:
    """For a dominator d, the maximum over r of ``t(x, r) - t(d, r)`` for every x, rounded upward; when first asked."""

    def __init__(self, transition: FloatArray) -> None:
        self._transition = np.array(transition)
        self._rows: dict[int, FloatArray] = {}

    def __getitem__(self, dominator: int) -> FloatArray:
        if dominator not in self._rows:
            t = self._transition
            ahead = np.where(t[dominator] > -np.inf, t[dominator], 0.0)
            gains = np.where(t > -np.inf, np.where(t[dominator] > -np.inf, t - ahead, np.inf), -np.inf)
            self._rows[dominator] = _up(gains.max(axis=1))
        return self._rows[dominator]


_row_maxima = OncePerArray(_RowMaxima)
