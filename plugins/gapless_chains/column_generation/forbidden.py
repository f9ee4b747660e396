"""Finite stand-ins for messages over forbidden pairs only, which keep all reduced costs finite."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray


def floor_below_every_labelling(theta: FloatArray, largest: float) -> float:
    """A penalty that no labelling can earn back: eight times the largest magnitude of a labelling's score.

    Parameters
    ----------
    theta : float64 (n, K)
        Label scores.
    largest : float
        Largest finite magnitude of a pair score.
    """
    finite = np.isfinite(theta)
    local = float(np.max(np.abs(theta), axis=1, where=finite, initial=0.0).sum())
    return -8.0 * (local + len(theta) * largest + 1.0)


def replace_forbidden(message: FloatArray, best: float, guess: FloatArray, domain: BoolArray, floor: float) -> None:
    """Give a number to the entries of a message that only forbidden pairs could make.

    In the domain that is the floor, below every labelling. Outside, where any guess is allowed, it is `guess`: the
    floor would make nearly every label look attractive.

    Parameters
    ----------
    message : float64 (K,)
        Changed in place.
    best : float
        The largest offer that the message was made of.
    guess : float64 (K,)
    domain : bool (K,)
        Labels of the receiver that are in its domain.
    """
    forbidden = message == -np.inf
    if forbidden.any():
        outside = np.where(guess > -np.inf, guess, best + floor)
        message[forbidden] = np.where(domain, best + floor, outside)[forbidden]
