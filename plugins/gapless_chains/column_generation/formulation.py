"""The three linear programs of a chain: where label scores are billed, and hence what a reduced cost is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.arrays.spelling_hint import check_choice
from gapless.roles import Fixings
from gapless_chains.column_generation.label_domains import LabelView


@attrs.define(eq=False, slots=False)
class ChainView(LabelView):
    """The two-way messages of a restricted chain, as the oracle sees them.

    Attributes
    ----------
    feasible : bool
        Whether anything is allowed under the fixings; if not, the messages mean nothing.
    theta : float64 (n, K)
        Label scores; minus infinity where forbidden or fixed away.
    alpha, beta : float64 (n, K)
        Messages from the left and from the right, the label's own score excluded (but see `Halves`); finite.
        ``beta`` is zero where the formulation needs none.
    domains : bool (n, K)
        Labels in the restricted relaxation.
    value : float
        Its optimum.
    floor : float
        Below every allowed path; messages that only forbidden pairs could make are that low. Minus infinity if no
        pair is forbidden.
    searched : bool (n, K) or None
        Labels that pricing must look at; None for all.
    excess : float64 (n+1,) or None
        Written by the oracle: largest positive reduced cost of the first label, each edge, the last label.

    Examples
    --------
    >>> from gapless_chains import ChainProblem, ChainView
    >>> from gapless.roles import MasterView
    >>> issubclass(ChainView, MasterView)
    True
    """

    fixings: Fixings
    feasible: bool
    theta: FloatArray
    alpha: FloatArray
    beta: FloatArray
    domains: BoolArray
    value: float
    floor: float
    searched: BoolArray | None = None
    excess: FloatArray | None = attrs.field(default=None, init=False)
    point: FloatArray | None = attrs.field(default=None, init=False)


class MessageFormulation(ABC):
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
        """Return ``left`` and ``right``, (n-1, K): a pair costs ``left_i(x) + 2 tau(x, y) + right_i(y)``."""

    @abstractmethod
    def ends(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Return the reduced costs (K,) of the phantom edges before the first and after the last label."""

    @abstractmethod
    def potentials(self, view: ChainView, theta: FloatArray) -> FloatArray:
        """Return the potentials (n, K); `theta` has finite stand-ins for forbidden labels."""


class Forward(MessageFormulation):
    """Label scores are billed to the edge on their right: eqs 5 to 8, ``alpha``."""

    name = "alpha"

    def edges(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Return both parts of eq. 8."""
        right = np.where(view.theta[1:] > -np.inf, -2.0 * view.alpha[1:], -np.inf)
        return 2.0 * (view.alpha + view.theta)[:-1], right

    def ends(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Return 0 before the first label, and the excess over the restricted optimum after the last."""
        first = np.where(view.theta[0] > -np.inf, 0.0, -np.inf)
        return first, 2.0 * (view.alpha[-1] + view.theta[-1] - view.value)

    def potentials(self, view: ChainView, theta: FloatArray) -> FloatArray:
        """Return the score of the best prefix that ends in each label."""
        return view.alpha + theta


class Halves(MessageFormulation):
    """Label scores are billed by half to the edges on either side: eq. 9, ``alpha+theta``.

    Messages include the own half. Inside the domains they and the reduced costs then equal eq. 8's. A label outside
    is offered the half score of the best label inside: its reduced cost falls by half of what it scores less, which
    is the local evidence that eq. 8 lacks.
    """

    name = "alpha+theta"
    outgoing = 0.5

    def edges(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Return both parts of eq. 9."""
        return (2.0 * view.alpha + view.theta)[:-1], (view.theta - 2.0 * view.alpha)[1:]

    def ends(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Return the halves of the label scores that are billed to no edge."""
        last = 2.0 * (view.alpha[-1] - view.value) + view.theta[-1]
        return view.theta[0] - 2.0 * view.alpha[0], last

    def potentials(self, view: ChainView, theta: FloatArray) -> FloatArray:
        """Return the message plus the other half of the label score."""
        return view.alpha + 0.5 * theta


class BothWays(MessageFormulation):
    """Constraints are doubled and messages run both ways: eqs 10 to 12, ``both``.

    Forward messages suggest ``alpha + theta`` (the best prefix up to here), backward messages ``value - beta`` (the
    optimum without the best suffix after here). Both are dual feasible when nothing is missing; so is their mean.
    """

    name = "both"
    both_ways = True

    def edges(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Return ``S+`` and ``S-`` of eq. 13."""
        return (view.theta + view.alpha - view.beta)[:-1], (view.theta - view.alpha + view.beta)[1:]

    def ends(self, view: ChainView) -> tuple[FloatArray, FloatArray]:
        """Return ``theta_0 + beta_0`` and ``alpha_{n-1} + theta_{n-1}``, both minus the restricted optimum."""
        return view.theta[0] + view.beta[0] - view.value, view.theta[-1] + view.alpha[-1] - view.value

    def potentials(self, view: ChainView, theta: FloatArray) -> FloatArray:
        """Return ``(alpha + theta - beta + value) / 2``."""
        mean: FloatArray = 0.5 * (view.alpha + theta - view.beta + view.value)
        return mean


FORMULATIONS: dict[str, MessageFormulation] = {form.name: form for form in (BothWays(), Forward(), Halves())}
"""By the option ``reduced_cost``."""


def formulation(name: str) -> MessageFormulation:
    """Return the formulation that the option ``reduced_cost`` names.

    Raises
    ------
    UnknownOption
    """
    check_choice("reduced_cost", name, FORMULATIONS)
    return FORMULATIONS[name]
