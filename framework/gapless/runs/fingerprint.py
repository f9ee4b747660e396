"""Digest of the data of a run, so that no run is continued on other data."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import attrs
import numpy as np

_DIGITS = 16
"""Hexadecimal digits: 64 bits exclude accidents, and an attacker could edit the answers themselves."""


@attrs.frozen
class Fingerprint:
    """Fingerprint of the data of a run: a corpus, a graph, a model.

    `name`: shown in messages, but not compared, because the same data may move to another path.
    """

    name: str = attrs.field(eq=False)
    size: int
    digest: str

    @classmethod
    def of(cls, name: str, parts: Iterable[Any]) -> Fingerprint:
        """Compute the fingerprint of strings, bytes, numbers, arrays, None, or tuples and lists of them, in order.

        Raises `TypeError`: another type, whose ``repr`` may not distinguish values.
        """
        digest, size = sha256(), 0
        for size, part in enumerate(parts, 1):  # noqa: B007  used after the loop
            _take(digest, part)
        return cls(name, size, digest.hexdigest()[:_DIGITS])


def _take(digest: Any, part: Any) -> None:
    # Each part starts with its kind and size, so that different nestings of the same bytes differ.
    if isinstance(part, np.ndarray):
        if part.dtype.kind == "f":
            part = part + part.dtype.type(0)  # -0.0 becomes 0.0: files may lose the sign
        digest.update(f"array {part.dtype} {part.shape}\n".encode())
        digest.update(np.ascontiguousarray(part).data)
    elif isinstance(part, bytes):
        digest.update(b"bytes %d\n" % len(part))
        digest.update(part)
    elif isinstance(part, (tuple, list)):
        digest.update(b"parts %d\n" % len(part))
        for element in part:
            _take(digest, element)
    elif part is None or isinstance(part, (str, bool, int, float, np.generic)):
        digest.update(f"{part!r}\n".encode())
    else:
        raise TypeError(f"there is no fingerprint for a {type(part).__name__}")
