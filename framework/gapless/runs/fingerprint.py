"""A cheap digest of the data of a run, so that it is not continued on other data."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import attrs
import numpy as np

_DIGITS = 16


@attrs.frozen
class Fingerprint:
    """Fingerprint of the data of a run: a corpus, a graph, a model.

    `name`: name for people; the same data may have another path another day.
    """

    name: str = attrs.field(eq=False)
    size: int
    digest: str

    @classmethod
    def of(cls, name: str, parts: Iterable[Any]) -> Fingerprint:
        """The fingerprint of strings, bytes, numbers, arrays, None, or tuples and lists of them, in order.

        Raises `TypeError`: for other types, whose ``repr`` may not distinguish values.
        """
        digest, size = sha256(), 0
        for size, part in enumerate(parts, 1):  # noqa: B007  used after the loop
            _take(digest, part)
        return cls(name, size, digest.hexdigest()[:_DIGITS])


def _take(digest: Any, part: Any) -> None:
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
        for one in part:
            _take(digest, one)
    elif part is None or isinstance(part, (str, bool, int, float, np.generic)):
        digest.update(f"{part!r}\n".encode())
    else:
        raise TypeError(f"there is no fingerprint for a {type(part).__name__}")
