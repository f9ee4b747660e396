"""``gapless data``: list, fetch, path, check, and pin for those who add a corpus."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless.cli.outputs import add_overwrite_option, check_output
from gapless_models.corpora import pinning, places, registry
from gapless_models.corpora.registry import INSTANCES, OpenCorpus

MIRROR = "GAPLESS_DATA_MIRROR"
_FIELDS = (
    *("name", "title", "languages", "kind", "version", "bytes"),
    *("licence", "licence_url", "commercial", "citation", "source"),
)
"""Of a corpus, in JSON data."""


def add_actions(data: argparse.ArgumentParser) -> None:
    """Add the actions of ``gapless data``."""
    actions = data.add_subparsers(metavar="ACTION", required=True)

    def add(name: str, summary: str, run: Callable[..., int]) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = actions.add_parser(name, help=summary, description=summary)
        parser.set_defaults(run=run)
        return parser

    def ask_for_root(parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--data", metavar="DIR", help="folder of corpora (default: GAPLESS_DATA, then the cache)"
        )

    listing = add("list", "List the corpora; with names, all about those.", show_list)
    listing.add_argument("names", nargs="*", metavar="NAME")
    ask_for_root(listing)

    fetching = add("fetch", "Download corpora. Their licences are shown; keeping to them is up to you.", fetch)
    fetching.add_argument("names", nargs="+", metavar="NAME")
    fetching.add_argument(
        "--dir", metavar="DIR", help="folder of corpora, as --data of the tasks takes it (default: the cache)"
    )
    fetching.add_argument(
        "--mirror",
        metavar="URL",
        default=os.environ.get(MIRROR),
        help=f"take the files from here instead of GitHub (default: {MIRROR})",
    )
    add_overwrite_option(fetching)

    path = add("path", "Print the folder of a corpus that is here; without a name, of all of them.", show_path)
    path.add_argument("name", nargs="?", metavar="NAME")
    ask_for_root(path)

    checking = add("check", "Compare files with their checksums.", check)
    checking.add_argument("names", nargs="*", metavar="NAME", help="default: all that are here")
    ask_for_root(checking)
    checking.add_argument(
        "--clones", metavar="DIR", help="check the registry itself, against clones DIR/REPOSITORY of git"
    )

    pin = add("pin", "Print the lines of the registry for files of a git clone.", print_pins)
    pin.add_argument("clone", metavar="CLONE", help="folder of the clone")
    pin.add_argument("commit", metavar="COMMIT", help="commit, tag or branch")
    pin.add_argument("files", nargs="+", metavar="NAME=PATH", help="train.conllu=xx_yy-ud-train.conllu, say")


def show_list(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless data list``."""
    corpora = _chosen(parsed.names)
    console.table(
        "Open corpora",
        ("name", "languages", "kind", "MB", "licence", "here"),
        [
            (one.name, one.languages, one.kind, f"{one.bytes / 1e6:.1f}", one.licence, _state(one, parsed.data))
            for one in corpora
        ],
    )
    if parsed.names:
        for corpus in corpora:
            _describe(corpus, console)
    else:
        console.info("NC: not for commercial use. All about one: gapless data list NAME")
    console.data({"corpora": [_document(one, parsed.data) for one in corpora]})
    return exit_codes.PROVED


def fetch(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless data fetch NAME ...``."""
    from gapless_models.corpora.downloading import fetch as download  # noqa: PLC0415  hashes, locks, pooch
    from gapless_models.corpora.downloading import right  # noqa: PLC0415

    done: list[dict[str, Any]] = []
    for corpus in _chosen(parsed.names):
        root = Path(parsed.dir) if parsed.dir else places.root_of(corpus)
        _describe(corpus, console)
        folder = places.folder_of(corpus, root)
        for file in corpus.files:
            if (folder / file.name).exists():  # downloads appear whole, so a wrong file was changed later
                check_output(folder / file.name, partial(right, file=file), overwrite=parsed.overwrite)
        count = download(corpus, root, console, parsed.mirror)
        outcome = f"{count} of {len(corpus.files)} files downloaded" if count else "already here, and whole"
        console.info(f"  {outcome}: {folder}")
        to = f" --data {parsed.dir}" if parsed.dir and corpus.kind != INSTANCES else ""
        for command in corpus.commands:
            console.info(f"  {command.replace('{folder}', str(folder))}{to}")
        done.append({**_document(corpus, str(root)), "downloaded": count})
    console.data({"corpora": done})
    return exit_codes.PROVED


def show_path(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless data path [NAME]``."""
    if parsed.name is None:
        folder = Path(parsed.data) if parsed.data else places.cache_folder()
    else:
        corpus = registry.find(parsed.name)
        folder = places.folder_of(corpus, _root(corpus, parsed.data))
        if not folder.is_dir():
            raise gl.InvalidProblem(f"{corpus.name} is not in {folder.parent}{places.how_to_get(corpus.name)}")
    console.result(str(folder))
    console.data({"path": str(folder)})
    return exit_codes.PROVED


def check(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless data check``."""
    from gapless_models.corpora.downloading import right  # noqa: PLC0415

    corpora = _chosen(parsed.names)
    rows: list[tuple[str, str, str]] = []
    for corpus in corpora:
        if parsed.clones:
            rows += pinning.compare(corpus, Path(parsed.clones))
            continue
        folder = places.folder_of(corpus, _root(corpus, parsed.data))
        if not parsed.names and not folder.is_dir():
            continue
        rows += [
            (corpus.name, file.name, pinning.RIGHT if right(folder / file.name, file) else "wrong or missing")
            for file in corpus.files
        ]
    console.table("Checksums", ("corpus", "file", "checksum"), rows)
    keys = ("corpus", "file", "checksum")
    console.data({"files": [dict(zip(keys, row, strict=True)) for row in rows]})
    return exit_codes.PROVED if all(verdict == pinning.RIGHT for _, _, verdict in rows) else exit_codes.FAILED


def print_pins(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless data pin CLONE COMMIT NAME=PATH ...``."""
    pairs = [text.partition("=") for text in parsed.files]
    for name, equals, path in pairs:
        if not (name and equals and path):
            raise gl.InvalidProblem(f"{name}{equals}{path}: expected NAME=PATH")
    commit, files = pinning.pins(Path(parsed.clone), parsed.commit, {name: path for name, _, path in pairs})
    console.result(pinning.as_toml(commit, files))
    console.data({"commit": commit, "files": files})
    return exit_codes.PROVED


def _chosen(names: Sequence[str]) -> list[OpenCorpus]:
    return [registry.find(name) for name in dict.fromkeys(names)] or list(registry.offered().values())


def _root(corpus: OpenCorpus, data: str | None) -> Path:
    return Path(data) if data else places.root_of(corpus)


def _state(corpus: OpenCorpus, data: str | None) -> str:
    return places.state(corpus, _root(corpus, data))


def _describe(corpus: OpenCorpus, console: Console) -> None:
    restricted = "" if corpus.commercial else " (not for commercial use)"
    console.info(f"{corpus.name}: {corpus.title}, {corpus.version}, {corpus.bytes / 1e6:.1f} MB")
    console.info(f"  licence {corpus.licence}{restricted}: {corpus.licence_url}")
    console.info(f"  please cite {corpus.citation}")
    console.info(f"  from {corpus.source}")


def _document(corpus: OpenCorpus, data: str | None) -> dict[str, Any]:
    root = _root(corpus, data)
    return {
        **{name: getattr(corpus, name) for name in _FIELDS},
        "here": places.state(corpus, root),
        "path": str(places.folder_of(corpus, root)),
        "files": [
            {"name": file.name, "bytes": file.bytes, "sha256": file.sha256, "url": corpus.url(file)}
            for file in corpus.files
        ],
    }
