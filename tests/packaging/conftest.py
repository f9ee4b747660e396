"""The objects of the packaging tests: the repository, its packages, and the syntax tree of every module."""

import tomllib
from pathlib import Path

import pytest
from syntax import parsed

ROOTS = ("framework", "plugins", "cython_ext", "tasks")


@pytest.fixture(scope="session")
def repository():
    """The folder that holds pyproject.toml."""
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def settings(repository):
    """Tables of pyproject.toml."""
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def project(settings):
    """The [project] table of pyproject.toml."""
    return settings["project"]


@pytest.fixture(scope="session")
def packages(repository):
    """Every package of the distribution, by name. A package is a folder with a py.typed directly below a root."""
    return {
        marker.parent.name: marker.parent for root in ROOTS for marker in (repository / root).glob("*/py.typed")
    }


@pytest.fixture(scope="session")
def modules(repository, packages):
    """Every Python module of the distribution and of the benchmarks: dotted name to file."""
    found = {}
    for name, folder in {**packages, "benchmarks": repository / "tasks" / "benchmarks"}.items():
        for file in sorted(folder.rglob("*.py")):
            parts = (name, *file.relative_to(folder).with_suffix("").parts)
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@pytest.fixture(scope="session")
def trees(modules):
    """The syntax tree of every module."""
    return {name: parsed(file) for name, file in modules.items()}
