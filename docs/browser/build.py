"""Build what the browser page loads: ``make browser``, or ``python docs/browser/build.py FOLDER``.

Into FOLDER go a wheel of pure Python, a tagger and a parser trained on the embedded treebank, and
``manifest.json``, which lists all files with sizes and checksums: ours, and those of Pyodide, which a visitor's
browser takes from a content delivery network. With ``--pyodide LOCAL`` they are copied from a local folder
instead, for the tests and for sites without other servers.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import logging
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

# Pyodide 0.29.3: its npm package as jsdelivr mirrors it, and wheels that its pyodide-lock.json names. NetworkX is
# not among them: only graphs given as NetworkX objects and SCIP's cuts need it.
CORE = "https://cdn.jsdelivr.net/npm/pyodide@0.29.3/"
WHEELS = "https://cdn.jsdelivr.net/pyodide/v0.29.3/full/"
PYODIDE = (  # base, name, bytes, bytes as transferred (compressed, or a wheel), sha256
    (CORE, "pyodide.mjs", 17_616, 7_060, "23213d27e9dacbda6f25f955fb38dabfc40ada082c04ee253047ea5dddcaa3b5"),
    (
        CORE,
        "pyodide.asm.js",
        1_074_322,
        221_453,
        "1263f02b5b26099b96112378156f242dd98b39a8201ba7765e5fe3d455c5ce91",
    ),
    (
        CORE,
        "pyodide.asm.wasm",
        8_647_684,
        2_830_841,
        "e2f4ee75b325e35eb31bfb8c613d4dd5098f5502c156a97847686875b5025480",
    ),
    (
        CORE,
        "python_stdlib.zip",
        2_423_989,
        2_382_661,
        "4298b6ee445cb724c3973437da47789752b9e6ff4e26619026b283ec801fc46b",
    ),
    (
        CORE,
        "pyodide-lock.json",
        120_010,
        27_854,
        "3256ffc76388de0e37f4b34d42ab484268d1afc675179ff97b2a5bb14f84ccac",
    ),
    (
        WHEELS,
        "numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl",
        3_644_060,
        3_644_060,
        "6eaab6a7bb658d71ebe702911a3deab715323642462eb41b65565ca6a7cc23f1",
    ),
    (
        WHEELS,
        "attrs-25.2.0-py3-none-any.whl",
        64_016,
        64_016,
        "0ca0ca2b0dbc02f198a7134fb09c26598dc50390439b318d6dfb63adaee97b25",
    ),
    (
        WHEELS,
        "pluggy-1.5.0-py3-none-any.whl",
        20_556,
        20_556,
        "a5526e777aac76c926e884d8c5f8104a909e1243a2f3ecc6b9bb1b52fa46f7bd",
    ),
)


def build_wheel(folder: Path) -> Path:
    """Build the wheel without kernels into `folder`: py3-none-any, a second's work."""
    sys.path.insert(0, str(ROOT))  # the build's own classes are found from the root
    import setuptools  # noqa: PLC0415  only here

    distribution = setuptools.Distribution({"script_name": "build.py"})
    distribution.parse_config_files()
    distribution.ext_modules = None
    with tempfile.TemporaryDirectory() as scratch:
        distribution.get_command_obj("build").build_base = scratch
        distribution.get_command_obj("egg_info").egg_base = scratch
        wheel = distribution.get_command_obj("bdist_wheel")
        wheel.dist_dir, wheel.bdist_dir = str(folder), f"{scratch}/wheel"
        logging.disable(logging.WARNING)  # setuptools tells each file; errors are exceptions
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            distribution.run_command("bdist_wheel")
        logging.disable(logging.NOTSET)
    (built,) = folder.glob("gapless-*-py3-none-any.whl")
    return built


def build_models(folder: Path) -> list[Path]:
    """Train a tagger and a parser on the embedded treebank: a few seconds."""
    from dataclasses import replace  # noqa: PLC0415  the wheel needs none of these

    from gapless_models.parsing import Options, Sentence  # noqa: PLC0415
    from gapless_models.parsing import train as train_parser  # noqa: PLC0415
    from gapless_models.parsing.treebank import embedded_treebank  # noqa: PLC0415
    from gapless_models.tagging import TaggedSentence  # noqa: PLC0415
    from gapless_models.tagging import train as train_tagger  # noqa: PLC0415
    from gapless_models.tagging.decoder import decode  # noqa: PLC0415

    def tagged(sentence: Sentence) -> Sentence:  # a visitor's words get one kind of tag
        return replace(sentence, coarse=sentence.tags)

    treebank = embedded_treebank()
    train, dev = [tagged(s) for s in treebank.train], [tagged(s) for s in treebank.dev]
    tagger = train_tagger([TaggedSentence(s.words, s.tags) for s in train], decode, epochs=8)
    parser = train_parser(
        train,
        dev,
        Options(families=("grandchild", "sibling"), projective=False, max_heads=None, bits=16, epochs=8),
    )
    tagger.save(folder / "tagger.npz")
    parser.save(folder / "parser.npz")
    return [folder / "tagger.npz", folder / "parser.npz"]


def described(file: Path, url: str | None = None) -> dict[str, Any]:
    """Describe a local file as an entry of the manifest."""
    content = file.read_bytes()
    return {
        "name": file.name,
        "url": url or file.name,
        "bytes": len(content),
        "transferred": min(len(content), len(gzip.compress(content))),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def pyodide(folder: Path, local: Path | None) -> list[dict[str, Any]]:
    """List the files of Pyodide for the manifest: on the network, or copied from a local folder."""
    if local is None:
        fields = ("bytes", "transferred", "sha256")
        return [
            {"name": name, "url": base + name, **dict(zip(fields, numbers, strict=True))}
            for base, name, *numbers in PYODIDE
        ]
    if missing := [name for _, name, *_ in PYODIDE if not (local / name).is_file()]:
        raise SystemExit(f"{local} lacks {', '.join(missing)}")
    return [described(Path(shutil.copy(local / name, folder))) for _, name, *_ in PYODIDE]


def build(folder: Path, local: Path | None = None) -> dict[str, Any]:
    """Write all files into `folder`, which is created anew; return the manifest."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = pyodide(folder, local)
    files += [described(build_wheel(folder))]
    files += [described(model) for model in build_models(folder)]
    manifest = {"files": files, "transferred": sum(file["transferred"] for file in files)}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    return manifest


def main() -> None:
    """Build, and print how much a visitor downloads."""
    parser = argparse.ArgumentParser(description="Build what the browser page loads.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pyodide", type=Path, metavar="LOCAL", help="take Pyodide from this folder")
    arguments = parser.parse_args()
    manifest = build(arguments.folder, arguments.pyodide)
    print(f"{arguments.folder}: {manifest['transferred'] / 1e6:.1f} MB are downloaded by a visitor")


if __name__ == "__main__":
    main()
