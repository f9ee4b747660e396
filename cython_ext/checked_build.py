"""Build the kernels a second time with bounds checks and sanitizers on, and print the environment to run them in.

One command runs the kernels' tests against that build; ``tests/kernels/test_trees.py`` names those of trees:

    env $(.venv/bin/python cython_ext/checked_build.py) .venv/bin/pytest tests/kernels

The build goes to ``build/checked`` unless a directory is given as the only argument. It holds a whole copy of
``gapless_kernels``, so it wins over an installed one. With GAPLESS_CHECKED=1 a test expects that a
read past the end of a view is caught, which proves that the right copy is under test and its checks are active.

Cython's checks end where a header begins: it takes the address of a row by a checked index, and what a loop
does from there is C. So GAPLESS_CHECKED makes headers test the contracts between their functions
(``contracts.h``), and all of it is compiled with AddressSanitizer and UndefinedBehaviorSanitizer, whose
runtimes must be loaded before anything allocates: hence LD_PRELOAD. They end the process at the first error and
describe it on stderr, which pytest must not capture. Leaks are not looked for, because the interpreter
keeps what it has to the end. A compiler without these sanitizers, or without their runtimes as libraries, makes a
build with bounds checks and contracts alone; stderr says so, and GAPLESS_SANITIZED is not set.

Directives passed to ``cythonize`` are only defaults: the ``# cython:`` comment at the top of a ``.pyx`` wins
over them (tried with Cython 3.3). So that comment is blanked in the copy. Decorators and ``with`` blocks
would win as well, so the kernels use none.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from contextlib import redirect_stdout
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Distribution, Extension

from parallel_build import OPTIONS, SHARED, kernels

ROOT = Path(__file__).resolve().parent.parent
CHECKS = {"language_level": 3, "boundscheck": True, "wraparound": False, "initializedcheck": True}
SANITIZERS = "-fsanitize=address,undefined"
# The first error ends the process; -g1 and frame pointers give its report the lines of the headers.
SANITIZED = [SANITIZERS, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1"]
RUNTIMES = ("libasan.so", "libubsan.so")
# Without it, AddressSanitizer stops at the first exception of an extension in C++, such as SCIP's.
BESIDE = "libstdc++.so.6"


def compiler() -> list[str]:
    """Return the command of the C compiler that setuptools calls."""
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")


def library(name: str) -> Path | None:
    """Find a library that the compiler links against; None if it has no such library."""
    command = [*compiler(), f"-print-file-name={name}"]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout  # noqa: S603
    path = Path(output.strip())
    return path.resolve() if path.is_absolute() else None


def sanitizer_runtimes() -> list[Path]:
    """List the libraries to load before all others; none if the compiler has no such sanitizers."""
    runtimes = [path for path in map(library, RUNTIMES) if path is not None]
    if len(runtimes) < len(RUNTIMES):
        return []
    cplusplus = library(BESIDE)
    return runtimes if cplusplus is None else [*runtimes, cplusplus]


def build(target: Path, options: list[str]) -> None:
    """Build a checked copy of the package inside `target`.

    Parameters
    ----------
    target : Path
        The directory; an earlier copy in it is replaced.
    options : list of str
        Of compiler and linker, beyond those of the other build.
    """
    package = target / "gapless_kernels"
    shutil.rmtree(package, ignore_errors=True)
    built = shutil.ignore_patterns("*.so", "*.c", "__pycache__")
    shutil.copytree(ROOT / "cython_ext" / "gapless_kernels", package, ignore=built)
    for source in package.rglob("*.pyx"):
        # The line stays, empty, so that line numbers in errors are those of the original.
        source.write_text(re.sub(r"^# *cython:.*", "#", source.read_text(), flags=re.MULTILINE))
    processors = os.cpu_count() or 1
    # At -O1 the checks are the same, and the compiler is faster.
    checked = kernels(package, [*OPTIONS, "-O1", "-DGAPLESS_CHECKED", *options])
    for kernel in checked:
        kernel.extra_link_args = list(options)
    extensions = cythonize(
        [
            *checked,
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


def environment(target: Path, runtimes: list[Path]) -> dict[str, str]:
    """Return the variables under which Python imports the build in `target`."""
    variables = {"PYTHONPATH": str(target), "GAPLESS_CHECKED": "1"}
    if runtimes:
        variables |= {
            "GAPLESS_SANITIZED": "1",
            "LD_PRELOAD": ":".join(map(str, runtimes)),
            # An allocation that is too large fails as it does elsewhere: tests expect MemoryError.
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            # Reports go to stderr: pytest must not capture it, or a crash would swallow them.
            "PYTEST_ADDOPTS": "--capture=sys",
        }
    return variables


if __name__ == "__main__":
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "checked").resolve()
    libraries = sanitizer_runtimes()
    if not libraries:
        print(f"no sanitizers: {shlex.join(compiler())} has no {' and '.join(RUNTIMES)}", file=sys.stderr)
    # A shell that substitutes the output of this script must get the variables alone.
    with redirect_stdout(sys.stderr):
        build(directory, SANITIZED if libraries else [])
    print(*(f"{name}={value}" for name, value in environment(directory, libraries).items()))
