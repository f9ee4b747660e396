"""Every compiled function has a twin with the same signature; each room is listed, described, and loaded alone."""

import ast
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gapless_kernels

ROOT = Path(__file__).parents[2]
PACKAGE = Path(gapless_kernels.__file__).parent
KERNELS = sorted(PACKAGE.glob("*/_*.pyx"))
ROOMS = sorted({file.parent.name for file in KERNELS})
TWINLESS = {
    "parsing/_eisner_backbone": "gapless_dependency.TreeMaximiser is its reference, see tests/dependency",
    "paths/_walk_backbone": "gapless_ordering.WalkMaximiser is its reference, see tests/ordering/test_backbone.py",
    "choices/_alternatives": "gapless_dependency.LabelledTreeMaximiser is its reference, see tests/dependency",
    "trees/_tree_backbone": "gapless_chains.TreeLabelMaximiser is its reference, see tests/chains",
    "choices/_choice_groups": "enumeration is its reference, see tests/kernels/test_search.py",
    "search/_record": "the formula of the bound is its reference, see tests/kernels/test_split_bound.py",
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
# The rooms that another may load: for its messages of arguments, its tables, the choice of an instruction set.
STANDS_ON = {
    "arborescences": {"parsing"},
    "column_generation": {"chains"},
    "linking": {"chains"},
    "paths": {"chains"},
    "sparse_chains": {"chains"},
}


def name(file: Path) -> str:
    return file.relative_to(PACKAGE).with_suffix("").as_posix()


def stubs(file: Path) -> Iterator[ast.FunctionDef]:
    """The functions that a stub declares, those apart that have nothing to be twin of."""
    for node in ast.parse(file.with_suffix(".pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name not in COMPILED_ONLY:
            yield node


def twins(room: str) -> dict[str, Any]:
    """The public functions of a room's twins, by name."""
    modules = [importlib.import_module(f"gapless_kernels.{room}.{file.stem}") for file in twin_files(room)]
    return {
        key: value
        for module in modules
        for key, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not key.startswith("_")
        if key in getattr(module, "__all__", [key])
    }


def twin_files(room: str) -> list[Path]:
    return sorted((PACKAGE / room).glob("_*_twin.py"))


def parameters(function: Any) -> list[tuple[str, str, Any]]:
    """Name, kind and default of each parameter."""
    found = inspect.signature(function).parameters.values()
    return [(one.name, one.kind.name, one.default) for one in found]


def declared(node: ast.FunctionDef) -> list[tuple[str, str, Any]]:
    """The same of a declaration; a default that the stub leaves open is the string "..."."""

    def default(value: ast.expr | None) -> Any:
        if value is None:
            return inspect.Parameter.empty
        if isinstance(value, ast.Constant) and value.value is ...:
            return "..."
        return eval(compile(ast.Expression(value), "stub", "eval"), {})

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


def alike(stub: list[tuple[str, str, Any]], other: list[tuple[str, str, Any]]) -> bool:
    """Whether two lists of parameters are one, where a stub may leave a default open."""
    return len(stub) == len(other) and all(
        ours[:2] == theirs[:2]
        and (ours[2] == theirs[2] or (ours[2] == "..." and theirs[2] is not inspect.Parameter.empty))
        for ours, theirs in zip(stub, other, strict=True)
    )


def run(code: str, **environment: str) -> Any:
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


def test_all_kernels_are_looked_at() -> None:
    assert set(ROOMS) - {"lanes"} == {*gapless_kernels._ROOMS, "choices", "diagrams"}


@pytest.mark.parametrize("file", KERNELS, ids=name)
def test_every_kernel_has_a_stub_and_a_twin(file: Path) -> None:
    assert file.with_suffix(".pyi").is_file()
    twin = file.with_name(f"{file.stem}_twin.py")
    assert twin.is_file() is (name(file) not in TWINLESS)


@pytest.mark.parametrize("room", ROOMS)
def test_stub_and_twin_have_one_signature(room: str) -> None:
    ours = {node.name: node for file in sorted((PACKAGE / room).glob("_*.pyx")) for node in stubs(file)}
    theirs = twins(room)
    assert set(ours) == set(theirs)
    for key, node in ours.items():
        assert alike(declared(node), parameters(theirs[key])), f"{key}: {inspect.signature(theirs[key])}"


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@pytest.mark.parametrize("file", KERNELS, ids=name)
def test_stub_and_compiled_function_have_one_signature(file: Path) -> None:
    module: ModuleType = importlib.import_module("gapless_kernels." + name(file).replace("/", "."))
    for node in stubs(file):
        found = inspect.signature(getattr(module, node.name)).parameters
        assert list(found) == [key for key, _, _ in declared(node)], node.name


def test_a_difference_is_seen() -> None:
    stub, *_ = ast.parse("def f(a: int, b: int = ..., *, c: int = 3) -> None: ...").body
    assert isinstance(stub, ast.FunctionDef)
    assert alike(declared(stub), parameters(lambda a, b=2, *, c=3: None))
    for other in (lambda a, b=2, *, c=4: None, lambda a, b, *, c=3: None, lambda a, b=2, c=3: None, lambda a: None):
        assert not alike(declared(stub), parameters(other))


@pytest.mark.parametrize("pure", ["0", "1"])
def test_names_of_the_package_are_those_of_its_rooms(pure: str) -> None:
    if not gapless_kernels.COMPILED and pure == "0":
        pytest.skip("GAPLESS_PURE=1")
    code = """
import importlib, json
import gapless_kernels
before, rooms = dir(gapless_kernels), gapless_kernels._ROOMS
from gapless_kernels import *
imported = [name for name in gapless_kernels.__all__ if name in globals()]
listed = {room: sorted(importlib.import_module(f"gapless_kernels.{room}").__all__) for room in rooms}
table = {room: sorted(names) for room, names in rooms.items()}
print(json.dumps([before, imported, gapless_kernels.__all__, listed, table]))
"""
    before, imported, names, listed, rooms = run(code, GAPLESS_PURE=pure)
    assert set(names) <= set(before)
    assert imported == names
    assert listed == rooms


@pytest.mark.parametrize("room", sorted(gapless_kernels._ROOMS))
def test_a_room_loads_no_other_that_it_does_not_stand_on(room: str) -> None:
    code = f"""
import json, sys
import gapless_kernels.{room}
names = {{name.split(".")[1] for name in sys.modules if name.startswith("gapless_kernels.")}}
print(json.dumps(sorted(name for name in names if not name.startswith("_"))))
"""
    assert set(run(code)) - {room, "lanes"} <= STANDS_ON.get(room, set())


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "lanes"])
def test_the_readme_of_a_room_names_its_files(room: str) -> None:
    folder = ROOT / "cython_ext/gapless_kernels" / room
    text = (folder / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+\.(?:pyx|py|h))`", text))
    files = {file.name for file in folder.iterdir()}
    assert named <= files | {file.name for file in Path(__file__).parent.iterdir()}
    assert {file for file in files if file.endswith((".py", ".pyx")) and file != "__init__.py"} <= named
    places = [folder / link for link in re.findall(r"\]\(([^)#:]+)\)", text) if "lanes" not in link]
    places += [ROOT / test for test in re.findall(r"\btests/[\w/]+(?:\.py)?", text)]
    assert [place for place in places if not place.exists()] == []


def test_the_package_alone_loads_no_room() -> None:
    code = """
import json, sys
import gapless_kernels
print(json.dumps(sorted(name for name in sys.modules if name.startswith("gapless_kernels."))))
"""
    assert run(code) == ["gapless_kernels._choice", "gapless_kernels._status"]
