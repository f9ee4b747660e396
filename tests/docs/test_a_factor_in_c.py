"""The factor of the how-to, compiled and solved with as it stands on the page."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gapless_kernels

PAGE = Path(__file__).parents[2] / "docs/howto/a-factor-in-c.md"
FILE = re.compile(r"^```(?:py|c)\n((?:#|/\*) (\w+\.(?:py|c))\b.*?)^```", re.DOTALL | re.MULTILINE)
COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
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


def run(*command: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # `python` is this one
    answer = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout[-3000:] + answer.stderr[-3000:]
    return answer.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the page, and its library."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler cc")
    place = tmp_path_factory.mktemp("page")
    text = PAGE.read_text(encoding="utf-8")
    files = {name: content for content, name in FILE.findall(text)}
    assert set(files) == {"by_number.c", "long_arcs.py", "try_it.py", "by_numba.py"}
    for name, content in files.items():
        (place / name).write_text(content, encoding="utf-8")
    (commands,) = COMMANDS.findall(text)
    run("sh", "-e", "-c", commands, folder=place)
    return place


def test_the_factor_of_the_page_works(folder: Path) -> None:
    assert "OPTIMAL" in run(sys.executable, "try_it.py", folder=folder)


def test_the_same_by_numba_works(folder: Path) -> None:
    pytest.importorskip("numba", reason="numba is not installed: pip install numba")
    code = (
        (folder / "try_it.py").read_text(encoding="utf-8").replace("from long_arcs import", "from by_numba import")
    )
    (folder / "try_numba.py").write_text(code.replace("LongArcs", "NumbaLongArcs"), encoding="utf-8")
    assert "OPTIMAL" in run(sys.executable, "try_numba.py", folder=folder)


def test_the_class_of_the_page_works(folder: Path) -> None:
    pytest.importorskip("Cython", reason="Cython is not installed")
    (code,) = CYTHON.findall(PAGE.read_text(encoding="utf-8"))
    (folder / "never.pyx").write_text(code, encoding="utf-8")
    run(sys.executable, "-W", "ignore", "-c", BUILD, folder=folder)
    code = "from never import Never; f = Never([3, 5]); print(*f.solve([-1.0, 2.0]), f.max_marginals([0, 0]))"
    assert run(sys.executable, "-c", code, folder=folder) == "1.0 [ True False] None\n"
