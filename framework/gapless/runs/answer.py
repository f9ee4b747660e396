"""What a log holds of an answer that ``gapless verify`` does not re-check: its result without the problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from gapless.core.certificate import NoCertificate, ProbabilisticCertificate
from gapless.core.result import Result
from gapless.core.serial import serialisable


def numbers_only(result: Result[Any]) -> Result[Any]:
    """A result without its evidence, which can be large, for those who have looked at it already."""
    if isinstance(result.certificate, ProbabilisticCertificate):
        return result  # it is a number itself, and what says that the answer is likely the best one
    return attrs.evolve(result, certificate=NoCertificate("only the numbers were kept"))


@serialisable("gapless.Answer")
@attrs.frozen(eq=False)
class Answer:
    """A result without its problem: what a table needs.

    Parameters
    ----------
    name : str
    result : Result
        See `numbers_only`, where its evidence is not needed any more.
    measured : mapping of str to JSON data
    """

    name: str
    result: Result[Any]
    measured: Mapping[str, Any] = attrs.field(factory=dict)
