"""Build the kernels a second time with bounds checks on, and print the directory to put on PYTHONPATH.

One command runs the kernels' tests against that build; a room's alone with ``tests/kernels/test_trees.py``:

    PYTHONPATH=$(.venv/bin/python cython_ext/checked_build.py) GAPLESS_CHECKED=1 .venv/bin/pytest tests/kernels

The directory is ``build/checked`` unless one is given as the only argument. It holds a whole copy of
``gapless_kernels``, so it wins over an installed one. GAPLESS_CHECKED=1 makes a test insist that a read past
the end of a view is caught, which proves that the right copy is under test and its checks are active.

Directives passed to ``cythonize`` are only defaults: the ``# cython:`` comment at the top of a ``.pyx`` wins
over them (tried with Cython 3.3). So that comment is blanked in the copy. Decorators and ``with`` blocks
would win as well, so the kernels use none. The rows in the C headers are past the reach of Cython's checks:
every row's address is taken through a checked index, and the lengths come from the same shapes.
"""

import os
import re
import shutil
import sys
from contextlib import redirect_stdout
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Distribution, Extension

from parallel_build import OPTIONS, SHARED, kernels

ROOT = Path(__file__).resolve().parent.parent
CHECKS = {"language_level": 3, "boundscheck": True, "wraparound": False, "initializedcheck": True}


def build(target: Path) -> None:
    """Build a checked copy of the package inside `target`.

    Parameters
    ----------
    target : Path
        The directory; an earlier copy in it is replaced.
    """
    package = target / "gapless_kernels"
    shutil.rmtree(package, ignore_errors=True)
    built = shutil.ignore_patterns("*.so", "*.c", "__pycache__")
    shutil.copytree(ROOT / "cython_ext" / "gapless_kernels", package, ignore=built)
    for source in package.rglob("*.pyx"):
        # The line stays, empty, so that line numbers in errors are those of the original.
        source.write_text(re.sub(r"^# *cython:.*", "#", source.read_text(), flags=re.MULTILINE))
    processors = os.cpu_count() or 1
    extensions = cythonize(
        [
            *kernels(package, [*OPTIONS, "-O1"]),  # the checks are the same, the compiler faster
            Extension(SHARED, [str(package / f"{SHARED.rpartition('.')[2]}.c")], extra_compile_args=["-O1", "-g0"]),
        ],
        compiler_directives=CHECKS,
        force=True,
        nthreads=processors,
        shared_utility_qualified_name=SHARED,
    )
    # Not setup(): that would read the project's own configuration and build the unchecked modules.
    command = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib = str(target)
    command.build_temp = str(target / "temp")
    command.force = True
    command.parallel = processors
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "checked").resolve()
    # A shell that substitutes the output of this script must get the directory alone.
    with redirect_stdout(sys.stderr):
        build(directory)
    print(directory)
