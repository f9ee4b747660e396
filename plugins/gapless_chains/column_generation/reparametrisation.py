"""The gauge of a chain: scores moved between labels and transitions without a change of any labelling's score."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless_chains.identity_cache import IdentityCache
from gapless_chains.problem import ChainProblem
from gapless_kernels import centring


@attrs.frozen(eq=False)
class CentredTransition:
    """Transition scores without each label's mean score of being left and of being entered.

    Parameters
    ----------
    transition : float64 (K, K) or (n-1, K, K), read-only
        ``given - leaving[..., :, None] - entering[..., None, :]``.
    leaving, entering : float64 (K,) or (n-1, K)
        Means over the scores that are not minus infinity (nor a finite mask).
    """

    transition: FloatArray
    leaving: FloatArray
    entering: FloatArray


def _centre(transition: FloatArray) -> CentredTransition:
    matrices = transition if transition.ndim == 3 else transition[None]
    means = [centring(matrix) for matrix in matrices]
    shape = transition.shape[:-1]
    leaving = np.array([mean[0] for mean in means]).reshape(shape)
    entering = np.array([mean[1] for mean in means]).reshape(shape)
    centred = (transition - leaving[..., :, None]) - entering[..., None, :]
    centred.flags.writeable = False
    return CentredTransition(centred, leaving, entering)


centred_transition = IdentityCache(_centre)
"""`CentredTransition` of an array, computed once for each."""


@attrs.frozen(eq=False)
class ReparametrisedScores:
    """The scores of a chain as column generation reads them.

    Bounds on transitions decide how many labels its oracle looks at, and a trained model leaves the split between
    label and transition scores free; centred scores make the bounds tight.

    Parameters
    ----------
    local : float64 (n, K)
        Label scores; minus infinity forbids.
    transition : float64 (K, K) or (n-1, K, K)
    leaving : float64 (n, K) or None
        Scores moved to the labels for being left; potentials less these are those of the problem.
    """

    local: FloatArray
    transition: FloatArray
    leaving: FloatArray | None

    @classmethod
    def of(cls, problem: ChainProblem, centred: bool) -> ReparametrisedScores:
        """Return the scores of `problem`, centred if requested."""
        if not centred:
            return cls(problem.local, problem.transition, None)
        moved = centred_transition(problem.transition)
        leaving = np.zeros(problem.unary.shape)
        # The last position is never left, the first never entered.
        leaving[:-1] = moved.leaving
        local = problem.local + leaving
        local[1:] += moved.entering
        return cls(local, moved.transition, leaving)


def gauged_transition(problem: ChainProblem, centred: bool) -> FloatArray:
    """Return only the transition scores of `ReparametrisedScores`."""
    return centred_transition(problem.transition).transition if centred else problem.transition
