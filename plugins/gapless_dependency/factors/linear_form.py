"""Moved to `gapless.core.factors.linear_form`; these names remain for programs that import them from here."""

from __future__ import annotations

import warnings
from typing import Any


def __getattr__(name: str) -> Any:
    if name not in ("LinearForm", "HasLinearForm"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gapless.core.factors import linear_form  # noqa: PLC0415  only for those who still ask here

    warnings.warn(f"{__name__}.{name} is now gapless.roles.{name}", DeprecationWarning, stacklevel=2)
    return getattr(linear_form, name)
