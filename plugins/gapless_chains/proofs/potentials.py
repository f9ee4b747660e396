"""The certificates of chains and trees: a potential for every label of every node of a rooted tree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem, Problem
from gapless.arrays.sparse import FloatArray, float_array
from gapless.roles import BoundCertificate, Fixings, serialisable
from gapless_chains.node_labelling import NodeLabelling
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.telescoping_bound import (
    Offers,
    best_offers,
    bound_of,
    checked_potentials,
    largest_excess,
)
from gapless_chains.trees.problem import TreeProblem


@attrs.frozen(eq=False)
class LabelPotentials(BoundCertificate):
    """Potentials on a rooted tree; a chain is rooted at its last position."""

    problem_type: ClassVar[type[NodeLabelling]]
    potentials: FloatArray = attrs.field(converter=float_array)

    @staticmethod
    @abstractmethod
    def _edges(problem: Any) -> Iterator[tuple[int, int, FloatArray | None]]:
        """Yield from the leaves up: each node, its parent or -1, and their pair scores, the node's label first."""

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound on the labellings of `problem` that agree with `fixings`.

        Needs O(n K^2) time, and O(K^2) memory in addition to the offers to open parents. Raises
        `InvalidProblem`: of another type, or potentials of another shape, NaN, plus infinity or beyond 1e150.
        """
        if not isinstance(problem, self.problem_type):
            expected, kind = self.problem_type.__name__, type(problem).__name__
            raise InvalidProblem(f"{self.kind} speak of a {expected}, not of a {kind}")
        m = checked_potentials(self.potentials, problem)
        allowed = problem.allowed(fixings)
        waiting: dict[int, list[Offers]] = {}
        terms = []
        for i, parent, pairs in self._edges(problem):
            # Popped, not read: offers to a node are needed once, so memory is bounded by the open nodes.
            terms.append(largest_excess(waiting.pop(i, []), problem.local[i], m[i], allowed[i]))
            # A root, or the last position: its potential is what telescoping leaves over.
            if pairs is None:
                terms.append(float(np.max(m[i], where=allowed[i], initial=-np.inf)))
            else:
                waiting.setdefault(parent, []).append(best_offers(m[i], pairs, allowed[i]))
        return bound_of(terms)

    def work_to_verify(self, problem: Problem[Any]) -> float:
        """Estimate the work: a table of pair scores for each row of potentials."""
        return super().work_to_verify(problem) + 12.0 * float(self.potentials.size * self.potentials.shape[-1])


@serialisable("gapless_chains.PotentialsCertificate")
@attrs.frozen(eq=False)
class PotentialsCertificate(LabelPotentials):
    r"""Potentials of the labels; any potentials give a bound, those of an optimal dual give a tight one.

    Write ``u_i`` for the label scores (initial and final scores included), ``t_i`` for the pair scores and ``m_i``
    for the potentials. Every labelling y satisfies, by telescoping,

    .. math:: value(y) = [u_0(y_0) - m_0(y_0)]
              + \sum_i [m_i(y_i) + t_i(y_i, y_{i+1}) + u_{i+1}(y_{i+1}) - m_{i+1}(y_{i+1})] + m_{n-1}(y_{n-1})

    and no bracket exceeds its maximum over all labels, so the sum of the maxima bounds every labelling, whatever m
    is. This is weak duality for Belanger, Passos, Riedel, McCallum 2012, eq. 6, with ``m_i = alpha_i + theta_i``
    and infeasible duals repaired by their largest violation on each edge. Forward messages make every bracket's
    maximum 0 but the last, which is the optimum.

    A potential may be minus infinity, which claims that no allowed path ends in that label there. A bracket that
    steps from a label with a finite potential to such a label is then plus infinity unless a score forbids it, so
    that a false claim proves nothing; labels so excluded start no bracket. A chain on which all paths are forbidden
    gets the bound minus infinity in this way.

    Only NumPy in float64 is used, and no code of any solver. What float64 may have rounded away is added to the
    bound, so that huge potentials cannot hide scores.

    Parameters
    ----------
    potentials : float64 (n, K)
        Finite or minus infinity.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> from gapless_chains import PotentialsCertificate
    >>> zeros = PotentialsCertificate([[0.0, 0.0], [0.0, 0.0]])
    >>> round(zeros.verify(problem).bound, 6)  # true, and not tight: the best labelling scores 2
    3.0
    """

    kind: ClassVar[str] = "chain potentials"
    problem_type: ClassVar[type[NodeLabelling]] = ChainProblem

    @staticmethod
    def _edges(problem: ChainProblem) -> Iterator[tuple[int, int, FloatArray | None]]:
        transition, last = problem.transition, problem.positions - 1
        for i in range(last):
            yield i, i + 1, transition if transition.ndim == 2 else transition[i]
        yield last, -1, None


@serialisable("gapless_chains.TreePotentialsCertificate")
@attrs.frozen(eq=False)
class TreePotentialsCertificate(LabelPotentials):
    r"""Potentials of the labels; any potentials give a bound, those of an optimal dual give a tight one.

    Write ``u_i`` for the label scores, ``t_c`` for the pair scores of the edge above node c, ``m_i`` for the
    potentials, and ``M_c(x) = \max_y [t_c(x, y) + m_c(y)]`` for the most that child c can offer to label x of its
    parent. Every labelling y satisfies, by telescoping over the edges,

    .. math:: value(y) \le \sum_i [u_i(y_i) + \sum_{c\ child\ of\ i} M_c(y_i) - m_i(y_i)] + \sum_{r\ root} m_r(y_r)

    because each ``m_c(y_c)`` that is subtracted comes back, with ``t_c``, in the ``M_c`` of its parent. No bracket
    exceeds its maximum over the labels, so the sum of the maxima bounds every labelling, whatever m is. This is
    weak duality for the local polytope of the tree (`TreeProblem.linear_model`). The messages from the leaves to
    the roots make every bracket's maximum 0; what then remains is the optimum. On a path it is the bound of
    `gapless_chains.PotentialsCertificate` for the reversed chain.

    A potential may be minus infinity, which claims that the node's subtree has no allowed labelling with that
    label. A bracket in which a label that is allowed, and offered something by every child, has such a potential is
    plus infinity, so that a false claim proves nothing; labels so excluded offer nothing. A tree without an
    allowed labelling gets the bound minus infinity in this way.

    Only NumPy in float64 is used, and no code of any solver. What float64 may have rounded away is added to the
    bound, so that huge potentials cannot hide scores.

    Parameters
    ----------
    potentials : float64 (n, K)
        Finite or minus infinity.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import TreeProblem
    >>> tree = TreeProblem([[2.0, 0.0], [0.0, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]], parents=[-1, 0, 0])
    >>> certificate = gl.solve(tree).certificate
    >>> type(certificate).__name__, round(certificate.verify(tree).bound, 6)
    ('TreePotentialsCertificate', 4.5)
    """

    kind: ClassVar[str] = "tree potentials"
    problem_type: ClassVar[type[NodeLabelling]] = TreeProblem

    @staticmethod
    def _edges(problem: TreeProblem) -> Iterator[tuple[int, int, FloatArray | None]]:
        for i, parent in reversed(list(enumerate(problem.parents.tolist()))):
            yield i, parent, problem.pairs(i).T if parent >= 0 else None
