"""The content of the sdist and of the wheel that is built from it.

``GAPLESS_DIST`` may name a folder that already holds both; otherwise they are built here, without optimisation,
because only the content is looked at.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SHIPPED = {".py", ".pyi", ".pxd", ".h", ".typed"}
BUILT_OR_CACHED = shutil.ignore_patterns("*.so", "*.c", "__pycache__", "*.egg-info")


@pytest.fixture(scope="module")
def archives(repository, tmp_path_factory):
    """A folder with one sdist and one wheel."""
    if given := os.environ.get("GAPLESS_DIST"):
        return Path(given)
    work = tmp_path_factory.mktemp("build")
    source = work / "source"
    source.mkdir()
    for file in ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(repository / file, source)
    for root in ("framework", "plugins", "cython_ext", "tasks"):
        shutil.copytree(repository / root, source / root, ignore=BUILT_OR_CACHED)
    # Not through CFLAGS: the options of the extensions come after them and win.
    settings = source / "pyproject.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace('"-O3"', '"-O0"'), encoding="utf-8")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(work / "dist"), str(source)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=work)
    assert answer.returncode == 0, answer.stdout[-4000:] + answer.stderr[-4000:]
    return work / "dist"


@pytest.fixture(scope="module")
def in_wheel(archives):
    """Every file of the wheel."""
    (wheel,) = archives.glob("gapless-*.whl")
    with zipfile.ZipFile(wheel) as content:
        return {name for name in content.namelist() if not name.endswith("/")}


@pytest.fixture(scope="module")
def in_sdist(archives):
    """Every file of the sdist, below its one folder."""
    (sdist,) = archives.glob("gapless-*.tar.gz")
    with tarfile.open(sdist) as content:
        return {member.name.partition("/")[2] for member in content.getmembers() if member.isfile()}


def sources(folder, suffixes):
    """The files of a package that have one of the suffixes, and its embedded data."""
    return {
        file
        for file in folder.rglob("*")
        if file.is_file()
        and "__pycache__" not in file.parts
        and (file.suffix in suffixes or file.parent.name == "data")
    }


def test_top_level_names_are_our_packages(in_wheel, packages):
    names = {name.split("/")[0] for name in in_wheel}
    (metadata,) = (name for name in names if name.endswith(".dist-info"))
    assert names - {metadata} == set(packages)
    assert all(name.startswith("gapless") for name in names)


def test_wheel_holds_every_source_stub_and_data_file(in_wheel, packages):
    wanted = {
        file.relative_to(folder.parent).as_posix()
        for folder in packages.values()
        for file in sources(folder, SHIPPED)
    }
    assert wanted - in_wheel == set()
    assert {f"{name}/py.typed" for name in packages} <= in_wheel


def test_wheel_holds_every_kernel_compiled_and_nothing_left_over(repository, in_wheel):
    folder = repository / "cython_ext"
    names = {
        ".".join(file.relative_to(folder).with_suffix("").parts) for file in folder.glob("gapless_kernels/**/*.pyx")
    }
    names.add("gapless_kernels._memoryviews")  # made at build time
    compiled = {name for name in in_wheel if name.endswith((".so", ".pyd"))}
    suffix = EXTENSION_SUFFIXES[0]
    assert compiled == {name.replace(".", "/") + suffix for name in names}
    assert not {name for name in in_wheel if name.endswith((".c", ".o"))}


def test_sdist_holds_what_a_build_needs(repository, in_sdist, packages):
    wanted = {
        file.relative_to(repository).as_posix()
        for folder in packages.values()
        for file in sources(folder, SHIPPED | {".pyx"})
    }
    wanted |= {
        file.relative_to(repository).as_posix()
        for file in repository.glob("cython_ext/gapless_kernels/*/README.md")
    }
    named = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "PKG-INFO"}
    assert (wanted | named) - in_sdist == set()


def test_a_stranger_compiles_against_the_wheel(repository, archives, tmp_path):
    """The example's extension, built and run where there is nothing of this repository but the wheel."""
    (wheel,) = archives.glob("gapless-*.whl")
    installed, source, built = tmp_path / "installed", tmp_path / "source", tmp_path / "built"
    with zipfile.ZipFile(wheel) as content:
        content.extractall(installed)
    shutil.copytree(repository / "docs/examples/rna_folding", source, ignore=BUILT_OR_CACHED)

    def run(*arguments: str, paths: tuple[Path, ...]) -> str:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
        answer = subprocess.run(
            [sys.executable, "-W", "ignore", *arguments],
            cwd=source,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, answer.stdout[-2000:] + answer.stderr[-4000:]
        return answer.stdout

    told = run("-c", "import gapless_kernels; print(gapless_kernels.get_include())", paths=(installed,))
    assert Path(told.strip()) == installed / "gapless_kernels"
    run("setup.py", "-q", "build_ext", "--build-lib", str(built), paths=(installed,))
    # Without the package around it, which needs the whole of gapless.
    code = "from _noncrossing import NonCrossingPairs as P; print(P(6, [0, 1], [5, 4]).solve([2.0, 1.0]))"
    assert run("-c", code, paths=(installed, built / "gapless_rna_folding")).startswith("(3.0, array([0, 1]")
