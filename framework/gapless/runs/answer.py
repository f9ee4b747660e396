"""Answers in a log that ``gapless verify`` does not check: results without their problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from gapless.core.certificate import NoCertificate, ProbabilisticCertificate
from gapless.core.result import Result
from gapless.core.serial import serialisable


def numbers_only(result: Result[Any]) -> Result[Any]:
    """A result without its evidence, which can be large and is no longer needed."""
    if isinstance(result.certificate, ProbabilisticCertificate):
        return result  # small, and the status depends on it
    return attrs.evolve(result, certificate=NoCertificate("only the numbers were kept"))


@serialisable("gapless.Answer")
@attrs.frozen(eq=False)
class Answer:
    """A result without its problem, sufficient for tables.

    Parameters
    ----------
    name : str
    result : Result
        The result, reduced by `numbers_only` where its evidence is no longer needed.
    measured : mapping of str to JSON data
    """

    name: str
    result: Result[Any]
    measured: Mapping[str, Any] = attrs.field(factory=dict)
