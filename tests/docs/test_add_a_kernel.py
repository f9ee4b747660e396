"""The kernel of the how-to, compiled and tested as it stands on the page."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from pages_with_files import run

import gapless_kernels

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/howto/add-a-kernel.md"
# A block whose first comment is a path is a file.
FILE = re.compile(
    r"^```(?:python|py|c|cython)\n((?:# cython:[^\n]*\n)?(?:#|/\*) ([\w./]+\.(?:pyx|pyi|py|h))\b.*?)^```",
    re.DOTALL | re.MULTILINE,
)

# Only the new kernel is compiled; without optimisation, because only its answers are looked at.
BUILD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from parallel_build import OPTIONS, SHARED, kernels
from Cython.Build import cythonize
from setuptools import Distribution
package = Path("cython_ext/gapless_kernels")
found = [one for one in kernels(package, [*OPTIONS, "-O0"]) if one.name == "gapless_kernels.segments._segments"]
(one,) = cythonize(found, quiet=True, shared_utility_qualified_name=SHARED)
one.extra_compile_args = found[0].extra_compile_args
command = Distribution({"ext_modules": [one]}).get_command_obj("build_ext")
command.build_lib, command.build_temp = "cython_ext", "temp"
command.ensure_finalized()
command.run()
"""


@pytest.mark.long
@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
def test_the_kernel_of_the_page_works(tmp_path):
    package = tmp_path / "cython_ext/gapless_kernels"
    shutil.copytree(
        Path(gapless_kernels.__file__).parent, package, ignore=shutil.ignore_patterns("*.c", "__pycache__")
    )
    files = {place: text for text, place in FILE.findall(PAGE.read_text(encoding="utf-8"))}
    assert len(files) == 8
    for place, text in files.items():
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    table = package / "_lazy.py"
    line = '_TWOFOLD = {\n    "segments._segments": "best_segments",'
    table.write_text(table.read_text("utf-8").replace("_TWOFOLD = {", line), "utf-8")
    run(sys.executable, "-c", BUILD, str(ROOT / "cython_ext"), folder=tmp_path)
    path = str(tmp_path / "cython_ext")
    (tmp_path / "pytest.ini").touch()
    printed = run(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/kernels/test_segments.py"),
        folder=tmp_path,
        PYTHONPATH=path,
    )
    assert "3 passed" in printed  # one for both versions, one for each
    assert "times the floor" in run(sys.executable, "measure.py", folder=tmp_path, PYTHONPATH=path)
