"""The registry of open corpora: files with checksums, licences, citations."""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import attrs

import gapless as gl
from gapless.arrays.spelling_hint import spelling_hint
from gapless.errors import DuplicateName
from gapless.plugins import load_plugins
from gapless.plugins.manager import PluginWarning

ORIGIN = "https://raw.githubusercontent.com"
"""The origin that a mirror replaces."""
TREEBANK, TAGGED, INSTANCES = "treebank", "tagged", "instances"
NON_COMMERCIAL = "NC"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""A file name that cannot lead out of its folder."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_CHECKSUM = re.compile(r"[0-9a-f]{64}")


def _plain(instance: Any, attribute: Any, value: str) -> None:
    if not _PLAIN.fullmatch(value):
        raise gl.InvalidProblem(f"{attribute.name} {value!r}: a plain name is needed, without folders")


def _matches(pattern: re.Pattern[str], wanted: str) -> Any:
    def check(instance: Any, attribute: Any, value: str) -> None:
        if not pattern.fullmatch(value):
            raise gl.InvalidProblem(f"{attribute.name} {value!r}: {wanted} is needed")

    return check


@attrs.frozen
class CorpusFile:
    """One file of a corpus.

    Parameters
    ----------
    name : str
        Its local name: `train.conllu`, whatever its author calls it.
    path : str
        Its path in the repository.
    sha256 : str
        Of its content.
    """

    name: str = attrs.field(validator=_plain)
    path: str
    bytes: int
    sha256: str = attrs.field(validator=_matches(_CHECKSUM, "a SHA-256 checksum"))


def _read_files(listed: Sequence[Mapping[str, Any]]) -> tuple[CorpusFile, ...]:
    return tuple(CorpusFile(**fields) for fields in listed)


@attrs.frozen
class OpenCorpus:
    """A corpus at one commit of its repository on GitHub.

    Parameters
    ----------
    name : str
        For the command line, and of its folder.
    kind : {"treebank", "tagged", "instances"}
        Instances are those of a plug-in's problem.
    repository : str
        OWNER/NAME.
    licence : str
        Its SPDX identifier.
    use : sequence of str
        Commands that use a set of instances; ``{folder}`` stands for its folder.
    """

    name: str = attrs.field(validator=_plain)
    title: str
    version: str
    kind: str = attrs.field(validator=attrs.validators.in_((TREEBANK, TAGGED, INSTANCES)))
    repository: str
    commit: str = attrs.field(validator=_matches(_COMMIT, "a whole commit id"))
    licence: str
    licence_url: str
    citation: str
    files: tuple[CorpusFile, ...] = attrs.field(converter=_read_files)
    languages: str = ""
    use: tuple[str, ...] = attrs.field(converter=tuple, default=())

    @property
    def bytes(self) -> int:
        """Size of all files together."""
        return sum(file.bytes for file in self.files)

    @property
    def commercial(self) -> bool:
        """Whether the licence leaves commercial use open."""
        return NON_COMMERCIAL not in self.licence.split("-")

    @property
    def source(self) -> str:
        """Web page of the pinned commit."""
        return f"https://github.com/{self.repository}/tree/{self.commit}"

    def url(self, file: CorpusFile, mirror: str | None = None) -> str:
        """Return the address of a file; `mirror` takes the place of `ORIGIN`."""
        return f"{(mirror or ORIGIN).rstrip('/')}/{self.repository}/{self.commit}/{quote(file.path)}"

    @property
    def commands(self) -> tuple[str, ...]:
        """Commands that use the corpus."""
        if self.kind == INSTANCES:
            return self.use
        tagging = f"gapless run pos-tagging --corpus {self.name}"
        if self.kind == TAGGED:
            return (tagging,)
        if not any(file.name.startswith("train.") for file in self.files):
            return (f"gapless run dependency-parsing --treebank {self.name} --model FILE",)
        return (f"gapless run dependency-parsing --treebank {self.name}", tagging)


def read_registry(text: str) -> Mapping[str, OpenCorpus]:
    """Read a registry: TOML with one table for each corpus, named like it.

    Raises
    ------
    InvalidProblem
        No TOML, or a field that is missing, unknown or impossible; the message names the corpus.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise gl.InvalidProblem(f"the registry of corpora is no TOML: {error}") from error
    corpora = {}
    for name, fields in tables.items():
        try:
            corpora[name] = OpenCorpus(name=name, **fields)
        except (TypeError, ValueError) as error:
            raise gl.InvalidProblem(f"the registry of corpora: {name}: {error}") from error
    return corpora


@cache
def known() -> Mapping[str, OpenCorpus]:
    """Return the registry that comes with gapless."""
    return read_registry((files("gapless_models.corpora") / "data" / "registry.toml").read_text("utf-8"))


def offered() -> Mapping[str, OpenCorpus]:
    """Return `known` and the corpora that plug-ins offer by the hook ``gapless_data``; report broken ones by name.

    Raises
    ------
    DuplicateName
        Two of them have the same name.
    """
    corpora = dict(known())
    for hook in reversed(load_plugins().hook.gapless_data.get_hookimpls()):
        try:
            text = hook.function()
            tables = {} if text is None else read_registry(text)
        except Exception as error:  # of any kind: it is the plug-in's code
            reason = f"{type(error).__name__}: {error}"
            warnings.warn(f"plug-in {hook.plugin_name} is broken: {reason}", PluginWarning, stacklevel=2)
            continue
        for name, corpus in tables.items():
            if name in corpora:
                raise DuplicateName(f"the corpus {name!r} is offered twice")
            corpora[name] = corpus
    return corpora


def find(name: str) -> OpenCorpus:
    """Return the corpus of this name.

    Raises
    ------
    UnknownName
    """
    corpora = offered()
    if name not in corpora:
        raise gl.UnknownName(
            f"no corpus is called {name!r}{spelling_hint(name, corpora)}; gapless data list names all"
        )
    return corpora[name]
