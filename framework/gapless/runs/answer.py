"""What a log holds of an answer that nobody re-checks later: its result without the problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from gapless.core.certificate import NoCertificate
from gapless.core.result import Result
from gapless.core.serial import serialisable


def _numbers_only(result: Result[Any]) -> Result[Any]:
    return attrs.evolve(result, certificate=NoCertificate("only the numbers were kept"))


@serialisable("gapless.Answer")
@attrs.frozen(eq=False)
class Answer:
    """A result without its problem and its evidence: what a table needs.

    Parameters
    ----------
    name : str
    result : Result
        Its certificate is left out; it is of use beside a problem only.
    measured : mapping of str to JSON data
    """

    name: str
    result: Result[Any] = attrs.field(converter=_numbers_only)
    measured: Mapping[str, Any] = attrs.field(factory=dict)
