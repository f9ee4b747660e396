"""The one extension: compiled against the headers and declarations of the installed gapless."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import gapless_kernels

HEADERS = gapless_kernels.get_include()

setup(
    ext_modules=cythonize(
        Extension(
            "gapless_rna_folding._noncrossing",
            ["gapless_rna_folding/_noncrossing.pyx"],
            include_dirs=[HEADERS],
            extra_compile_args=["-O3"],
        ),
        include_path=[str(Path(HEADERS).parent)],
    )
)
