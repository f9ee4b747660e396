"""Imports point down only.

The folders are the layers; inside ``framework/gapless`` the sub-packages are. The rules are read off the syntax
trees, so an import inside a function or under ``TYPE_CHECKING`` counts like any other, and so does a reference such
as ``"gapless_chains.viterbi:run"``.
"""

import ast
import graphlib
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

KERNELS = "gapless_kernels"
LAYERS = {
    KERNELS: 0,
    "gapless.core": 1,
    "gapless.lazy": 1,
    "gapless.svg": 1,
    "gapless.factors": 2,
    "gapless.labelling": 2,
    "gapless.lp": 2,
    "gapless.runs": 2,
    "gapless.branching": 2,
    "gapless.engine": 3,
    "gapless.scip": 3,
    "gapless.plugins": 4,
    "gapless.parallel": 2,
    "gapless.search": 4,
    "gapless.solving": 4,
    "gapless.streaming": 4,
    "gapless.cli": 4,
    "gapless.report": 4,
    "gapless.roles": 4,
    "gapless.__main__": 4,
    "gapless": 4,  # the front door: what __init__ gathers
    "gapless.testing": 5,
    "gapless.selftest": 5,
    "gapless.learn": 5,
    "gapless_dependency": 6,
    # every other package below plugins/: 7
    "gapless_pricecut": 8,  # the same Lagrangian as split-bound, with lazy scores and a linear program
    "gapless_torch": 8,  # losses on the decoders of chains and of dependency trees
    "gapless_models": 9,
    "gapless_spacy": 10,
    "gapless_tasks": 10,
    "benchmarks": 11,  # run from a clone: not in the wheel
}
REFERENCE = re.compile(r"(gapless\w*(?:\.\w+)*):\w[\w.]*")
METHODS = 7
RIM = 4

SCIP_MAY_BE_USED_BY = ("gapless.lp", "gapless.scip")


def part_of(module: str) -> str:
    """The layered part that a module belongs to: a whole package, or a sub-package (or module) of ``gapless``."""
    first, *rest = module.split(".")
    return f"{first}.{rest[0]}" if first == "gapless" and rest else first


def layer_of(part: str) -> int | None:
    """Height of a part; None for a part of ``gapless`` that has not been given a place."""
    return LAYERS.get(part) if part.startswith("gapless.") else LAYERS.get(part, METHODS)


def imported(module: str, is_package: bool, tree: ast.Module, known: Collection[str]) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.split(".")
                above = above[: len(above) - node.level + is_package]
                base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield node.lineno, inner if inner in known else base
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            reference = REFERENCE.fullmatch(node.value)
            if reference:
                yield node.lineno, reference[1]


def objections(module: str, target: str) -> Iterator[str]:
    """The reason why one module may not import another; nothing when it may."""
    source, goal = part_of(module), part_of(target)
    top = target.partition(".")[0]
    height = layer_of(source)
    if height is None:
        yield f"{source} has no place in LAYERS"
        return
    if top == "pyscipopt" and source not in SCIP_MAY_BE_USED_BY:
        yield "only gapless.lp and gapless.scip speak to SCIP"
    if top == "pluggy" and height < RIM:
        yield "pluggy stays at the rim"
    if source == KERNELS and top not in {KERNELS, "numpy", *sys.stdlib_module_names}:
        yield "the kernels know numpy and nothing else"
    if not (top in {"gapless", "benchmarks"} or top.startswith("gapless_")) or source == goal:
        return
    if source.split(".")[0] == "gapless" and top not in {"gapless", KERNELS}:
        yield "the framework does not know who plugs into it"
        return
    depth = layer_of(goal)
    if depth is None:
        yield f"{goal} has no place in LAYERS"
    elif depth > height:
        yield f"{goal} stands above {source}"
    elif depth == height and top != "gapless":
        yield f"{goal} stands beside {source}; what both need belongs below both"


def violations(trees: Mapping[str, ast.Module], inits: Collection[str]) -> list[str]:
    """One sentence for every import that points up or sideways, and one for a circle between parts."""
    found = []
    edges: dict[str, set[str]] = {}
    for module, tree in trees.items():
        for line, target in imported(module, module in inits, tree, trees):
            found += [f"{module}:{line} imports {target}: {reason}" for reason in objections(module, target)]
            if part_of(target) in LAYERS and part_of(target) != part_of(module):
                edges.setdefault(part_of(module), set()).add(part_of(target))
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError as error:
        found.append("a circle: " + " <- ".join(error.args[1]))
    return found


def check(**sources: str) -> list[str]:
    """Violations of modules given as text; a dot in a name is written as two underscores."""
    return violations({name.replace("__", "."): ast.parse(text) for name, text in sources.items()}, ())


def test_imports_point_down(modules: dict[str, Path], trees: dict[str, ast.Module]) -> None:
    inits = {name for name, file in modules.items() if file.name == "__init__.py"}
    assert violations(trees, inits) == []


def test_compiled_kernels_import_numpy_at_most(packages: dict[str, Path]) -> None:
    allowed = {KERNELS, "cython", "cpython", "libc", "numpy", *sys.stdlib_module_names}
    statement = re.compile(r"^\s*(?:from|c?import)\s+([A-Za-z_]\w*)", re.MULTILINE)
    for suffix in ("*.pyx", "*.pxd"):
        for file in packages[KERNELS].rglob(suffix):
            assert set(statement.findall(file.read_text(encoding="utf-8"))) <= allowed, file


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ({"gapless__core__x": "import gapless.engine.tree"}, "stands above gapless.core"),
        ({"gapless__core__x": "def f():\n    from gapless import solve"}, "gapless stands above"),
        ({"gapless__core__x": "from ..engine import tree"}, "gapless.engine stands above"),
        ({"gapless__lp": "from . import engine", "gapless__engine": ""}, "gapless.engine stands above"),
        ({"gapless__cli": "import gapless_chains"}, "does not know who plugs into it"),
        ({"gapless__cli": "import gapless.testing"}, "gapless.testing stands above"),
        ({"gapless__engine__x": "import pyscipopt"}, "speak to SCIP"),
        ({"gapless_chains": "from pyscipopt import Model"}, "speak to SCIP"),
        ({"gapless__engine__x": "import pluggy"}, "at the rim"),
        ({"gapless_kernels__x": "import gapless.core"}, "numpy and nothing else"),
        ({"gapless_kernels__x": "import scipy"}, "numpy and nothing else"),
        ({"gapless_chains": "import gapless_linking"}, "stands beside"),
        ({"gapless_chains__plugin": "RUN = 'gapless_linking.exact:run'"}, "stands beside"),
        ({"gapless_dependency": "import gapless_splitbound"}, "stands above"),
        ({"gapless_chains": "from gapless_models import x"}, "stands above"),
        ({"gapless_models__x": "import gapless_tasks.options"}, "stands above"),
        ({"gapless_tasks__x": "from benchmarks import chains"}, "stands above"),
        ({"gapless_models__x": "import benchmarks"}, "stands above"),
        ({"gapless__misc": "import gapless.core"}, "gapless.misc has no place"),
        ({"gapless__engine": "import gapless.scip", "gapless__scip": "import gapless.engine"}, "a circle"),
    ],
)
def test_a_wrong_import_is_caught(sources: dict[str, str], words: str) -> None:
    assert any(words in sentence for sentence in check(**sources))


@pytest.mark.parametrize(
    "sources",
    [
        {"gapless__lp": "import pyscipopt, numpy\nfrom .core import Fixings", "gapless__core": ""},
        {"gapless__core__x": "import gapless_kernels", "gapless__core__y": "from . import x\nfrom .x import z"},
        {
            "gapless__cli": "from gapless import solving\nimport gapless",
            "gapless__solving": "import gapless.plugins",
        },
        {"gapless__testing": "import gapless, gapless.scip.export"},
        {"gapless_splitbound": "import gapless_dependency, gapless.testing, gapless_kernels"},
        {"gapless_models": "import gapless_chains, gapless, sklearn"},
        {"gapless_tasks": "import gapless_models, gapless_chains, gapless, rich"},
        {"benchmarks": "import gapless_tasks, gapless_models, gapless, highspy"},
    ],
)
def test_a_right_import_is_left_alone(sources: dict[str, str]) -> None:
    assert check(**sources) == []
