"""The factor of the how-to, compiled and solved with as it stands on the page."""

import re
import sys
from pathlib import Path

import pytest
from pages_with_files import run, written

import gapless_kernels

PAGE = Path(__file__).parents[2] / "docs/howto/write-a-factor-in-c.md"
CYTHON = re.compile(r"^```cython\n(.*?)^```", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")

BUILD = """
import sys
from pathlib import Path
import gapless_kernels
from Cython.Build import cythonize
from setuptools import Distribution, Extension
headers = gapless_kernels.get_include()
one = Extension("never", ["never.pyx"], include_dirs=[headers], extra_compile_args=["-O0"])
(one,) = cythonize([one], quiet=True, include_path=[str(Path(headers).parent)])
command = Distribution({"ext_modules": [one]}).get_command_obj("build_ext")
command.build_lib, command.build_temp = ".", "temp"
command.ensure_finalized()
command.run()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of the page, and its library."""
    names = {"by_number.c", "long_arcs.py", "try_it.py", "by_numba.py"}
    return written(PAGE, tmp_path_factory.mktemp("page"), names)


def test_the_factor_of_the_page_works(folder):
    assert "OPTIMAL" in run(sys.executable, "try_it.py", folder=folder)


def test_the_same_by_numba_works(folder):
    pytest.importorskip("numba", reason="numba is not installed: pip install numba")
    code = (
        (folder / "try_it.py").read_text(encoding="utf-8").replace("from long_arcs import", "from by_numba import")
    )
    (folder / "try_numba.py").write_text(code.replace("LongArcs", "NumbaLongArcs"), encoding="utf-8")
    assert "OPTIMAL" in run(sys.executable, "try_numba.py", folder=folder)


def test_the_class_of_the_page_works(folder):
    pytest.importorskip("Cython", reason="Cython is not installed")
    (code,) = CYTHON.findall(PAGE.read_text(encoding="utf-8"))
    (folder / "never.pyx").write_text(code, encoding="utf-8")
    run(sys.executable, "-W", "ignore", "-c", BUILD, folder=folder)
    code = "from never import Never; f = Never([3, 5]); print(*f.solve([-1.0, 2.0]), f.max_marginals([0, 0]))"
    assert run(sys.executable, "-c", code, folder=folder) == "1.0 [ True False] None\n"
