"""The resource of the how-to in C and by numba, compiled and searched with as it stands on the page."""

import sys
from pathlib import Path

import pytest
from pages_with_files import FILE, run, written

PAGE = Path(__file__).parents[2] / "docs/howto/price-routes-under-resources.md"
NAMES = {"cold.c", "cold.py", "by_numba.py"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return written(PAGE, tmp_path_factory.mktemp("page"), NAMES)


def test_the_resource_of_the_page_works(folder):
    assert len(run(sys.executable, "cold.py", folder=folder).split()) == 3


def test_the_same_by_numba_works(folder):
    pytest.importorskip("numba", reason="numba is not installed: pip install numba")
    code = (folder / "cold.py").read_text(encoding="utf-8")
    same = code.replace('ctypes.CDLL("./cold.so").warmer', "warmer").replace("import ctypes\n", "")
    (folder / "try_numba.py").write_text("from by_numba import warmer\n" + same, encoding="utf-8")
    in_c, by_numba = (run(sys.executable, name, folder=folder) for name in ("cold.py", "try_numba.py"))
    assert in_c == by_numba


def test_a_resource_of_ones_own_takes_at_most_forty_lines():
    files = {name: content for content, name in FILE.findall(PAGE.read_text(encoding="utf-8"))}
    assert sum(files[name].count("\n") for name in ("cold.c", "cold.py")) <= 40
    assert files["by_numba.py"].count("\n") <= 40
