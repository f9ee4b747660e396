"""Rules of the house that a syntax tree can show."""

import ast
import re

import pytest
from syntax import dotted, parsed

UNSAFE_MODULES = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle"}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}
UNSAFE_METHODS = {
    *("builtins.eval", "builtins.exec", "os.system", "os.popen", "joblib.load", "pandas.read_pickle"),
    *("pd.read_pickle",),
    *("yaml.load", "yaml.load_all", "yaml.full_load", "yaml.unsafe_load", "jsonpickle.decode"),
}
SAID_SAFE = {"np.load": "allow_pickle", "numpy.load": "allow_pickle", "torch.load": "weights_only"}
"""Calls that must say by a keyword that they read data alone, whatever their default is."""
UNSAFE_VALUES = {"allow_pickle": True, "shell": True, "weights_only": False}
ROOTS = ("framework", "plugins", "cython_ext", "tasks", "docs")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
CYTHON = re.compile(
    rf"^\s*(?:from|c?import)\s+({'|'.join(sorted(UNSAFE_MODULES))})\b|(?<![\w.])({'|'.join(sorted(UNSAFE_CALLS))})\s*\(",
    re.MULTILINE,
)


def unsafe(tree):
    """Line and name of everything that could turn data, such as a result read from a file, into code."""
    for node in ast.walk(tree):
        names = []
        match node:
            case ast.Import():
                names = [alias.name.split(".")[0] for alias in node.names]
                names = [name for name in names if name in UNSAFE_MODULES]
            case ast.ImportFrom():
                module = node.module or "" if not node.level else ""
                inner = [f"{module}.{alias.name}" for alias in node.names]
                names = [module] if module.split(".")[0] in UNSAFE_MODULES else []
                names += [name for name in inner if name in UNSAFE_METHODS or name.startswith("builtins.")]
            case ast.Call():
                names = list(_unsafe_call(node))
        for name in names:
            yield f"line {getattr(node, 'lineno', 0)}: {name}"


def _unsafe_call(node):
    called = dotted(node.func)
    if called in UNSAFE_CALLS | UNSAFE_METHODS:
        yield called
    keywords = {word.arg: word.value for word in node.keywords if word.arg}
    if called in SAID_SAFE and SAID_SAFE[called] not in keywords:
        yield f"{called} without {SAID_SAFE[called]}"
    for name, wrong in UNSAFE_VALUES.items():
        value = keywords.get(name)
        if value is not None and not (isinstance(value, ast.Constant) and value.value is (not wrong)):
            yield name


def sources(repository):
    """Every Python file but the tests, build scripts and examples included, and every Python block of the docs."""
    for file in (file for root in ROOTS for file in sorted((repository / root).rglob("*.py"))):
        yield str(file.relative_to(repository)), parsed(file)
    for file in [*sorted((repository / "docs").rglob("*.md")), repository / "README.md"]:
        for block in BLOCK.findall(file.read_text(encoding="utf-8")):
            yield str(file.relative_to(repository)), ast.parse(block)


def test_data_never_becomes_code(repository):
    found = [f"{name}, {place}" for name, tree in sources(repository) for place in unsafe(tree)]
    assert found == []


def test_kernels_have_no_unsafe_code(repository):
    files = [file for suffix in ("*.pyx", "*.pxd") for file in (repository / "cython_ext").rglob(suffix)]
    assert files
    found = {file.name: CYTHON.findall(file.read_text(encoding="utf-8")) for file in files}
    assert {name: places for name, places in found.items() if places} == {}


@pytest.mark.parametrize("text", ["from pickle cimport x", "    import marshal\n", "x = eval(text)"])
def test_unsafe_cython_is_caught(text):
    assert CYTHON.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "def f():\n    from cloudpickle import loads",
        "eval('1')",
        "exec(text)",
        "from builtins import eval as harmless",
        "np.load(path, allow_pickle=True)",
        "subprocess.run(text, shell=wanted)",
        "np.load(path)",
        "builtins.eval(text)",
        "os.system(text)",
        "joblib.load(path)",
        "from joblib import load",
        "yaml.load(text, Loader=yaml.SafeLoader)",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
    ],
)
def test_unsafe_code_is_caught(text):
    assert list(unsafe(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    ["re.compile('a')", "np.load(path, allow_pickle=False)", "model.eval()", "torch.load(path, weights_only=True)"],
)
def test_safe_code_is_left_alone(text):
    assert not list(unsafe(ast.parse(text)))
