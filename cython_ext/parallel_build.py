"""Build of the kernels: every ``.pyx`` becomes an extension; Cython runs in processes, C compilers side by side.

A kernel needs no entry anywhere. The build finds each ``.pyx`` in a subpackage of ``gapless_kernels``, and the
headers that it includes, directly or through others; a change of one of them compiles the kernel again. Further
compiler options stand in a ``# distutils: extra_compile_args`` comment at the top of the ``.pyx``.

setuptools alone builds one extension after the other. Its own ``parallel`` option would run Cython in threads, for
which it was not written; here Cython runs in processes, and threads only start C compilers.

Cython's code for typed memoryviews, most of a module otherwise, is compiled once, into
``gapless_kernels._memoryviews``, and imported by the others.
"""

import os
import re
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension
from setuptools.command.build_ext import build_ext

SHARED = "gapless_kernels._memoryviews"
PACKAGE = Path("cython_ext/gapless_kernels")

# -O3 vectorises the loops of lanes/, which choose their instruction set at load: no -march here, ever.
# -ffp-contract=off: no fused products, so that all instruction sets and processors give the same bits.
# -DNDEBUG: the headers assert their contracts in the build of checked_build.py only.
OPTIONS = ["-O3", "-g0", "-ffp-contract=off", "-DNDEBUG"]

# Any header in quotes: `#include "folder/file.h"`, `cdef extern from "folder/file.h"`, a template named by a macro.
# Python.h, which Cython code quotes by custom, is none of the package.
_INCLUDED = re.compile(r'"(?!Python\.h")([^"\s]+\.h)"')
# What one kernel takes from the .pxd of another: a module's names, or modules of a subpackage.
_CIMPORTED = re.compile(r"^from gapless_kernels\.([\w.]+) cimport ([\w, ]+)", re.MULTILINE)


def declarations(source: Path, package: Path) -> list[Path]:
    """List the ``.pxd`` that `source` stands on, directly or through others: its own and what it cimports."""
    found = [source.with_suffix(".pxd")] if source.with_suffix(".pxd").is_file() else []
    todo = [source, *found]
    while todo:
        for module, names in _CIMPORTED.findall(todo.pop().read_text(encoding="utf-8")):
            folder = package / module.replace(".", "/")
            for file in (
                folder.with_suffix(".pxd"),
                *(folder / f"{name.strip()}.pxd" for name in names.split(",")),
            ):
                if file.is_file() and file not in found:
                    found.append(file)
                    todo.append(file)
    return found


def headers(source: Path, package: Path) -> list[Path]:
    """List the headers of `package` that `source` includes: directly, through others, by ``cimport``; sorted."""
    found: set[Path] = set()
    todo = [source, *declarations(source, package)]
    while todo:
        file = todo.pop()
        for name in _INCLUDED.findall(file.read_text(encoding="utf-8")):
            header = package / name
            if header not in found:
                if not header.is_file():
                    raise FileNotFoundError(
                        f'{file} includes "{name}": there is no {header}. Name a header from {package} on, '
                        'as "folder/file.h", and one of the system in <angle brackets>'
                    )
                found.add(header)
                todo.append(header)
    return sorted(found)


def kernels(package: Path = PACKAGE, options: list[str] = OPTIONS) -> list[Extension]:
    """Describe one extension for each ``.pyx`` below `package`."""
    return [
        Extension(
            ".".join(source.relative_to(package.parent).with_suffix("").parts),
            [str(source)],
            depends=[str(header) for header in headers(source, package)],
            include_dirs=[str(package)],
            extra_compile_args=list(options),
        )
        for source in sorted(package.rglob("*.pyx"))
    ]


class ParallelBuild(build_ext):
    """``build_ext`` for all kernels, on all processors."""

    def finalize_options(self) -> None:
        """Add the kernels to the extensions; use all processors unless ``--parallel`` limits them."""
        known = {extension.name for extension in self.distribution.ext_modules}
        self.distribution.ext_modules += [kernel for kernel in kernels() if kernel.name not in known]
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count() or 1

    def build_extensions(self) -> None:
        """Translate all kernels to C, then compile those that are out of date."""
        translated = cythonize(
            self.extensions,
            force=self.force,
            nthreads=int(self.parallel),
            quiet=True,
            shared_utility_qualified_name=SHARED,
        )
        for extension, done in zip(self.extensions, translated, strict=True):
            extension.sources = done.sources
            extension.extra_compile_args = done.extra_compile_args
        super().build_extensions()
