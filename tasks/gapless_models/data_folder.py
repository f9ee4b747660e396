"""The folder of corpora: one rule for all tasks and benchmarks."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def named_folder() -> str | None:
    """The folder that the environment variable GAPLESS_DATA names; None where it is unset or empty."""
    return os.environ.get("GAPLESS_DATA") or None


def add_data_option(parser: argparse.ArgumentParser, folder: str | Path, otherwise: str) -> None:
    """Add ``--data``; without it a task reads what GAPLESS_DATA names, if that holds the task's folder.

    Parameters
    ----------
    parser : ArgumentParser
    folder : str or Path
        What the task reads below the folder of corpora, such as ``tagging/wsj_pos``.
    otherwise : str
        What it takes without a folder of corpora: "embedded documents".
    """
    named = named_folder()
    parser.add_argument(
        "--data",
        metavar="DIR",
        type=lambda given: given or None,
        default=named if named is not None and (Path(named) / folder).is_dir() else None,
        help=f"folder of corpora; uses DIR/{folder} (default: what GAPLESS_DATA names, if that holds it, else "
        f"{otherwise}; '' for those)",
    )
