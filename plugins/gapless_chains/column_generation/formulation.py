"""The three linear programs of a chain: where label scores are billed, and hence what a reduced cost is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gapless import UnknownOption
from gapless.core.sparse import FloatArray

if TYPE_CHECKING:
    from gapless_chains.column_generation.messages import ChainView


class Formulation(ABC):
    """From messages to potentials and reduced costs, which are doubled throughout, as in eq. 12.

    All three are potentials ``m`` of the labels; the reduced cost of a pair on an edge is its excess
    ``m_i(x) + tau(x, y) + theta_{i+1}(y) - m_{i+1}(y)``, and those of the ends are ``theta_0 - m_0``, ``m_{n-1}``.
    So the restricted optimum plus the largest positive excesses is a true bound in each, and
    `PotentialsCertificate` proves it.

    Source: Belanger, Passos, Riedel, McCallum 2012, sections 3 and 3.1.

    Attributes
    ----------
    name : str
        The option ``reduced_cost``.
    outgoing : float
        Share of a label's score billed to the edge on its right.
    both_ways : bool
        Whether messages from the right are needed.
    """

    name: ClassVar[str]
    outgoing: ClassVar[float] = 1.0
    both_ways: ClassVar[bool] = False

    @abstractmethod
    def edges(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """``left`` and ``right``, (n-1, K): a pair's reduced cost is ``left_i(x) + 2 tau(x, y) + right_i(y)``."""

    @abstractmethod
    def ends(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Reduced costs (K,) of the phantom edges before the first and after the last label."""

    @abstractmethod
    def potentials(self, view: ChainView, theta: FloatArray) -> FloatArray:
        """The potentials (n, K); `theta` has finite stand-ins for forbidden labels."""


class Forward(Formulation):
    """Label scores are billed to the edge on their right: eqs 5 to 8, ``alpha``."""

    name = "alpha"

    def edges(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Eq. 8."""
        right = np.where(view.theta[1:] > -np.inf, -2.0 * view.alpha[1:], -np.inf)
        return 2.0 * (view.alpha + view.theta)[:-1], right

    def ends(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Nothing before the first label; after the last, what it exceeds the restricted optimum by."""
        first = np.where(view.theta[0] > -np.inf, 0.0, -np.inf)
        return first, 2.0 * (view.alpha[-1] + view.theta[-1] - view.value)

    def potentials(self, view: ChainView, theta: FloatArray) -> FloatArray:
        """The best prefix that ends in each label."""
        return view.alpha + theta


class Halves(Formulation):
    """Label scores are billed by half to the edges on either side: eq. 9, ``alpha+theta``.

    Messages include the own half. Inside the domains they and the reduced costs then equal eq. 8's. A label outside
    is offered the half score of the best label inside: its reduced cost falls by half of what it scores less, which
    is the local evidence that eq. 8 lacks.
    """

    name = "alpha+theta"
    outgoing = 0.5

    def edges(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Eq. 9."""
        return (2.0 * view.alpha + view.theta)[:-1], (view.theta - 2.0 * view.alpha)[1:]

    def ends(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """The halves that no edge is billed for."""
        last = 2.0 * (view.alpha[-1] - view.value) + view.theta[-1]
        return view.theta[0] - 2.0 * view.alpha[0], last

    def potentials(self, view: ChainView, theta: FloatArray) -> FloatArray:
        """Message and other half."""
        return view.alpha + 0.5 * theta


class BothWays(Formulation):
    """Constraints are doubled and messages run both ways: eqs 10 to 12, ``both``.

    Forward messages suggest ``alpha + theta`` (the best prefix up to here), backward messages ``value - beta`` (the
    optimum without the best suffix after here). Both are dual feasible when nothing is missing; so is their mean.
    """

    name = "both"
    both_ways = True

    def edges(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """``S+`` and ``S-`` of eq. 13."""
        return (view.theta + view.alpha - view.beta)[:-1], (view.theta - view.alpha + view.beta)[1:]

    def ends(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """``theta_0 + beta_0`` and ``alpha_{n-1} + theta_{n-1}`` against the restricted optimum."""
        return view.theta[0] + view.beta[0] - view.value, view.theta[-1] + view.alpha[-1] - view.value

    def potentials(self, view: ChainView, theta: FloatArray) -> FloatArray:
        """``(alpha + theta - beta + value) / 2``."""
        mean: FloatArray = 0.5 * (view.alpha + theta - view.beta + view.value)
        return mean


FORMULATIONS: dict[str, Formulation] = {form.name: form for form in (BothWays(), Forward(), Halves())}
"""By the option ``reduced_cost``."""


def formulation(name: str) -> Formulation:
    """The formulation that the option ``reduced_cost`` names.

    Raises
    ------
    UnknownOption
    """
    try:
        return FORMULATIONS[name]
    except KeyError:
        known = ", ".join(map(repr, FORMULATIONS))
        raise UnknownOption(f"reduced_cost is {name!r}, expected one of {known}") from None
