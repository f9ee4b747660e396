"""The search as a C program: memory that ends at each allocation, and roles that break each rule."""

import os
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

import gapless_kernels

COMPILER = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g1"]
# Kernels with checks (`cython_ext/checked_build.py`) are tested without --long: there the sanitized build is quick.
CHECKED = "GAPLESS_CHECKED" in os.environ
BUILDS = [
    pytest.param([], id="plain", marks=[pytest.mark.long] * CHECKED),
    pytest.param(SANITIZED, id="sanitized", marks=[pytest.mark.long] * (not CHECKED)),
]
# The program brings sanitizers of its own, and looks for leaks.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS")}

STOPPED, STATE, VALUE, RAISED = "4", "1", "2", "4"
LIES = {
    "negative decision": STATE,
    "unknown decision": STATE,
    "huge decision": STATE,
    "decision twice": STATE,
    "negative count": STATE,
    "large count": STATE,
    "configuration": STATE,
    "NaN": VALUE,
    "infinite value": VALUE,
    "infinite own score": VALUE,
    "code of maximise": RAISED,
    "code of marginals": RAISED,
    "code of own": RAISED,
    "code of a factor": RAISED,
    "code of value": RAISED,
}


def run(*command):
    words = [str(part) for part in command]
    return subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, check=False)


@pytest.fixture(scope="module", params=BUILDS)
def program(request, tmp_path_factory):
    if shutil.which(COMPILER[0]) is None:
        pytest.skip(f"there is no {COMPILER[0]}")
    target = tmp_path_factory.mktemp("program") / "search_in_c"
    source = Path(__file__).with_name("search_in_c.c")
    include = f"-I{gapless_kernels.get_include()}"
    build = [*COMPILER, "-O0", "-DGAPLESS_CHECKED", include, str(source), "-o", str(target)]
    done = run(*build, *request.param, "-lm")
    if done.returncode and request.param:
        pytest.skip(f"{COMPILER[0]} has no sanitizers")
    assert not done.returncode, done.stderr
    return target


def test_search_survives_the_end_of_memory(program):
    """At each allocation that fails the search ends with a true bound, marks and leaks nothing, and stays ended."""
    done = run(program, "memory")
    assert not done.returncode, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 100


@pytest.mark.parametrize("lie", LIES)
def test_search_refuses_roles_that_break_a_rule(program, lie):
    done = run(program, "lie", lie)
    assert not done.returncode, done.stderr
    assert done.stdout.split()[:2] == [STOPPED, LIES[lie]]


def test_configurations_without_a_value_are_forbidden(program):
    """A factor that answers that there is no value leaves none: what stood in its place must not count."""
    done = run(program, "lie", "forbids all by its code")
    assert done.stdout.split() == ["0", "0", "-1", "-inf"]
