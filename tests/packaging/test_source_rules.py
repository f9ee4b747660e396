"""Rules of the house that a syntax tree can show."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

UNSAFE_MODULES = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle"}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}
UNSAFE_METHODS = {
    *(
        "builtins.eval",
        "builtins.exec",
        "os.system",
        "os.popen",
        "joblib.load",
        "pandas.read_pickle",
        "pd.read_pickle",
    ),
    *("yaml.load", "yaml.load_all", "yaml.full_load", "yaml.unsafe_load", "jsonpickle.decode"),
}
SAID_SAFE = {"np.load": "allow_pickle", "numpy.load": "allow_pickle", "torch.load": "weights_only"}
"""Calls that must say by a keyword that they read data alone, whatever their default is."""
UNSAFE_VALUES = {"allow_pickle": True, "shell": True, "weights_only": False}
ROOTS = ("framework", "plugins", "cython_ext", "tasks", "docs")
ONE_SITTING = 450
MOST_FILES = 40
BUILT = {".c", ".so", ".pyd", ".pyc", ".pyo"}
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
CYTHON = re.compile(
    rf"^\s*(?:from|c?import)\s+({'|'.join(sorted(UNSAFE_MODULES))})\b|(?<![\w.])({'|'.join(sorted(UNSAFE_CALLS))})\s*\(",
    re.MULTILINE,
)


def unsafe(tree: ast.Module) -> Iterator[str]:
    """Line and name of everything that could turn data, such as a result read from a file, into code."""
    for node in ast.walk(tree):
        names: list[str] = []
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


def _unsafe_call(node: ast.Call) -> Iterator[str]:
    called = ast.unparse(node.func)
    if called in UNSAFE_CALLS | UNSAFE_METHODS:
        yield called
    keywords = {word.arg: word.value for word in node.keywords if word.arg}
    if called in SAID_SAFE and SAID_SAFE[called] not in keywords:
        yield f"{called} without {SAID_SAFE[called]}"
    for name, wrong in UNSAFE_VALUES.items():
        value = keywords.get(name)
        if value is not None and not (isinstance(value, ast.Constant) and value.value is (not wrong)):
            yield name


def sources(repository: Path) -> Iterator[tuple[str, ast.Module]]:
    """Every Python file but the tests, build scripts and examples included, and every Python block of the docs."""
    for file in (file for root in ROOTS for file in sorted((repository / root).rglob("*.py"))):
        yield str(file.relative_to(repository)), ast.parse(file.read_text(encoding="utf-8"))
    for file in [*sorted((repository / "docs").rglob("*.md")), repository / "README.md"]:
        for block in BLOCK.findall(file.read_text(encoding="utf-8")):
            yield str(file.relative_to(repository)), ast.parse(block)


def test_data_never_becomes_code(repository: Path) -> None:
    found = [f"{name}, {place}" for name, tree in sources(repository) for place in unsafe(tree)]
    assert found == []


def test_kernels_have_no_unsafe_code(repository: Path) -> None:
    files = [file for suffix in ("*.pyx", "*.pxd") for file in (repository / "cython_ext").rglob(suffix)]
    assert files
    found = {file.name: CYTHON.findall(file.read_text(encoding="utf-8")) for file in files}
    assert {name: places for name, places in found.items() if places} == {}


@pytest.mark.parametrize("text", ["from pickle cimport x", "    import marshal\n", "x = eval(text)"])
def test_unsafe_cython_is_caught(text: str) -> None:
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
def test_unsafe_code_is_caught(text: str) -> None:
    assert list(unsafe(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    ["re.compile('a')", "np.load(path, allow_pickle=False)", "model.eval()", "torch.load(path, weights_only=True)"],
)
def test_safe_code_is_left_alone(text: str) -> None:
    assert not list(unsafe(ast.parse(text)))


def test_the_framework_reads_in_one_sitting(packages: dict[str, Path]) -> None:
    lengths = {
        str(file): len(file.read_text(encoding="utf-8").splitlines()) for file in packages["gapless"].rglob("*.py")
    }
    assert {file: lines for file, lines in lengths.items() if lines > ONE_SITTING} == {}


def crowded(top: Path) -> dict[str, int]:
    """Folders below `top`, itself included, that hold too many files of source: what is built or cached is not."""
    folders = [top, *(folder for folder in top.rglob("*") if folder.is_dir())]
    counts = {
        str(folder): sum(file.is_file() and file.suffix not in BUILT for file in folder.iterdir())
        for folder in folders
        if not {"__pycache__", "data"} & set(folder.relative_to(top).parts)
    }
    return {folder: count for folder, count in counts.items() if count > MOST_FILES}


@pytest.mark.parametrize("root", ["framework", "plugins", "cython_ext", "tasks", "tests"])
def test_no_folder_is_crowded(root: str, repository: Path) -> None:
    assert crowded(repository / root) == {}


def test_a_crowded_folder_is_seen(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 1):
        (tmp_path / f"{number}.h").touch()
        (tmp_path / f"{number}.c").touch()
    assert crowded(tmp_path) == {str(tmp_path): MOST_FILES + 1}
    (tmp_path / "0.h").unlink()
    assert crowded(tmp_path) == {}
