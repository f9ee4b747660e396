"""A cheap digest of what a run is about, so that it is not continued on something else."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import attrs
import numpy as np

_DIGITS = 16


@attrs.frozen
class Fingerprint:
    """What a run is about: a corpus, a graph, a model.

    Parameters
    ----------
    name : str
        For people: the same data may lie elsewhere another day.
    size : int
        How many parts it has.
    digest : str
    """

    name: str = attrs.field(eq=False)
    size: int
    digest: str

    @classmethod
    def of(cls, name: str, parts: Iterable[Any]) -> Fingerprint:
        """The fingerprint of strings, bytes, numbers, arrays, None, or tuples and lists of them, in their order.

        Raises
        ------
        TypeError
            For anything else, whose ``repr`` need not tell one from another.
        """
        digest, size = sha256(), 0
        for size, part in enumerate(parts, 1):  # noqa: B007  used after the loop
            _take(digest, part)
        return cls(name, size, digest.hexdigest()[:_DIGITS])


def _take(digest: Any, part: Any) -> None:
    if isinstance(part, np.ndarray):
        if part.dtype.kind == "f":
            part = part + part.dtype.type(0)  # a zero is the same with either sign, and files may lose it
        digest.update(f"array {part.dtype} {part.shape}\n".encode())
        digest.update(np.ascontiguousarray(part).data)
    elif isinstance(part, bytes):
        digest.update(b"bytes %d\n" % len(part))
        digest.update(part)
    elif isinstance(part, (tuple, list)):
        digest.update(b"parts %d\n" % len(part))
        for one in part:
            _take(digest, one)
    elif part is None or isinstance(part, (str, bool, int, float, np.generic)):
        digest.update(f"{part!r}\n".encode())
    else:
        raise TypeError(f"no fingerprint is made of a {type(part).__name__}")
