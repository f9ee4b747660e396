"""The Python blocks of a page, run in order in one namespace; the site and the tests both run them by this."""

from __future__ import annotations

import ast
import contextlib
import html
import importlib.util
import io
import json
import os
import re
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
IMPORTED = re.compile(r"^ *(?:import|from) (\w+)", re.MULTILINE)
OPTIONAL = {
    "dask": "pip install 'gapless[distributed]'",
    "gapless_cutting_stock": "pip install docs/examples/cutting_stock",
    "gapless_rna_folding": "pip install docs/examples/rna_folding",
    "gapless_torch": "pip install 'gapless[torch]'",
    "gapless_vehicle_routing": "pip install docs/examples/vehicle_routing",
    "jinja2": "pip install 'gapless[report]'",
    "pandas": "pip install pandas",
    "sklearn": "pip install 'gapless[tasks]'",
    "spacy": "pip install 'gapless[spacy]'",
    "torch": "pip install 'gapless[torch]'",
    "transformers": "pip install transformers",
}
"""Modules without which a page's blocks do not run, and where they come from."""


@dataclass(frozen=True)
class Output:
    """Shown below one block.

    Parameters
    ----------
    text : str
        Printed lines, and the value of a last expression without a picture.
    html : str
        The value of a last expression as HTML or SVG; empty where it has none.
    """

    text: str = ""
    html: str = ""


def blocks(page):
    """The line on which the code of each block begins, from 1, and the code."""
    for found in BLOCK.finditer(page):
        yield page[: found.start()].count("\n") + 2, found[1]


def missing(page):
    """The first optional module that the blocks import and that is not installed, with its remedy."""
    imported = {module for _, code in blocks(page) for module in IMPORTED.findall(code)}
    for module in sorted(imported & OPTIONAL.keys()):
        if importlib.util.find_spec({"gapless_torch": "torch"}.get(module, module)) is None:
            return f"needs {module}: {OPTIONAL[module]}"
    return None


def run(page, name):
    """Run the blocks in order; an error leaves with the page and the line in its traceback."""
    namespace = {"__name__": "__main__"}
    return [_run_one(code, line, name, namespace) for line, code in blocks(page)]


def _run_one(code, line, name, namespace):
    tree = ast.parse("\n" * (line - 1) + code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(compile(tree, name, "exec"), namespace)
        value = None
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
    if value is None:
        return Output(told.getvalue())
    if drawn := _picture(value):
        return Output(told.getvalue(), drawn)
    return Output(told.getvalue() + repr(value) + "\n")


def _picture(value):
    """A value as notebooks show it; an SVG element in a string is a picture, too."""
    if isinstance(value, str):
        return value if value.lstrip().startswith("<svg ") else ""
    for name in ("_repr_html_", "_repr_svg_"):
        if made := getattr(type(value), name, None):
            return str(made(value) or "")
    return ""


def shown(output):
    """An output as HTML; empty where there is nothing to see."""
    parts = []
    if output.text.strip():
        parts.append(f"<pre>{html.escape(output.text.rstrip())}</pre>")
    if output.html:
        kind = "drawing" if output.html.lstrip().startswith("<svg ") else "picture"
        parts.append(f'<div class="{kind}">{output.html}</div>')
    return f'<div class="block-output">{"".join(parts)}</div>' if parts else ""


def main():
    """Run the page named first, in an empty folder, and write its outputs to the file named second."""
    page, told = (Path(word).resolve() for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        outputs = run(page.read_text("utf-8"), str(page))
        os.chdir(page.parent)
    told.write_text(json.dumps([asdict(output) for output in outputs]), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
