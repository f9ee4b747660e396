"""Imports point down only.

The folders are the layers; inside ``framework/gapless`` the sub-packages are. The rules are read off the syntax
trees, so an import inside a function or under ``TYPE_CHECKING`` counts like any other, and so does a reference such
as ``"gapless_chains.viterbi:run"``.
"""

import ast
import graphlib
import re
import sys

import pytest

KERNELS = "gapless_kernels"
# The rooms of framework/gapless from the ground up: each imports only what stands before it.
ROOMS = (
    "errors", "sense", "lazy", "svg", "notebook", "arrays", "limits", "decisions", "oracles", "factors", "problems",
    "certificates", "results", "plugins", "tree_search", "column_generation", "rcsp", "search", "scip", "parallel",
    "runs", "solving", "streaming", "roles", "report",
)  # fmt: skip
FRAMEWORK = [*("gapless." + room for room in ROOMS), "gapless", "gapless.cli", "gapless.__main__"]
# What is built with the whole framework.
ABOVE = {
    "gapless.learn": 0,
    "gapless.testing": 0,
    "gapless.selftest": 1,
    "gapless_dependency": 2,
    # every other package below plugins/: 3
    "gapless_pricecut": 4,  # the same Lagrangian as split-bound, with lazy scores and a linear program
    "gapless_torch": 4,  # losses on the decoders of chains and of dependency trees
    "gapless_models": 5,
    "gapless_spacy": 6,
    "gapless_tasks": 6,
    "benchmarks": 7,  # run from a clone: not in the wheel
}
LAYERS = {
    KERNELS: 0,
    **{part: 1 + height for height, part in enumerate(FRAMEWORK)},
    **{part: 1 + len(FRAMEWORK) + height for part, height in ABOVE.items()},
}
REFERENCE = re.compile(r"(gapless\w*(?:\.\w+)*):\w[\w.]*")
METHODS = LAYERS["gapless_dependency"] + 1
RIM = LAYERS["gapless.plugins"]

SCIP_MAY_BE_USED_BY = ("gapless.column_generation.master", "gapless.scip")


def part_of(module):
    """The layered part that a module belongs to: a whole package, or a sub-package (or module) of ``gapless``."""
    first, *rest = module.split(".")
    return f"{first}.{rest[0]}" if first == "gapless" and rest else first


def layer_of(part):
    """Height of a part; None for a part of ``gapless`` that has not been given a place."""
    return LAYERS.get(part) if part.startswith("gapless.") else LAYERS.get(part, METHODS)


def imported(module, is_package, tree, known):
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


def objections(module, target):
    """The reason why one module may not import another; nothing when it may."""
    source, goal = part_of(module), part_of(target)
    top = target.partition(".")[0]
    height = layer_of(source)
    if height is None:
        yield f"{source} has no place in LAYERS"
        return
    if top == "pyscipopt" and not module.startswith(SCIP_MAY_BE_USED_BY):
        yield "only gapless.column_generation.master and gapless.scip speak to SCIP"
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


def violations(trees, inits):
    """One sentence for every import that points up or sideways, and one for a circle between parts."""
    found = []
    edges = {}
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


def check(**sources):
    """Violations of modules given as text; a dot in a name is written as two underscores."""
    return violations({name.replace("__", "."): ast.parse(text) for name, text in sources.items()}, ())


def test_imports_point_down(modules, trees):
    inits = {name for name, file in modules.items() if file.name == "__init__.py"}
    assert violations(trees, inits) == []


def test_compiled_kernels_import_numpy_at_most(packages):
    allowed = {KERNELS, "cython", "cpython", "libc", "numpy", *sys.stdlib_module_names}
    statement = re.compile(r"^\s*(?:from|c?import)\s+([A-Za-z_]\w*)", re.MULTILINE)
    for suffix in ("*.pyx", "*.pxd"):
        for file in packages[KERNELS].rglob(suffix):
            assert set(statement.findall(file.read_text(encoding="utf-8"))) <= allowed, file


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ({"gapless__problems__x": "import gapless.search.driver"}, "stands above gapless.problems"),
        ({"gapless__problems__x": "def f():\n    from gapless import solve"}, "gapless stands above"),
        ({"gapless__problems__x": "from ..search import driver"}, "gapless.search stands above"),
        ({"gapless__rcsp": "from . import search", "gapless__search": ""}, "gapless.search stands above"),
        ({"gapless__cli": "import gapless_chains"}, "does not know who plugs into it"),
        ({"gapless__cli": "import gapless.testing"}, "gapless.testing stands above"),
        ({"gapless__search__x": "import pyscipopt"}, "speak to SCIP"),
        ({"gapless_chains": "from pyscipopt import Model"}, "speak to SCIP"),
        ({"gapless__results__x": "import pluggy"}, "at the rim"),
        ({"gapless_kernels__x": "import gapless.problems"}, "numpy and nothing else"),
        ({"gapless_kernels__x": "import scipy"}, "numpy and nothing else"),
        ({"gapless_chains": "import gapless_linking"}, "stands beside"),
        ({"gapless_chains__plugin": "RUN = 'gapless_linking.exact:run'"}, "stands beside"),
        ({"gapless_dependency": "import gapless_splitbound"}, "stands above"),
        ({"gapless_chains": "from gapless_models import x"}, "stands above"),
        ({"gapless_models__x": "import gapless_tasks.options"}, "stands above"),
        ({"gapless_tasks__x": "from benchmarks import chains"}, "stands above"),
        ({"gapless_models__x": "import benchmarks"}, "stands above"),
        ({"gapless__misc": "import gapless.problems"}, "gapless.misc has no place"),
        ({"gapless__search": "import gapless.scip", "gapless__scip": "import gapless.search"}, "a circle"),
    ],
)
def test_a_wrong_import_is_caught(sources, words):
    assert any(words in sentence for sentence in check(**sources))


@pytest.mark.parametrize(
    "sources",
    [
        {"gapless__scip": "import pyscipopt, numpy\nfrom .decisions import Fixings", "gapless__decisions": ""},
        {"gapless__limits__x": "import gapless_kernels", "gapless__limits__y": "from . import x\nfrom .x import z"},
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
def test_a_right_import_is_left_alone(sources):
    assert check(**sources) == []
