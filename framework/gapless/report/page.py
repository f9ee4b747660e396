"""Rendering of one self-contained HTML page, with style, script and drawings inline."""

from __future__ import annotations

import base64
import enum
import hashlib
import importlib.metadata
import importlib.util
import json
import math
import numbers
import re
from collections.abc import Mapping, Sequence, Set
from importlib import resources
from typing import Any

import numpy as np

from gapless.errors import MissingDependency

_DATA = "data"
DIGITS, TABLE_DIGITS, TIME_DIGITS = 6, 4, 3
"""Significant digits of numbers in general, in the tables of tasks (as on the command line), and of times."""
_LISTED = 8
"""Limit on the displayed values of a list."""
_REPR = re.compile(r"^<.*>$|^\w+\(.*\)$|\bobject at 0x", re.DOTALL)
_NUMPY = re.compile(r"\bnp\.(?:float|int|uint|bool|str)\w*\(([^()]*)\)")
_LONG = re.compile(r"-?\b\d+\.\d{10,}(?:e[-+]?\d+)?\b")


def render(title: str, **view: Any) -> str:
    """Make the page.

    Its Content-Security-Policy allows no source but the page itself, and no script but the hashed one: a compliant
    browser loads nothing from elsewhere, and runs nothing that is hidden in a sentence. `view` holds
    the variables of ``page.html``. Raises `MissingDependency`: jinja2 is not installed.
    """
    require_jinja()
    import jinja2  # noqa: PLC0415  an extra, imported on use
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2

    loader = jinja2.PackageLoader("gapless.report", _DATA)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(number=number, fact=fact, plain=plain, json_data=json_data, safe_svg=Markup)
    script, style = _read("page.js"), _read("page.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    text: str = environment.get_template("page.html").render(
        title=title,
        style=Markup(style),  # noqa: S704  our own file
        script=Markup(script),  # noqa: S704  our own file
        policy=f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'",
        version=importlib.metadata.version("gapless"),
        **view,
    )
    return text.encode("utf-8", "backslashreplace").decode()  # JSON allows lone surrogates, HTML does not


def require_jinja() -> None:
    """Raise `MissingDependency` if jinja2 is not installed."""
    if importlib.util.find_spec("jinja2") is None:
        raise MissingDependency("a report needs jinja2: pip install 'gapless[report]'")


def _read(name: str) -> str:
    return resources.files("gapless.report").joinpath(_DATA, name).read_text("utf-8")


def number(value: Any, digits: int = DIGITS) -> str:
    """Format a number for people; put other values in words, never as Python writes them.

    Thousands are set apart by commas, as tasks and the command line write them. `digits`: significant digits of
    what is no whole number.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return f"{int(value):,}".replace("-", "−")
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return _real(float(value), digits)
    if isinstance(value, enum.Enum):
        return str(value.value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {number(one, digits)}" for key, one in value.items())
    if isinstance(value, np.ndarray | Sequence | Set):
        listed = list(value)
        more = [f"and {len(listed) - _LISTED} more"] if len(listed) > _LISTED else []
        return ", ".join([*(number(one, digits) for one in listed[:_LISTED]), *more])
    said = str(value)
    return type(value).__name__ if _REPR.search(said) else plain(said)


def fact(value: Any, name: str) -> str:
    """Format a value under its name: times with three digits, because the next ones change from run to run."""
    return number(value, TIME_DIGITS if "seconds" in name else DIGITS)


def _real(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else "∞" if value > 0 else "−∞"
    if value and not 1e-3 <= abs(value) < 1e15:
        mantissa, _, power = f"{value:.{min(digits, TABLE_DIGITS)}g}".partition("e")
        said = f"{mantissa}e{int(power)}" if power else mantissa
    elif abs(value) >= 10.0 ** (digits - 1):
        said = f"{value:,.0f}"
    else:
        said = f"{value:,.{digits}g}"
    return said.replace("-", "−")


def plain(text: str) -> str:
    """Rewrite a sentence with at most twelve digits in a number, and without NumPy's type names."""
    text = _NUMPY.sub(r"\1", text)
    return _LONG.sub(lambda match: f"{float(match[0]):.12g}", text)


def json_data(value: Any) -> Any:
    """Encode JSON for a script element, escaped so that it cannot end the element or begin another."""
    from markupsafe import Markup  # noqa: PLC0415  comes with jinja2

    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)  # noqa: S704  escaped above
