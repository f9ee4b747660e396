"""The build with bounds checks and sanitizers: that it is one, and what it does where the compiler has none."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gapless_kernels

if not gapless_kernels.COMPILED:
    pytest.skip("GAPLESS_PURE=1", allow_module_level=True)

from gapless_kernels.paths import _path_search
from gapless_kernels.search import _search

SANITIZED = os.environ.get("GAPLESS_SANITIZED") == "1"
WRITES_BEYOND = "import ctypes; memory = ctypes.create_string_buffer(1000); ctypes.memset(memory, 0, 100_000)"


@pytest.fixture(scope="module")
def checked_build():
    folder = Path(__file__).parents[2] / "cython_ext"
    spec = importlib.util.spec_from_file_location("checked_build", folder / "checked_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


@pytest.mark.parametrize("module", [_path_search, _search])
def test_kernels_are_sanitized_in_the_checked_build_only(module):
    assert module.__file__ is not None
    code = Path(module.__file__).read_bytes()
    assert (b"__asan_report_" in code, b"__ubsan_handle_" in code) == (SANITIZED, SANITIZED)


def test_contracts_are_tested_in_the_checked_build_only():
    assert _search.__file__ is not None
    code = Path(_search.__file__).read_bytes()
    assert (b"broken contract" in code) == (os.environ.get("GAPLESS_CHECKED") == "1")


@pytest.mark.skipif(not SANITIZED, reason="needs the environment of cython_ext/checked_build.py")
def test_sanitizer_ends_the_process_at_an_error():
    done = subprocess.run([sys.executable, "-c", WRITES_BEYOND], capture_output=True, text=True, check=False)
    assert done.returncode
    assert "AddressSanitizer: heap-buffer-overflow" in done.stderr


def test_checked_build_goes_without_sanitizers_that_the_compiler_lacks(checked_build, monkeypatch, tmp_path):
    monkeypatch.setenv("CC", "false")  # which has no library
    assert checked_build.sanitizer_runtimes() == []
    assert set(checked_build.environment(tmp_path, [])) == {"PYTHONPATH", "GAPLESS_CHECKED"}


def test_checked_build_loads_the_runtimes_first(checked_build, tmp_path):
    variables = checked_build.environment(tmp_path, [Path("/lib/libasan.so"), Path("/lib/libubsan.so")])
    assert variables["LD_PRELOAD"] == "/lib/libasan.so:/lib/libubsan.so"
    assert variables["GAPLESS_SANITIZED"] == "1"
    assert not any(" " in value for value in variables.values())  # words of one command
