"""The maximiser: an oracle that finds the best structure under any weights of the decisions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import Fixings
from gapless.oracles.verifier_bounds import CheckedBounds

S = TypeVar("S")


@attrs.frozen(eq=False)
class Optimum(Generic[S]):
    """The best structure under some weights.

    Parameters
    ----------
    value : float
        ``weights[on_ids].sum() + internal_score``, in float64; ``-inf`` if the fixings leave no structure.
    on_ids : int64
        Decisions that are on in the structure.
    structure : S, optional
    internal_score : float
        Score beyond the weights: a maximiser may have internal scores, as a higher-order dynamic program does, and
        then maximises their sum with the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless.roles import Optimum
    >>> Optimum(3.0, np.array([1, 3])).value
    3.0
    """

    value: float
    on_ids: IntArray
    structure: S | None = None
    internal_score: float = 0.0


@attrs.frozen(eq=False)
class MaxMarginals:
    """Loss from forcing each decision: ``value - (best value with the decision forced)``, never negative.

    Parameters
    ----------
    on : float64 (decisions,)
        Loss from forcing on; infinite where impossible.
    off : float64 (decisions,), optional
        Loss from forcing off.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless.roles import MaxMarginals
    >>> MaxMarginals(on=np.array([0.0, 2.5])).on
    array([0. , 2.5])
    """

    on: FloatArray
    off: FloatArray | None = None


class Maximiser(ABC, Generic[S]):
    """An oracle for the best structure under any decision weights: Viterbi, Eisner, Chu-Liu-Edmonds, knapsack.

    Attributes
    ----------
    has_internal_scores : bool
        Whether structures may have scores beyond the weights. If they never do, the search enumerates nodes with
        few remaining choices faster.
    largest_internal_term : float
        Limit on the absolute internal score of any structure; infinity if none is known. A proof that scores of
        -inf forbid every structure may need it.
    relaxed : bool
        Whether `solve` may return decisions that are no structure. `Optimum.structure` is then None, and its
        `internal_score` is the difference between ``value`` and the weights.

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> import numpy as np
    >>> from gapless.roles import Fixings
    >>> maximiser = problem.backbone().maximiser
    >>> maximiser.solve(problem.backbone().weights, Fixings.none(problem.decisions.count)).value
    2.0
    """

    has_internal_scores: bool = True
    largest_internal_term: float = math.inf
    relaxed: bool = False

    @abstractmethod
    def solve(self, weights: FloatArray, fixings: Fixings) -> Optimum[S]:
        """Maximise ``weights @ x + internal_score(x)`` over structures x that agree with `fixings`.

        Weights may be -inf.
        """

    def internal_score_limit(self) -> float:
        """Return the largest internal term that a sum may contain; 0, the default, if it is not known.

        If large terms cancel, the float64 sum loses digits; where that could change the result, the search calls
        the verifier. Negative terms need not be counted: a structure whose sum contains a large one, and nothing
        that cancels it, scores as little itself.
        """
        return 0.0

    @abstractmethod
    def max_marginals(self, weights: FloatArray, fixings: Fixings) -> MaxMarginals:
        """Compute max-marginals, or exact reduced costs, of **all** decisions at once, from one full solve."""

    def conflicts(self) -> IntArray | None:
        """Return one decision for each that no structure turns on with it, or -1, int64 (decisions,).

        Search and verifier drop conjunctions that contain such a pair. Members of one choice group need not be
        listed. None means that no such pairs are known.
        """
        return None

    def are_exclusive(self, one: IntArray, other: IntArray) -> BoolArray | None:
        """Mark the pairs of decisions that no structure turns on together, bool (m,), in addition to choice groups.

        None, the default, means that no such pairs are known.
        """
        return None

    def internal_score_of(self, on: BoolArray) -> float:
        """Return the internal score of the structure with exactly the decisions `on`, bool (decisions,).

        -inf if there is none. By default it calls `solve` with every decision fixed.
        """
        # Weights of 0: only the fixings choose the structure, and -inf would hide the internal score.
        optimum = self.solve(np.zeros(on.size), Fixings(on.astype(np.int8)))
        return optimum.internal_score if optimum.value > -math.inf else -math.inf

    def verifier_bounds(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds | None:
        """Compute bounds for verifiers, by code that shares nothing with `solve`.

        Weights are finite; the bounds include rounding. By default there are none, and verdicts state that a bound
        takes the maximiser on trust.
        """
        return None

    def compiled(self) -> Any:
        """Return a new compiled ``gapless_kernels.search.roles.Maximiser`` of the same scores; None by default."""
        return None
