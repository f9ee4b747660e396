"""The certificate that exact forward messages make."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import FloatArray
from gapless_chains.proofs.potentials import PotentialsCertificate

# Two roundings in each message, of numbers no larger than the message and the label score together; doubled.
_ROUNDING = 2.0**-51


def forward_potentials(messages: FloatArray, local: FloatArray) -> PotentialsCertificate:
    """Forward messages (eq. 7 of Belanger et al. 2012) as potentials: they bound every labelling by the optimum.

    Parameters
    ----------
    messages : float64 (n, K)
        Best score of a prefix that ends in each label; changed. Minus infinity where no allowed prefix ends, which
        also proves that a chain is infeasible.
    local : float64 (n, K)
        Label scores, those of starting and ending included.
    """
    # Rounded up, no label seems to be offered more than its message: a mask of -1e9 beside small scores would else
    # leave an excess as large as its own last digit. Along the best path the difference is as small as the scores.
    lost = _ROUNDING * (np.abs(messages) + np.abs(local))
    np.add(messages, lost, out=messages, where=messages > -np.inf)
    return PotentialsCertificate(messages)
