"""Sphinx extension: the outputs of Python blocks stand below them; each page is run once, when it is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import page_blocks
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

_LOG = logging.getLogger(__name__)
_SECONDS = 900
"""Limit on one page; the pages of this project take at most some seconds."""


def add_outputs(app: Sphinx, document: nodes.document) -> None:
    """Run the blocks of a page and put what they show below them."""
    page = Path(app.env.doc2path(app.env.docname))
    text = page.read_text("utf-8")
    wanted = [code for _, code in page_blocks.blocks(text)]
    if not wanted:
        return
    if reason := page_blocks.missing(text):
        _LOG.info("%s: not run: %s", app.env.docname, reason)
        return
    found = [node for node in document.findall(nodes.literal_block) if node.get("language") == "python"]
    if [node.astext().strip() for node in found] != [code.strip() for code in wanted]:
        _LOG.warning("Python blocks must begin at the beginning of a line", location=app.env.docname)
        return
    for node, output in zip(found, run(page, app), strict=True):
        if shown := page_blocks.shown(page_blocks.Output(**output)):
            node.parent.insert(node.parent.index(node) + 1, nodes.raw("", shown, format="html"))


def run(page: Path, app: Sphinx) -> list[dict[str, str]]:
    """Compute the outputs of a page in a process that uses the compiled kernels; warn about a block that fails."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "outputs.json"
        command = [sys.executable, page_blocks.__file__, str(page), str(output)]
        ours = {name: value for name, value in os.environ.items() if name != "GAPLESS_PURE"}
        done = subprocess.run(  # noqa: S603  our own file
            command, env=ours, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        if done.returncode:
            _LOG.warning("a Python block fails:\n%s", done.stderr[-3000:], location=app.env.docname)
            return [{}] * len(list(page_blocks.blocks(page.read_text("utf-8"))))
        outputs: list[dict[str, str]] = json.loads(output.read_text("utf-8"))
        return outputs


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hook; pages are run again when the configuration names other code."""
    app.add_config_value("code_of_pages", "", "env", str)
    app.connect("doctree-read", add_outputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
