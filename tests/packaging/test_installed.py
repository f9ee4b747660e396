"""The offer of an installed gapless, and the cost of its import."""

import json
import subprocess
import sys
from importlib.metadata import distribution, entry_points
from pathlib import Path

import pytest

import gapless

HEAVY = {
    *["dask", "jinja2", "joblib", "networkx", "pandas", "plotly", "pyscipopt", "rich", "scipy", "sklearn", "torch"]
}

LIST_MODULES = "import json, sys, {0}; print(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"


def loaded_by(package, folder):
    """Top-level names of the modules that a fresh interpreter holds after importing a package."""
    command = [sys.executable, "-c", LIST_MODULES.format(package)]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return set(json.loads(answer.stdout))


def test_importing_gapless_loads_nothing_heavy_and_no_method(tmp_path, packages):
    assert loaded_by("gapless", tmp_path) & {*packages, *HEAVY} <= {"gapless", "gapless_kernels"}


def test_kernels_stand_alone(tmp_path, packages):
    assert loaded_by("gapless_kernels", tmp_path) & {*packages, *HEAVY} == {"gapless_kernels"}


def test_installed_entry_points_are_the_declared_ones(project):
    installed = {(point.group, point.name, point.value) for point in distribution("gapless").entry_points}
    declared = {("console_scripts", name, value) for name, value in project["scripts"].items()}
    for group, points in project["entry-points"].items():
        declared |= {(group, name, value) for name, value in points.items()}
    assert installed == declared


@pytest.mark.parametrize(
    "point", distribution("gapless").entry_points, ids=lambda point: f"{point.group}:{point.name}"
)
def test_entry_point_resolves(point):
    target = point.load()
    assert callable(target) or point.group == "gapless"


def test_version_is_said_once(project):
    assert gapless.__version__ == distribution("gapless").version == project["version"]


def test_every_method_package_is_registered(packages):
    registered = {point.module.split(".")[0] for point in entry_points(group="gapless")}
    pluggable = {name for name, folder in packages.items() if (folder / "plugin.py").exists()}
    assert pluggable <= registered


def test_the_command_runs(tmp_path):
    command = Path(sys.executable).with_name("gapless")
    answer = subprocess.run([command, "--help"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "usage" in answer.stdout.lower()
