"""The certificates of the search over trees: multipliers of a split bound, and nodes whose trees are all scored."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs

from gapless import Problem
from gapless.certificates.split_certificate import SplitCertificate
from gapless.roles import BoundCertificate, Fixings, serialisable
from gapless_dependency.proofs.backbones import TreeVerifier, parsing_problem
from gapless_splitbound.proofs.exhaustive_trees import best_completion


@serialisable("gapless_splitbound.TreeSplitCertificate")
@attrs.frozen(eq=False)
class TreeSplitCertificate(SplitCertificate):
    r"""Shares of arcs in the scores of scopes; any multipliers give a bound.

    Arc weights start as the arcs' own scores. Scopes that the fixings break are dropped, arcs that are on are left
    out of the others; one arc that is left takes the score whole, which is exact. Then

    - a pair (u, l) in a group, with one multiplier d >= 0: w(u) += d, and once for each group
      w(l) += max over the arcs u' that may enter the group's word next to l of s(u', l) - d(u', l), 0 where
      (u', l) is no pair of any factor;
    - any other scope of a score s >= 0, with a share p for each arc (p >= 0, sum 1): w(e) += s p(e), equation 5 of
      Qian and Liu 2013;
    - of a score s < 0, with one multiplier t in [0, 1]: w(e) += s t, and the constant loses s t (arcs - 1), their
      equations 6 to 8. If `lifted`, a pair (e, f) of which no arc is on charges more arcs as much: all arcs into
      e's word that no tree has with f, and then those into f's word that none has with e or any of these. So a tree
      has charged arcs into both words for e and f alone;
    - a configuration factor, with a price for each of its arcs: w(e) += price, and the constant gains the
      best configuration less the prices of its arcs.

    No tree under the fixings scores more than the best tree's weight and the constant. The best tree is bounded by
    Eisner's recursion in NumPy, or for non-projective trees by prices of sets that every tree enters, which are
    checked by weak duality. With a higher-order backbone the factors that it counts are left out of the above, and
    the best tree is bounded with their scores by a recursion of the verifier's own. No kernel and no code of the
    solver is used. Rounding is counted. A bound below the least that an allowed tree can score says that there is
    none.

    Parameters
    ----------
    orientation, multipliers, alone, loss, places
        As for `gapless.certificates.split_certificate.SplitCertificate`, whose formula and checks these are.
    backbone : str
        "first", "sibling", "carreras" or "grand-sibling": which factors are counted with the tree.
    lifted : bool
        Whether the charges of pairs take in arcs that exclude one of them.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> import gapless as gl
    >>> from gapless_dependency import Grandchild
    >>> problem = ParsingProblem(scores, factors=[Grandchild(np.ones((4, 4, 4)))])
    >>> type(gl.solve(problem, "split-bound").certificate).__name__
    'TreeCertificate'
    """

    backbone: str = attrs.field(default="first", converter=str)
    lifted: bool = attrs.field(default=False, converter=bool)

    def _verifier(self, problem: Problem[Any]) -> TreeVerifier:
        return TreeVerifier(parsing_problem(problem, "split multipliers"), self.backbone, lifted=self.lifted)


@serialisable("gapless_splitbound.EnumeratedTrees")
@attrs.frozen
class EnumeratedTrees(BoundCertificate):
    """Proof by enumeration: the fixings leave so few choices of heads that the verifier scores all of them.

    It stores no data; the bound is the score of the best tree that agrees with the fixings, found by scoring every
    choice of heads, without a search and without any code of the solver.

    Examples
    --------
    >>> from gapless.roles import Certificate
    >>> from gapless_splitbound import EnumeratedTrees
    >>> issubclass(EnumeratedTrees, Certificate)
    True
    """

    kind: ClassVar[str] = "enumerated trees"
    factors: ClassVar[bool] = True

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Return the score of the best tree of `problem` that agrees with `fixings`; -inf if there is none.

        Raises
        ------
        InvalidProblem
            Not a parsing problem, or too many choices remain.
        """
        trees = parsing_problem(problem, "enumerated trees")
        implied = fixings.implied(trees.decisions)
        return -math.inf if implied is None else best_completion(trees, implied)
