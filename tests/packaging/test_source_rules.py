"""Rules of the house that a syntax tree can show."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

UNSAFE_MODULES = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle"}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}
ONE_SITTING = 450


def unsafe(tree: ast.Module) -> Iterator[str]:
    """Line and name of everything that could turn data, such as a result read from a file, into code."""
    for node in ast.walk(tree):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [alias.name.split(".")[0] for alias in node.names]
            case ast.ImportFrom():
                names = [(node.module or "").split(".")[0]] if not node.level else []
                names += [alias.name for alias in node.names if node.module == "builtins"]
            case ast.Call(func=ast.Name(id=name)) if name in UNSAFE_CALLS:
                names = [name]
            case ast.Call(keywords=keywords):
                names = [
                    word.arg
                    for word in keywords
                    if word.arg in {"allow_pickle", "shell"}
                    and not (isinstance(word.value, ast.Constant) and word.value.value is False)
                ]
        for name in names:
            if name in UNSAFE_MODULES | UNSAFE_CALLS | {"allow_pickle", "shell"}:
                yield f"line {getattr(node, 'lineno', 0)}: {name}"


def test_data_never_becomes_code(trees: dict[str, ast.Module]) -> None:
    found = {name: list(unsafe(tree)) for name, tree in trees.items()}
    assert {name: places for name, places in found.items() if places} == {}


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
    ],
)
def test_unsafe_code_is_caught(text: str) -> None:
    assert list(unsafe(ast.parse(text)))


@pytest.mark.parametrize("text", ["re.compile('a')", "np.load(path, allow_pickle=False)", "model.eval()"])
def test_safe_code_is_left_alone(text: str) -> None:
    assert not list(unsafe(ast.parse(text)))


def test_the_framework_reads_in_one_sitting(packages: dict[str, Path]) -> None:
    lengths = {
        str(file): len(file.read_text(encoding="utf-8").splitlines()) for file in packages["gapless"].rglob("*.py")
    }
    assert {file: lines for file, lines in lengths.items() if lines > ONE_SITTING} == {}
