"""Compiled functions have twins with the same signature; subpackages are listed, described, and loaded alone."""

import ast
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gapless_kernels
from gapless_kernels import _lazy

ROOT = Path(__file__).parents[2]
PACKAGE = Path(gapless_kernels.__file__).parent
KERNELS = sorted(PACKAGE.glob("*/_*.pyx"))
SUBPACKAGES = sorted({file.parent.name for file in KERNELS})
LISTED = sorted({home.split(".")[1] for home in _lazy._HOME_OF.values()})
TWINLESS = {
    "parsing/_eisner_backbone": "gapless_dependency.TreeMaximiser is its reference, see tests/dependency",
    "paths/_walk_backbone": "gapless_ordering.WalkMaximiser is its reference, see tests/ordering/test_backbone.py",
    "choices/_alternatives": "gapless_dependency.LabelledTreeMaximiser is its reference, see tests/dependency",
    "trees/_tree_backbone": "gapless_chains.TreeLabelMaximiser is its reference, see tests/chains",
    "choices/_choice_groups": "enumeration is its reference, see tests/kernels/test_search.py",
    "search/_search": "the readable search is its reference, see tests/splitbound",
    "search/_trees": "the kernels of trees have twins",
    "lanes/_sets": "chooses the instruction set of compiled code",
}
COMPILED_ONLY = {
    "instruction_sets": "a twin has none",
    "choose_instruction_set": "a twin has none",
    "chosen_instruction_set": "a twin has none",
    "read_past_end": "proves that the checked build checks",
}
# The subpackages that another may load: for checks of arguments, tables, the choice of an instruction set.
NEEDS = {
    "arborescences": {"parsing"},
    "column_generation": {"chains"},
    "linking": {"chains"},
    "paths": {"chains"},
    "sparse_chains": {"chains"},
}


def name(file):
    return file.relative_to(PACKAGE).with_suffix("").as_posix()


def stubs(file):
    """Parameters of the functions that a stub declares or takes from twins, except those that have no twin."""
    found = {}
    for node in ast.parse(file.with_suffix(".pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = declared(node)
        elif isinstance(node, ast.ImportFrom) and str(node.module).endswith("_twin"):
            twin = importlib.import_module(str(node.module))
            names = twin.__all__ if node.names[0].name == "*" else [alias.name for alias in node.names]
            found |= {key: parameters(getattr(twin, key)) for key in names if callable(getattr(twin, key))}
    return {key: value for key, value in found.items() if key not in COMPILED_ONLY}


def twins(subpackage):
    """The public functions of a subpackage's twins, by name."""
    modules = [
        importlib.import_module(f"gapless_kernels.{subpackage}.{file.stem}") for file in twin_files(subpackage)
    ]
    return {
        key: value
        for module in modules
        for key, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not key.startswith("_")
        if key in getattr(module, "__all__", [key])
    }


def twin_files(subpackage):
    return sorted((PACKAGE / subpackage).glob("_*_twin.py"))


def parameters(function):
    """Name, kind and default of each parameter."""
    found = inspect.signature(function).parameters.values()
    return [(one.name, one.kind.name, one.default) for one in found]


def declared(node):
    """The same of a declaration; a default that the stub leaves open is the string "..."."""

    def default(value: ast.expr | None) -> Any:
        if value is None:
            return inspect.Parameter.empty
        if isinstance(value, ast.Constant) and value.value is ...:
            return "..."
        return eval(compile(ast.Expression(value), "stub", "eval"), {"np": np})

    plain = node.args.args
    first = len(plain) - len(node.args.defaults)
    defaults = [None] * first + list(node.args.defaults)
    return [
        *((one.arg, "POSITIONAL_OR_KEYWORD", default(value)) for one, value in zip(plain, defaults, strict=True)),
        *(
            (one.arg, "KEYWORD_ONLY", default(value))
            for one, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        ),
    ]


def alike(stub, other):
    """Whether two lists of parameters are one, where a stub may leave a default open."""
    return len(stub) == len(other) and all(
        ours[:2] == theirs[:2]
        and (ours[2] == theirs[2] or (ours[2] == "..." and theirs[2] is not inspect.Parameter.empty))
        for ours, theirs in zip(stub, other, strict=True)
    )


def run(code, **environment):
    """The JSON that another interpreter prints."""
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_subpackages_with_kernels_are_listed() -> None:
    assert set(SUBPACKAGES) - {"lanes"} == {*LISTED, "choices", "diagrams"}


@pytest.mark.parametrize("file", KERNELS, ids=name)
def test_kernel_has_a_stub_and_a_twin(file):
    assert file.with_suffix(".pyi").is_file()
    twin = file.with_name(f"{file.stem}_twin.py")
    assert twin.is_file() is (name(file) not in TWINLESS)


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_stub_and_twin_have_one_signature(subpackage):
    ours = {
        key: value for file in sorted((PACKAGE / subpackage).glob("_*.pyx")) for key, value in stubs(file).items()
    }
    theirs = twins(subpackage)
    assert set(ours) == set(theirs)
    for key, stub in ours.items():
        assert alike(stub, parameters(theirs[key])), f"{key}: {inspect.signature(theirs[key])}"


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@pytest.mark.parametrize("file", KERNELS, ids=name)
def test_stub_and_compiled_function_have_one_signature(file):
    module = importlib.import_module("gapless_kernels." + name(file).replace("/", "."))
    for key, stub in stubs(file).items():
        assert list(inspect.signature(getattr(module, key)).parameters) == [name for name, _, _ in stub], key


@pytest.mark.parametrize("file", [file for file in KERNELS if name(file) not in TWINLESS], ids=name)
def test_package_exports_the_version_in_use(file):
    assert (os.environ.get("GAPLESS_PURE") != "1") == gapless_kernels.COMPILED
    subpackage = file.parent.name
    module = (
        importlib.import_module(f"gapless_kernels.{subpackage}.{file.stem}") if gapless_kernels.COMPILED else None
    )
    for key in stubs(file).keys() & _lazy._HOME_OF.keys():
        assert getattr(gapless_kernels, key) is (getattr(module, key) if module else twins(subpackage)[key])


def test_signature_comparison_sees_differences():
    stub, *_ = ast.parse("def f(a: int, b: int = ..., *, c: int = 3) -> None: ...").body
    assert isinstance(stub, ast.FunctionDef)
    assert alike(declared(stub), parameters(lambda a, b=2, *, c=3: None))
    for other in (lambda a, b=2, *, c=4: None, lambda a, b, *, c=3: None, lambda a, b=2, c=3: None, lambda a: None):
        assert not alike(declared(stub), parameters(other))


@pytest.mark.parametrize("pure", ["0", "1"])
def test_package_names_are_those_of_its_subpackages(pure):
    if not gapless_kernels.COMPILED and pure == "0":
        pytest.skip("GAPLESS_PURE=1")
    code = """
import importlib, json
import gapless_kernels
from gapless_kernels import _lazy
before = dir(gapless_kernels)
from gapless_kernels import *
imported = [name for name in gapless_kernels.__all__ if name in globals()]
homes = sorted({home.split(".")[1] for home in _lazy._HOME_OF.values()})
listed = {name for home in homes for name in importlib.import_module(f"gapless_kernels.{home}").__all__}
print(json.dumps([before, imported, gapless_kernels.__all__, sorted(listed)]))
"""
    before, imported, names, listed = run(code, GAPLESS_PURE=pure)
    assert set(names) <= set(before)
    assert imported == names
    assert listed == sorted(_lazy._HOME_OF)
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body
    modules = {
        node.module.removesuffix("_twin") for node in stub if isinstance(node, ast.ImportFrom) and node.module
    }
    assert {home.removesuffix("_twin") for home in _lazy._HOME_OF.values()} <= modules


@pytest.mark.parametrize("subpackage", LISTED)
def test_subpackage_loads_no_other_that_it_does_not_need(subpackage: str) -> None:
    code = f"""
import json, sys
from gapless_kernels.{subpackage} import *
names = {{name.split(".")[1] for name in sys.modules if name.startswith("gapless_kernels.")}}
print(json.dumps(sorted(name for name in names if not name.startswith("_"))))
"""
    assert set(run(code)) - {subpackage, "lanes"} <= NEEDS.get(subpackage, set())


@pytest.mark.parametrize("subpackage", [subpackage for subpackage in SUBPACKAGES if subpackage != "lanes"])
def test_readme_of_a_subpackage_names_its_files(subpackage):
    folder = ROOT / "cython_ext/gapless_kernels" / subpackage
    text = (folder / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+\.(?:pyx|py|h))`", text))
    files = {file.name for file in folder.iterdir()}
    assert named <= files | {file.name for file in Path(__file__).parent.iterdir()}
    assert {file for file in files if file.endswith((".py", ".pyx")) and file != "__init__.py"} <= named
    places = [folder / link for link in re.findall(r"\]\(([^)#:]+)\)", text) if "lanes" not in link]
    places += [ROOT / test for test in re.findall(r"\btests/[\w/]+(?:\.py)?", text)]
    assert [place for place in places if not place.exists()] == []


def test_package_alone_loads_no_subpackage():
    code = """
import json, sys
import gapless_kernels
print(json.dumps(sorted(name for name in sys.modules if name.startswith("gapless_kernels."))))
"""
    assert run(code) == [f"gapless_kernels.{name}" for name in ("_choice", "_lazy", "_status")]
