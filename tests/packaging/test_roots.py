"""The folders that hold our packages are not packages themselves.

A folder on ``sys.path`` is importable even without an ``__init__.py``; ``plugins.gapless_chains`` would then be
a second copy of ``gapless_chains``, and ``isinstance`` and plug-in discovery take two copies of a class for two
classes.
"""

import json
import subprocess
import sys
from pathlib import Path

from setuptools import find_packages

FOLDERS = ("framework", "plugins", "tasks", "cython_ext", "tests", "docs")

LOCATE = """
import importlib.util, json, sys
specs = [spec for name in sys.argv[1:] if (spec := importlib.util.find_spec(name))]
print(json.dumps([place for spec in specs for place in (spec.submodule_search_locations or [spec.origin])]))
"""


def located(repository, folder, *names):
    """Find where a fresh interpreter, started in a folder, would import names from: those places that are ours."""
    command = [sys.executable, "-c", LOCATE, *names]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    folders = {repository / name for name in FOLDERS}
    places = [Path(place).resolve() for place in json.loads(answer.stdout)]
    return [place for place in places if folders & {place, *place.parents}]


def test_folders_are_no_packages_and_not_importable(repository, tmp_path):
    assert not [folder for folder in FOLDERS if (repository / folder / "__init__.py").exists()]
    assert located(repository, tmp_path, *FOLDERS) == []


def test_imports_hold_beside_a_clone(tmp_path):
    (tmp_path / "gapless" / "docs").mkdir(parents=True)
    code = "import gapless, gapless_chains; print(gapless.solve, gapless.__file__)"
    answer = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert str(tmp_path) not in answer.stdout


def test_the_trap_is_seen_when_it_is_set(repository):
    assert located(repository, repository, "plugins") != []


def test_this_process_does_not_see_the_repository(repository):
    assert repository not in {Path(entry).resolve() for entry in sys.path}, (
        "the repository's root is on sys.path: run `pytest`, not `python -m pytest`"
    )
    doubles = [
        name for name in sys.modules if name.startswith(tuple(f"{folder}.gapless" for folder in FOLDERS[:4]))
    ]
    assert doubles == []


def test_every_folder_of_modules_is_a_package(modules):
    bare = sorted({str(file.parent) for file in modules.values() if not (file.parent / "__init__.py").exists()})
    assert bare == []


def test_every_package_says_that_it_is_typed(repository, packages):
    folders = {init.parent.name for root in FOLDERS[:4] for init in (repository / root).glob("*/__init__.py")}
    assert folders - {"benchmarks"} == set(packages)  # they are not in the wheel


def test_mypy_checks_every_package(repository, packages, settings):
    assert sorted(settings["tool"]["mypy"]["packages"]) == sorted({*packages, "benchmarks"})


def test_benchmarks_stay_out_of_the_wheel(repository, packages, settings):
    chosen = settings["tool"]["setuptools"]["packages"]["find"]
    found = {
        name.partition(".")[0]
        for root in chosen["where"]
        for name in find_packages(str(repository / root), exclude=chosen.get("exclude", ()))
    }
    assert found == set(packages)
    assert (repository / "tasks" / "benchmarks" / "__main__.py").exists()
