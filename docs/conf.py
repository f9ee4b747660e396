"""Configuration of the site: ``make docs``."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from numpydoc.xref import DEFAULT_LINKS
from sphinx.application import Sphinx

os.environ["GAPLESS_PURE"] = "1"  # the NumPy twins of the kernels have docstrings
sys.path.append(str(Path(__file__).parent / "extensions"))
sys.path.append(str(Path(__file__).parents[1] / "tests/support"))  # the tests run the pages' blocks, too

from inventories import write_inventories

import gapless
import gapless.column_generation
import gapless.learn
import gapless.roles
import gapless.search.lagrangian
import gapless.tree_search
import gapless_chains
import gapless_dependency
import gapless_linking
import gapless_ordering
import gapless_splitbound

HERE = Path(__file__).parent
project = "gapless"
author = "The gapless authors"
copyright = "The gapless authors, Apache-2.0"
version = release = gapless.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "outputs",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.linkcode",
    "sphinx_copybutton",
]
exclude_patterns = ["browser", "examples", "extensions", "upstream"]

# Pages are Markdown that also reads well on a code host: links are plain links between files.
myst_heading_anchors = 3

html_theme = "furo"
html_title = "gapless"
html_static_path = ["_static"]
html_theme_options = {"light_logo": "logo-light.svg", "dark_logo": "logo-dark.svg", "sidebar_hide_name": True}
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_extra_path = ["../build/browser"] if Path(__file__).parents[1].joinpath("build/browser").is_dir() else []
html_show_sourcelink = False
pygments_style = "default"
pygments_dark_style = "github-dark"

# The reference is made from the docstrings of what a package lists in __all__.
autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # numpydoc's sections give the types, with shapes and units
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_mock_imports = ["torch"]  # a large extra; the losses are read without it
numpydoc_show_class_members = False
# Types in docstrings are prose; the names of our own classes in them become links.
numpydoc_xref_param_type = True
DEFAULT_LINKS.clear()  # numpydoc's own, into Python's pages, name more than docs/inventories.toml lists
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {
    name: f"{package.__name__}.{name}"
    for package in (
        gapless_splitbound,
        gapless_linking,
        gapless_ordering,
        gapless_dependency,
        gapless_chains,
        gapless.learn,
        gapless.tree_search,
        gapless.column_generation,
        gapless.search.lagrangian,
        gapless.roles,
        gapless,
    )
    for name in package.__all__
    if name[0].isupper()
}
python_maximum_signature_line_length = 88
default_role = "py:obj"
toc_object_entries_show_parents = "hide"

ROOT = HERE.parent
CODE = [file for folder in ("framework", "plugins", "tasks") for file in (ROOT / folder).rglob("*.py")]
code_of_pages = str(max(file.stat().st_mtime_ns for file in CODE))  # pages are run again when it changes
RELEASES = "<!-- towncrier release notes start -->"


REPOSITORY = "https://github.com/gapless-decoding/gapless/blob/main"

intersphinx_mapping = write_inventories(HERE / "inventories.toml", ROOT / "build/inventories")


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Return the address of a Python object's lines on the code host; None if compiled or made at run time."""
    if domain != "py" or not info["module"]:
        return None
    found: Any = importlib.import_module(info["module"])
    try:
        for part in info["fullname"].split("."):
            found = getattr(found, part)
        file, (lines, first) = inspect.getsourcefile(inspect.unwrap(found)), inspect.getsourcelines(found)
    except (AttributeError, TypeError, OSError):
        return None
    if file is None or not Path(file).is_relative_to(ROOT):
        return None
    return f"{REPOSITORY}/{Path(file).relative_to(ROOT).as_posix()}#L{first}-L{first + len(lines) - 1}"


def add_unreleased(_: Sphinx, docname: str, source: list[str]) -> None:
    """Show the news fragments, if there are any, and the released changes on the page of changes."""
    if docname != "changelog":
        return
    fragments = [file for file in (ROOT / "news").glob("*.md") if file.name != "README.md"]
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "Next", "--date", "unreleased"]
    drafted = ""
    if fragments:
        drafted = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S603
    released = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition(RELEASES)[2]
    source[0] += (drafted + released).replace("](docs/", "](")  # written for a file above this folder


def mark_figures(app: Sphinx, document: nodes.document) -> None:
    """Mark figures, which are drawn on white, for the style sheet to invert on dark pages; charts adapt alone."""
    for image in document.findall(nodes.image):
        if "figures/" in image["uri"]:
            image["classes"].append("on-white")


CAPTIONED = re.compile(
    r'<p class="caption" role="heading"><span class="caption-text">(.*?)</span></p>\s*(<ul.*?</ul>)'
    r'(?=\s*(?:<p class="caption"|</div>|\Z))',
    re.DOTALL,
)


def fold_groups(_: Sphinx, __: str, ___: str, context: dict[str, Any], ____: Any) -> None:
    """Let each group of the sidebar open and close; the group of the page that is read is open."""

    def folded(found: re.Match[str]) -> str:
        state = " open" if re.search(r'class="[^"]*\bcurrent\b', found[2]) else ""
        return (
            f'<details class="group"{state}><summary class="caption">{found[1]}</summary>\n{found[2]}\n</details>'
        )

    if "furo_navigation_tree" in context:
        context["furo_navigation_tree"] = CAPTIONED.sub(folded, context["furo_navigation_tree"])


def setup(app: Sphinx) -> None:
    """Connect the hooks above; the changelog is read again whenever the site is built."""
    app.connect("html-page-context", fold_groups, priority=900)  # after the theme, which makes the sidebar
    app.connect("source-read", add_unreleased)
    app.connect("doctree-read", mark_figures)
    app.connect("env-get-outdated", lambda *_: ["changelog"])
