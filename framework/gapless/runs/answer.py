"""Results without their problems, for logs that ``gapless verify`` does not check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from gapless.arrays.serial import serialisable
from gapless.certificates.certificate import NoCertificate, ProbabilisticCertificate
from gapless.results.result import Result


def without_evidence(result: Result[Any]) -> Result[Any]:
    """Return a result without its evidence, which can be large."""
    if isinstance(result.certificate, ProbabilisticCertificate):
        return result  # small, and the status depends on it
    return attrs.evolve(result, certificate=NoCertificate("only the numbers were kept"))


@serialisable("gapless.Answer")
@attrs.frozen(eq=False)
class LoggedAnswer:
    """Result without its problem, sufficient for tables.

    Parameters
    ----------
    name : str
    result : Result
        Reduced by `without_evidence` if its evidence is no longer needed.
    measurements : mapping of str to JSON data
    """

    name: str
    result: Result[Any]
    measurements: Mapping[str, Any] = attrs.field(factory=dict)
