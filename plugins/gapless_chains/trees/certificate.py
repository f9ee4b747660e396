"""The certificate of a tree: a potential for every label of every node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import attrs

from gapless.arrays.sparse import FloatArray
from gapless.roles import serialisable
from gapless_chains.node_labelling import NodeLabelling
from gapless_chains.proofs.potentials import LabelPotentials
from gapless_chains.trees.problem import TreeProblem


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
