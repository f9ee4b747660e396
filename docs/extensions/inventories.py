"""Inventories for intersphinx, written from ``docs/inventories.toml``: a build fetches nothing."""

from __future__ import annotations

import tomllib
import zlib
from pathlib import Path

HEAD = (
    "# Sphinx inventory version 2\n# Project: {}\n# Version: \n"
    "# The remainder of this file is compressed using zlib.\n"
)


def write_inventories(listed: Path, folder: Path) -> dict[str, tuple[str, str]]:
    """Write one file for each project below `folder`; return the value of ``intersphinx_mapping``."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for project, names in tomllib.loads(listed.read_text("utf-8")).items():
        address = names.pop("address")
        lines = "".join(f"{name} py:{role} 1 {place} -\n" for name, (role, place) in names.items())
        kept = folder / f"{project}.inv"
        kept.write_bytes(HEAD.format(project).encode() + zlib.compress(lines.encode()))
        mapping[project] = (address, str(kept))
    return mapping
