"""Roles in Python, as the search calls them. The GIL is held during their calls only."""

from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from gapless_kernels.search.roles import Factor, Maximiser

class PythonMaximiser(Maximiser):
    """A maximiser in Python.

    What it raises, `CompiledSearch.advance` raises. So is an answer of another shape, a NaN, a fixing that
    was ignored, or a value that its structure does not have, each with the class in the message.

    Parameters
    ----------
    maximiser : object
        With ``solve(weights, fixings)``, an object with `value`, `on_ids` and `internal_score`, and
        ``max_marginals(weights, fixings)``, one with `on` and `off`: see `gapless.roles.Maximiser`. Weights
        are float64 (decisions,), -inf where a decision is off.
    decisions : int
    fixings : callable
        From the state of the decisions, int8 (decisions,) with -1 free, 0 off and 1 on, to what the maximiser
        takes as fixings.
    largest_term : float
        As for `CompiledSearch`.
    """

    maximiser: Any
    def __init__(
        self,
        maximiser: Any,
        decisions: int,
        fixings: Callable[[npt.NDArray[Any]], Any],
        largest_term: float = ...,
    ) -> None: ...

class PythonFactor(Factor):
    """A factor in Python.

    What it raises, `CompiledSearch.advance` raises. So is a value that `value` denies, with the factor's
    place in the message.

    Parameters
    ----------
    scope : int (count,)
        Its decisions.
    factor : object
        With ``best(weights)`` and ``value(on)``, see `gapless.roles.ConfigurationFactor`, and a `place` for
        messages, such as `gapless.search.named_factor.NamedFactor`. Its answers are trusted to have the right
        shapes: a float below infinity, and as many booleans as there are weights.
    marginals : bool
        Whether the search asks for max-marginals, too, each by one more call of ``best``: worthwhile where
        the factor forbids much.
    largest_term : float
        As for `CompiledSearch`.
    """

    factor: Any
    def __init__(
        self, scope: npt.ArrayLike, factor: Any, marginals: bool = ..., largest_term: float = ...
    ) -> None: ...
