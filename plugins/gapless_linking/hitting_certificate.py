"""The evidence of ``hitting-distance``: no candidate can be nearer to another set than its nearest candidate is."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.certificates.certificate import BoundCertificate
from gapless.roles import Fixings, serialisable
from gapless_linking.proofs.plain_distances import PlainDistances


@serialisable("gapless_linking.HittingCertificate")
@attrs.frozen
class HittingCertificate(BoundCertificate):
    """Hitting distances bound every choice; nothing has to be written down.

    As ``d(x_i, x_j) >= d(x_i, X_j)``, no S costs less than ``sum_i min_x (own(x) + sum_j d(x, X_j))`` over the
    candidates x of set i. The check finds these distances by a plain search from each set.
    """

    kind: ClassVar[str] = "hitting distances"

    def upper_bound(self, problem: Any, fixings: Fixings) -> float:
        """Return minus the sum above, over the candidates that the fixings leave."""
        plain = PlainDistances.of(problem)
        implied = fixings.implied(problem.decisions)
        if implied is None:
            return -math.inf
        unary_costs = plain.unary_costs()
        unary_costs[implied.off] = np.inf
        left = np.isfinite(unary_costs)
        ranges = [slice(a, b) for a, b in zip(problem.first[:-1].tolist(), problem.first[1:].tolist(), strict=True)]
        if not all(left[own].any() for own in ranges):
            return -math.inf
        near = np.sum([plain.nearest(problem.members[own][left[own]]) for own in ranges], axis=0)
        # Beyond the least of the set: where large costs of candidates cancel, their rounding would drown distances.
        least = [unary_costs[own].min() for own in ranges]
        beyond = [(near[own] + (unary_costs[own] - low)).min() for own, low in zip(ranges, least, strict=True)]
        return -math.fsum([*least, *beyond])
