"""Wording and layout: summary lines, banned words, numbers of decisions, promised names, fragments, sizes of files.

`DOCSTRINGS` and `WORDS` name the roots whose sentences are checked.
"""

import ast
import importlib
import inspect
import io
import re
import tokenize
from pathlib import Path

import pytest

import gapless
from gapless.plugins.manager import load_plugins
from gapless.testing import kernel_twins

ROOT = Path(__file__).parents[2]
DOCSTRINGS = ("framework", "plugins", "cython_ext", "tasks", "docs")
"""Roots whose public functions have an imperative summary line."""
WORDS = (
    "framework",
    "plugins",
    "cython_ext",
    "tasks",
    "docs",
    "news",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
)
"""Roots whose pages, docstrings and comments use no banned word."""
BANNED = re.compile(
    r"\b(told|heard|felt|whoever|nobody|besides|loose|toll|rivals|dolls|insist|insists)\b", re.IGNORECASE
)
NO_VERB = re.compile(
    r"(?!(?:Address|Bias|Compress|Discuss|Express|Focus|Guess|Miss|Pass|Process|Press|Suppress|Toss"
    r"|Embed|Feed|Need|Proceed|Seed|Shed|Speed|Exceed|Bleed|Succeed)\b)"
    r"([a-z0-9`*(]|(?:The|A|An|What|Which|How|Who|Whom|Whose|Where|When|Why|Whether|If|All|Every|Each|One|No"
    r"|None|Some|Number of|From|In|Of|By|With|Under|Upper|Lower|Best|Most|Least|Same|Only|Nothing|True"
    r"|False|It|This|That|These)\b"
    r"|[A-Z]\w*(?:[^s]s|ed)\b)"
)
FENCED = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
FRAGMENT = re.compile(r"(\d+|\+[\w-]+)\.(added|changed|fixed|removed)\.md")
MAX_LINES, MAX_FILES = 450, 40
CODE = re.compile(r"^ *```\w+\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
UNFINISHED = re.compile(r"^\s*[A-Z]{4,}\s*$|\b(?:TODO|FIXME|TBD|XXX)\b", re.MULTILINE)
RAW_LINE = re.compile(r"^ *<!-- value.*", re.MULTILINE)
"""Lines that Markdown takes for HTML: their code and links would be shown as they are written."""
BUILT = {".c", ".so", ".pyd", ".pyc", ".pyo"}


def files(roots, suffixes):
    found = [file for root in roots for file in (ROOT / root, *(ROOT / root).rglob("*"))]
    return sorted(file for file in found if file.is_file() and file.suffix in suffixes)


def public_functions(tree):
    """Find functions and methods without an underscore, except properties, which are noun phrases."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            decorators = " ".join(ast.unparse(one) for one in node.decorator_list)
            if not re.search(r"property|\.setter|\.getter|overload", decorators):
                yield node


def sentences(file):
    """Return the prose of a file: a page without code, or the docstrings and comments of a source."""
    text = file.read_text("utf-8")
    if file.suffix == ".md":
        return FENCED.sub("", text)
    if file.suffix != ".py":
        return FENCED.sub("", "\n".join(re.findall(r'""".*?"""|#[^\n]*', text, re.DOTALL)))
    tree = ast.parse(text)
    strings = [
        n.value.value for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
    ]
    comments = [
        t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT
    ]
    return FENCED.sub("", "\n".join(str(one) for one in (*strings, *comments)))


def test_summary_lines_of_functions_are_imperative():
    wrong = []
    for file in files(DOCSTRINGS, {".py"}):
        for function in public_functions(ast.parse(file.read_text("utf-8"))):
            first = (ast.get_docstring(function) or "").split("\n\n")[0].replace("\n", " ")
            if first and (NO_VERB.match(first) or not first.endswith((".", ":"))):
                wrong.append(f"{file.relative_to(ROOT)}:{function.lineno} {function.name}: {first}")
    assert wrong == []


@pytest.mark.parametrize(
    "line", ["The limits.", "Rows of a node.", "Whether it holds.", "Called once.", "Returns it."]
)
def test_summary_without_imperative_is_found(line):
    assert NO_VERB.match(line)


@pytest.mark.parametrize("line", ["Return the limits.", "Process a row.", "Compute bounds.", "Pass it on."])
def test_imperative_summary_is_accepted(line):
    assert not NO_VERB.match(line)


def test_banned_words_are_not_used():
    texts = files(WORDS, {".md", ".py", ".pyx", ".pxd"})
    assert texts
    suspected = [
        file for file in texts if BANNED.search(file.read_text("utf-8"))
    ]  # of few, the prose is told apart
    assert [
        f"{f.relative_to(ROOT)}: {BANNED.findall(said)}" for f in suspected if BANNED.search(said := sentences(f))
    ] == []


def test_pages_are_finished_and_their_code_fits_88_columns():
    """Wider blocks scroll sideways on the site."""
    wrong = []
    for page in files(("README.md", "docs"), {".md"}):
        text = page.read_text("utf-8")
        wide = [line for block in CODE.findall(text) for line in block.splitlines() if len(line) > 88]
        wide = wide if page.parent != ROOT else []
        wrong += [
            f"{page.relative_to(ROOT)}: {line}"
            for line in (*UNFINISHED.findall(text), *RAW_LINE.findall(text), *wide)
        ]
    assert wrong == []


def test_decisions_are_numbered_without_gaps():
    pages = sorted(path for path in (ROOT / "docs/decisions").glob("*.md") if path.name != "index.md")
    assert [path.name[:4] for path in pages] == [f"{number:03}-" for number in range(1, len(pages) + 1)]
    assert [p.name for p in pages if not re.match(rf"# {p.name[:3]}[.:] \S", p.read_text("utf-8"))] == []


def test_promised_names_are_those_of_the_code():
    page = (ROOT / "docs/reference/releases.md").read_text("utf-8")
    listed = dict(re.findall(r"^\*\*`?([\w. ]+?)`?\*\*[^:\n]*: (.*?\.)(?: A new|$)", page, re.MULTILINE))
    for module in ("gapless", "gapless.roles", "gapless.factors", "gapless.testing"):
        names = set(importlib.import_module(module).__all__) - {"__version__"}
        assert set(re.findall(r"`(\w+)`", listed[module])) == names, module
    registry = load_plugins().registry
    ours = {n: t for n, t in registry.problems.items() if registry.owners["problem", n].endswith("(gapless)")}
    types = {f"{one.__module__.partition('.')[0]}.{one.__name__}" for one in ours.values()}
    assert set(re.findall(r"`([\w.]+)`", listed["Problem types"])) == types
    rows = re.findall(r"^\| ([\w -]+) \| `([\w.-]+)` \| (.*) \|$", page, re.MULTILINE)
    promised = {(problem, method): re.findall(r"`(\w+)`", options) for problem, method, options in rows}
    expected = {
        ("any" if method.problem is gapless.Problem else name, method.name): list(method.options)
        for name, kind in ours.items()
        for method in registry.methods_for(kind).values()
        if method.options
    }
    for problem, name in promised:
        if problem == "your own":
            module, _, function = name.rpartition(".")
            parameters = inspect.signature(getattr(importlib.import_module(module), function)).parameters.values()
            expected[problem, name] = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    assert promised == expected


def test_fragments_have_a_known_kind_and_a_text():
    for file in (ROOT / "news").iterdir():
        if file.name != "README.md":
            assert FRAGMENT.fullmatch(file.name), file.name
            assert file.read_text("utf-8").strip(), file.name


def test_modules_of_the_framework_are_short():
    """Lines that are comments do not count: a limit on them would cost the reasons."""
    lengths = {
        file: sum(not line.lstrip().startswith("#") for line in file.read_text("utf-8").splitlines())
        for file in files(("framework/gapless",), {".py"})
    }
    assert {file: lines for file, lines in lengths.items() if lines > MAX_LINES} == {}


@pytest.mark.parametrize("root", ["framework", "plugins", "cython_ext", "tasks", "tests"])
def test_folders_hold_few_files(root):
    folders = [folder for folder in (ROOT / root, *(ROOT / root).rglob("*")) if folder.is_dir()]
    counts = {
        str(folder): sum(file.is_file() and file.suffix not in BUILT for file in folder.iterdir())
        for folder in folders
        if not {"__pycache__", "data"} & set(folder.relative_to(ROOT).parts)
    }
    assert {folder: count for folder, count in counts.items() if count > MAX_FILES} == {}


def test_page_about_trust_names_the_kernels_that_the_selftest_compares():
    page = (ROOT / "docs/explanation/trust.md").read_text("utf-8")
    names = [name.replace("edge lists", "reader of edge lists") for name in kernel_twins._KERNELS]
    assert [name for name in names if name not in page] == []
