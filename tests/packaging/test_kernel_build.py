"""The build finds kernels and headers by itself, and compiles again what a change concerns."""

import os
import re
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

INCLUDED = re.compile(r'^\s*(?:#\s*include|cdef extern from|#\s*define GAPLESS_TEMPLATE)\s+"([^"]+)"', re.MULTILINE)

# Builds the kernels of the working directory.
BUILD = """
import sys
sys.path.insert(0, sys.argv[1])
from parallel_build import ParallelBuild
from setuptools import Distribution
command = ParallelBuild(Distribution({"ext_modules": []}))
command.build_lib, command.build_temp, command.parallel = "built", "temp", 1
command.ensure_finalized()
command.run()
"""


@pytest.fixture(scope="module")
def build(repository):
    """cython_ext/parallel_build.py, which is no part of a package."""
    sys.path.insert(0, str(repository / "cython_ext"))
    try:
        import parallel_build  # noqa: PLC0415
    finally:
        sys.path.remove(str(repository / "cython_ext"))
    return parallel_build


@pytest.fixture(scope="module")
def package(packages):
    """The kernels' folder."""
    return packages["gapless_kernels"]


@pytest.fixture
def small(tmp_path):
    """A package of two kernels: one header is used by both, one by the first alone."""
    folder = tmp_path / "cython_ext" / "gapless_kernels"
    for name in ("shared", "ones", "twos"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").touch()
    (folder / "__init__.py").touch()
    (folder / "shared/base.h").write_text("static inline int base(void) { return 1; }\n")
    (folder / "ones/one.h").write_text('#include "shared/base.h"\nstatic inline int one(void) { return base(); }\n')
    (folder / "ones/_one.pyx").write_text(
        'cdef extern from "ones/one.h":\n    int one()\n\ndef f():\n    return one()\n'
    )
    (folder / "twos/_two.pyx").write_text(
        'cdef extern from "shared/base.h":\n    int base()\n\ndef f():\n    return base()\n'
    )
    return folder


def test_every_kernel_is_an_extension(build, package):
    named = {extension.name for extension in build.kernels(package)}
    assert named == {
        ".".join(("gapless_kernels", *file.relative_to(package).with_suffix("").parts))
        for file in package.rglob("*.pyx")
    }
    assert len(named) > 15


def test_every_header_belongs_to_a_kernel(build, package):
    used = {Path(header) for extension in build.kernels(package) for header in extension.depends}
    assert used == set(package.rglob("*.h"))


def test_no_inclusion_is_missed(build, package):
    """An inclusion that the build did not see would leave a kernel as it was when the header changes."""
    for source in package.rglob("*.pyx"):
        found = build.headers(source, package)
        for file in (source, *found):
            named = set(INCLUDED.findall(file.read_text(encoding="utf-8"))) - {"Python.h"}
            assert {package / name for name in named} <= set(found), file


def test_a_header_of_a_header_is_found(build, small):
    kernels = {extension.name: extension.depends for extension in build.kernels(small)}
    shared, one = str(small / "shared/base.h"), str(small / "ones/one.h")
    assert kernels == {"gapless_kernels.ones._one": [one, shared], "gapless_kernels.twos._two": [shared]}


def test_headers_of_declarations_are_found(build, small):
    """A class that another kernel cimports brings the headers of its declarations."""
    (small / "ones/one.pxd").write_text('cdef extern from "ones/one.h":\n    int one()\n')
    (small / "ones/one.pyx").touch()
    (small / "twos/two.pxd").write_text("from gapless_kernels.ones.one cimport one\n")
    (small / "twos/_two.pyx").write_text("from gapless_kernels.twos cimport two\n")
    kernels = {extension.name: extension.depends for extension in build.kernels(small)}
    both = [str(small / "ones/one.h"), str(small / "shared/base.h")]
    assert kernels["gapless_kernels.ones.one"] == both
    assert kernels["gapless_kernels.twos._two"] == both


def test_a_template_that_a_macro_names_is_found(build, small):
    (small / "ones/rows.h").touch()
    (small / "ones/one.h").write_text('#define GAPLESS_TEMPLATE "ones/rows.h"\n#include <math.h>\n')
    assert small / "ones/rows.h" in build.headers(small / "ones/_one.pyx", small)


@pytest.mark.parametrize("name", ["ones/gone.h", "one.h", "../ones/none.h"])
def test_a_missing_header_is_named(build, small, name):
    (small / "ones/one.h").write_text(f'#include "{name}"\n')
    with pytest.raises(
        FileNotFoundError, match=rf"one\.h includes \"{re.escape(name)}\": there is no .*folder/file\.h"
    ):
        build.kernels(small)


@pytest.mark.long
def test_a_changed_header_compiles_its_kernels_again(repository, small):
    root, past = small.parents[1], 1_700_000_000

    def compiled() -> set[str]:
        """Build, and name the kernels that were compiled: their files alone are not from long ago."""
        command = [sys.executable, "-c", BUILD, str(repository / "cython_ext")]
        answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stderr[-4000:]
        files = {file for suffix in EXTENSION_SUFFIXES for file in (root / "built").rglob(f"*{suffix}")}
        fresh = {file.name.partition(".")[0] for file in files if file.stat().st_mtime > past}
        for file in root.rglob("*"):
            os.utime(file, (past, past))
        return fresh

    assert compiled() == {"_one", "_two"}
    assert compiled() == set()
    for header, kernels in (("ones/one.h", {"_one"}), ("shared/base.h", {"_one", "_two"})):
        (small / header).touch()
        assert compiled() == kernels


def test_pyproject_lists_no_kernel_and_no_header(repository, settings):
    modules = settings["tool"]["setuptools"]["ext-modules"]
    assert [module["name"] for module in modules] == ["gapless_kernels._memoryviews"]
    assert not any("depends" in module for module in modules)
