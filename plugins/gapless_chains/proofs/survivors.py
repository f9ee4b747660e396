"""The certificate of dominance: which labels survive at each position, and which label dominates the others."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem, Problem
from gapless.arrays.round_up import next_float, next_floats
from gapless.arrays.sparse import FloatArray, IntArray, int_array
from gapless.roles import BoundCertificate, Fixings, charge_work, serialisable
from gapless_chains.identity_cache import IdentityCache
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.telescoping_bound import best_offers


@serialisable("gapless_chains.DominanceCertificate")
@attrs.frozen(eq=False)
class DominanceCertificate(BoundCertificate):
    r"""Surviving labels and a dominating one for each position; any of them give a true bound.

    Write ``u_i`` for the label scores (initial and final scores included), ``t`` for the pair scores, ``S_i`` for
    the survivors and ``d_i`` for the dominator, a survivor. The potentials

    .. math:: m_0 = u_0, \qquad m_{i+1}(r) = u_{i+1}(r) + \max_{l \in S_i} [m_i(l) + t(l, r)]

    bound every labelling by telescoping, as those of `PotentialsCertificate` do, if no edge exceeds them. Edges
    that leave a survivor never do. An edge from another label x exceeds them by no more than

    .. math:: e_i(x) = m_i(x) - m_i(d_i) + \max_{r:\, t(x, r) > -\infty} [t(x, r) - t(d_i, r)],

    because the edge from the dominator to the same r does not. So every labelling scores at most
    ``max m_{n-1} + sum_i max(0, max_x e_i(x))``, and if every dropped label was dominated, the sum is 0: any
    path through a dropped label could pass through the dominator instead without loss.

    It is as long as the survivors are many, and checked in ``O(n K |S|)``; the maxima over r, one for each label
    that ever dominates, are remembered for each array of transitions. Only NumPy in float64 is used, no code of the
    method, and every rounding goes upward. Fixings are not looked at: what bounds all labellings bounds some.

    Parameters
    ----------
    positions, labels : int64 (m,)
        The pairs (position, label) that survive.
    dominators : int64 (n,)

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> certificate = gl.solve(problem, "dominance").certificate
    >>> type(certificate).__name__, round(certificate.verify(problem).bound, 6)
    ('DominanceCertificate', 2.0)
    """

    kind: ClassVar[str] = "chain dominance"
    positions: IntArray = attrs.field(converter=int_array)
    labels: IntArray = attrs.field(converter=int_array)
    dominators: IntArray = attrs.field(converter=int_array)

    @classmethod
    def everything(cls, problem: ChainProblem) -> DominanceCertificate:
        """Return the certificate of Viterbi's algorithm, in which no label is dropped. Checked in O(n K^2)."""
        positions, labels = np.nonzero(problem.local > -np.inf)
        return cls(positions, labels, problem.local.argmax(axis=1))

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound on all labellings of `problem`.

        Raises
        ------
        InvalidProblem
            Not a chain, or positions and labels that it does not have.
        """
        if not isinstance(problem, ChainProblem):
            raise InvalidProblem(f"chain dominance speaks of a ChainProblem, not of a {type(problem).__name__}")
        survivors = self._survivors(problem.positions, problem.label_count)
        # Relative to the best label, whose own potential is the sum of `climbed`: large numbers hide no small ones.
        climbed: list[float] = []
        excesses: list[float] = []
        offers = np.zeros(problem.label_count), np.zeros(problem.label_count)
        for i, local in enumerate(problem.local):
            best, lost = offers
            sums = best + local
            anchor = int(np.argmax(sums))
            if sums[anchor] == -np.inf:
                return -math.inf
            climbed += [float(best[anchor]), float(lost[anchor]), float(local[anchor])]
            potential = next_floats(
                next_floats(best - best[anchor])
                + next_floats(next_floats(lost - lost[anchor]) + next_floats(local - local[anchor]))
            )
            if i == problem.positions - 1:
                break
            pairs = problem.transition if problem.transition.ndim == 2 else problem.transition[i]
            # Leads are remembered for each array of transitions: of a matrix for each edge, for one visit.
            charge_work(10.0 * potential.size + (0.0 if pairs is problem.transition else 20.0 * pairs.size), 20)
            excesses.append(_excess(potential, int(self.dominators[i]), survivors[i], pairs))
            if excesses[-1] == math.inf:
                return math.inf
            keep_mask = np.zeros(potential.size, bool)
            keep_mask[survivors[i]] = True
            offers = best_offers(potential, pairs, keep_mask)
        return next_float(math.fsum([float(potential.max()), *climbed, *excesses]))

    def work_to_verify(self, problem: Problem[Any]) -> float:
        """Estimate the work: a row of pair scores for each survivor."""
        if not isinstance(problem, ChainProblem):
            return super().work_to_verify(problem)
        return super().work_to_verify(problem) + 12.0 * self.labels.size * problem.label_count

    def _survivors(self, n: int, k: int) -> list[IntArray]:
        """Return the distinct surviving labels of each position."""
        if self.positions.shape != self.labels.shape or self.positions.ndim != 1 or self.dominators.shape != (n,):
            raise InvalidProblem(f"survivors must be pairs and dominators one for each of {n} positions")
        for name, array, end in (
            ("positions", self.positions, n), ("labels", self.labels, k), ("dominators", self.dominators, k)
        ):  # fmt: skip
            if array.size and not (array.min() >= 0 and array.max() < end):
                raise InvalidProblem(f"{name} must lie in 0..{end - 1}")
        pairs = np.unique(self.positions * k + self.labels)
        return [part % k for part in np.split(pairs, np.searchsorted(pairs, np.arange(1, n) * k))]


def _excess(potential: FloatArray, dominator: int, survivors: IntArray, transition: FloatArray) -> float:
    """Compute by how much edges from dropped labels exceed the potentials, rounded upward; at least 0."""
    dropped = potential > -np.inf
    dropped[survivors] = False
    if not dropped.any():
        return 0.0
    leads = _leads(transition)
    # No edge leaves a label whose transitions are all forbidden, so it exceeds nothing.
    dropped &= leads.continued
    if not dropped.any():
        return 0.0
    # Without a valid dominator nothing bounds the edges from dropped labels: such a certificate proves nothing.
    if dominator not in survivors or potential[dominator] == -np.inf:
        return math.inf
    lead = leads[dominator]
    behind = next_floats(potential[dropped] - potential[dominator])
    return max(0.0, float(next_floats(behind + lead[dropped]).max()))


class _Leads:
    """Maxima over r of ``t(x, r) - t(d, r)`` for every x, rounded upward, made on demand for each dominator d."""

    def __init__(self, transition: FloatArray) -> None:
        self._transition = np.array(transition)
        self._rows: dict[int, FloatArray] = {}
        self.continued = (transition > -np.inf).any(axis=1)
        """Labels that any label may follow; no edge leaves the others."""

    def __getitem__(self, dominator: int) -> FloatArray:
        if dominator not in self._rows:
            t = self._transition
            ahead = np.where(t[dominator] > -np.inf, t[dominator], 0.0)
            # If r may follow x but not d, x gains without bound; a forbidden t(x, r) gains nothing.
            gains = np.where(t > -np.inf, np.where(t[dominator] > -np.inf, t - ahead, np.inf), -np.inf)
            self._rows[dominator] = next_floats(gains.max(axis=1))
        return self._rows[dominator]


_leads = IdentityCache(_Leads)
