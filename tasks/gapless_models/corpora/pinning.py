"""For those who add a corpus: checksums from a clone of its repository, never from a download."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gapless as gl
from gapless_models.corpora.registry import OpenCorpus

RIGHT = "right"
_POINTER = b"version https://git-lfs.github.com/"


def pins(clone: Path, commit: str, files: Mapping[str, str]) -> tuple[str, list[dict[str, Any]]]:
    """Compute the sizes and checksums of files at a commit.

    Parameters
    ----------
    clone : Path
        Of a git repository, bare or not.
    commit : str
        Whatever git takes for one.
    files : mapping
        From names to paths in the repository.

    Returns
    -------
    str
        The commit's id.
    list of dict
        Fields of `CorpusFile`.

    Raises
    ------
    InvalidProblem
        No such clone, commit or file; or a pointer stands for the file, whose content is elsewhere.
    """
    full_hash = _git(clone, "rev-parse", "--verify", f"{commit}^{{commit}}").decode().strip()
    pinned = []
    for name, path in files.items():
        content = _git(clone, "cat-file", "blob", f"{full_hash}:{path}")
        if content.startswith(_POINTER):
            raise gl.InvalidProblem(f"{clone}: {path} is a pointer to a large file; there is nothing to pin")
        digest = hashlib.sha256(content).hexdigest()
        pinned.append({"name": name, "path": path, "bytes": len(content), "sha256": digest})
    return full_hash, pinned


def as_toml(commit: str, found: Sequence[Mapping[str, Any]]) -> str:
    """Format pinned files as lines of the registry."""
    lines = [
        f"  {{ {', '.join(f'{field} = {json.dumps(value)}' for field, value in one.items())} }}," for one in found
    ]
    return "\n".join([f'commit = "{commit}"', "files = [", *lines, "]"])


def compare(corpus: OpenCorpus, clones: Path) -> list[tuple[str, str, str]]:
    """Yield corpus, file and verdict for each file; `clones` holds the repositories under their names."""
    rows = []
    for file in corpus.files:
        try:
            _, (pinned,) = pins(clones / corpus.repository.partition("/")[2], corpus.commit, {file.name: file.path})
            same = (pinned["bytes"], pinned["sha256"]) == (file.bytes, file.sha256)
            rows.append((corpus.name, file.name, RIGHT if same else f"wrong: {pinned['bytes']} {pinned['sha256']}"))
        except gl.InvalidProblem as error:
            rows.append((corpus.name, file.name, f"cannot be read: {error}"))
    return rows


def _git(clone: Path, *arguments: str) -> bytes:
    try:
        answer = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=False)  # noqa: S603, S607
    except OSError as error:
        raise gl.InvalidProblem(f"git is needed to read {clone} ({error.strerror})") from error
    if answer.returncode:
        raise gl.InvalidProblem(f"{clone}: git says: {answer.stderr.decode('utf-8', 'replace').strip()}")
    return answer.stdout
