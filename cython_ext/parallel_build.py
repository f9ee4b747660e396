"""How setuptools builds the kernels: Cython first, then as many C compilers at once as there are processors.

setuptools alone builds one extension after the other. Its own ``parallel`` option would run Cython in threads, for
which it was not written; here Cython runs in processes, and only the C compilers are started by threads.

What Cython adds to every module that has typed memoryviews, most of its code otherwise, is compiled once, into
``gapless_kernels._memoryviews``, and imported by the others.
"""

import os

from Cython.Build import cythonize
from setuptools.command.build_ext import build_ext

SHARED = "gapless_kernels._memoryviews"


class ParallelBuild(build_ext):
    """``build_ext`` over all processors."""

    def finalize_options(self) -> None:
        """Take all processors unless ``--parallel`` says otherwise."""
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count() or 1

    def build_extensions(self) -> None:
        """Translate all, then compile all."""
        translated = cythonize(
            self.extensions,
            force=self.force,
            nthreads=int(self.parallel),
            quiet=True,
            shared_utility_qualified_name=SHARED,
        )
        for extension, done in zip(self.extensions, translated, strict=True):
            extension.sources = done.sources
        super().build_extensions()
