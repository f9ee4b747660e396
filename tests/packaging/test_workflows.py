"""The workflows of the code host, as far as they can be checked without it: what they name exists."""

import re
from pathlib import Path

import pytest
import yaml

WORKFLOWS = sorted((Path(__file__).parents[2] / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"^ *(?:- )?uses: [\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
GIVEN = re.compile(r"\$\{\{\s*github\.(?:event|head_ref)")

each = pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)


def read(file):
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def commands(file):
    """The commands of a workflow's steps."""
    for job in read(file)["jobs"].values():
        yield from (step["run"] for step in job["steps"] if "run" in step)


@pytest.fixture
def supported(project):
    """The Pythons that the classifiers list."""
    prefix = "Programming Language :: Python :: "
    return [name.removeprefix(prefix) for name in project["classifiers"] if name.startswith(f"{prefix}3.")]


def test_there_is_one_for_pull_requests_and_one_for_releases():
    # YAML 1.1, which PyYAML reads, takes the key `on` for true.
    triggers = {file.stem: set(read(file)[True]) for file in WORKFLOWS}
    assert "pull_request" in triggers["tests"]
    assert "push" in triggers["release"]
    assert not any("pull_request_target" in names for names in triggers.values())


@each
def test_jobs_may_do_only_what_they_say(file):
    content = read(file)
    assert content["permissions"] == {}
    assert all("permissions" in job for job in content["jobs"].values())


@each
def test_actions_are_pinned_by_commit(file):
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if "uses:" in line]
    assert lines
    assert [line for line in lines if not PINNED.match(line)] == []


@each
def test_what_a_stranger_writes_is_not_run(file):
    assert [command for command in commands(file) if GIVEN.search(command)] == []


@each
def test_what_is_run_exists(file, repository):
    targets = set(
        re.findall(r"^([a-z][\w-]*):", (repository / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    for command in commands(file):
        for asked in re.findall(r"^make ((?:[a-z-]+ ?)+)", command, re.MULTILINE):
            assert set(asked.split()) <= targets, command
        for path in re.findall(r"(?<![\w/])\.ci/[\w/.-]+", command):
            assert (repository / path).exists(), command


def test_pull_requests_try_every_python_on_both_systems(repository, supported):
    jobs = read(repository / ".github/workflows/tests.yml")["jobs"]
    matrix = jobs["test"]["strategy"]["matrix"]
    assert matrix["python"] == supported
    assert {machine.split("-")[0] for machine in matrix["machine"]} == {"ubuntu", "macos"}
    # A number would be read as one: 3.10 is 3.1.
    assert all(isinstance(version, str) for version in matrix["python"])


def test_wheels_are_tried_with_and_without_simd(repository):
    job = read(repository / ".github/workflows/tests.yml")["jobs"]["wheel"]
    assert job["strategy"]["matrix"]["simd"] == ["with", "without"]
    (flag,) = set(re.findall(r"-D(\w+)", str(job)))
    headers = "".join(header.read_text("utf-8") for header in (repository / "cython_ext").rglob("*.h"))
    assert f"!defined({flag})" in headers


def test_metadata_wheels_and_recipe_agree_on_pythons(settings, supported):
    pythons = supported
    assert settings["project"]["requires-python"] == f">={pythons[0]}"
    assert settings["tool"]["cibuildwheel"]["build"] == [f"cp{python.replace('.', '')}-*" for python in pythons]
    assert pythons == [f"3.{minor}" for minor in range(int(pythons[0][2:]), int(pythons[-1][2:]) + 1)]


@pytest.mark.parametrize(
    "line",
    ["  - uses: actions/checkout@v5", f"  - uses: actions/checkout@{'a' * 40}", "  - uses: ./here # v1.2.3"],
)
def test_an_action_that_may_change_is_seen(line):
    assert not PINNED.match(line)
