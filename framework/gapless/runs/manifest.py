"""Identity of a run: settings and data that determine its answers, and its state."""

from __future__ import annotations

import enum
import importlib.metadata
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from gapless.arrays.serial import write_aside
from gapless.errors import InvalidProblem
from gapless.runs.fingerprint import Fingerprint

MANIFEST = "manifest.json"
FORMAT = 1


class State(enum.Enum):
    """State of a run. A run that is RUNNING in a folder without a lock holder was killed."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"


@attrs.frozen
class Manifest:
    """Content of ``manifest.json``.

    Parameters
    ----------
    settings : mapping of str to JSON data
        Options that affect the answers, by their names on the command line.
    records, measured : sequence of str
        Logs of the folder: of `gapless.Record`, which can be verified, and of `LoggedAnswer`, with numbers only.
    began : str
        UTC time of the first start.
    version : str
        Version of gapless at the last start.
    timed : mapping of str to float or None
        Speeds that the run measures once, by name.
    """

    task: str
    settings: Mapping[str, Any]
    data: Mapping[str, Fingerprint] = attrs.field(factory=dict)
    records: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    measured: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    state: State = attrs.field(default=State.RUNNING, converter=State)
    began: str = attrs.field(factory=lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    starts: int = 1
    version: str = attrs.field(factory=lambda: importlib.metadata.version("gapless"))
    timed: Mapping[str, float | None] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        # `--overwrite` removes these files: a crafted manifest must not name others (decision 064).
        for name in (*self.records, *self.measured):
            if Path(name).is_absolute() or ".." in Path(name).parts:
                raise InvalidProblem(f"the log {name!r} lies outside the folder of the run")

    @classmethod
    def load(cls, folder: Path) -> Manifest | None:
        """Read the manifest of a folder; return None if there is none.

        Raises `InvalidProblem`: it cannot be read, or has another format.
        """
        path = folder / MANIFEST
        try:
            fields = json.loads(path.read_text("utf-8"))
            stored_format = fields.pop("format")
            if stored_format != FORMAT:
                raise InvalidProblem(
                    f"it has format {stored_format!r}; this version of gapless reads format {FORMAT}"
                )
            data = {name: Fingerprint(**stored) for name, stored in fields.pop("data").items()}
            return cls(data=data, **fields)
        except FileNotFoundError:
            return None
        except (ValueError, LookupError, RecursionError, TypeError, AttributeError) as error:
            raise InvalidProblem(
                f"{path}: not a readable manifest ({type(error).__name__}: {error}); use --overwrite to start again"
            ) from error

    def save(self, folder: Path) -> None:
        """Write the manifest atomically."""
        document = {"format": FORMAT, **attrs.asdict(self), "state": self.state.value}
        write_aside(folder / MANIFEST, json.dumps(document, indent=2, allow_nan=False) + "\n")
