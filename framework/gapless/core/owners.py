"""Import of the class that a document names, when nothing that is loaded knows it."""

from __future__ import annotations

from collections.abc import Callable, Container

_LOADERS: list[Callable[[str], object]] = []


def ask_when_unknown(load: Callable[[str], object]) -> None:
    """Have ``load(package)`` called when a document names a class that is not known.

    It imports classes of one top-level package; of all plug-ins, if that was not enough, for an empty name.
    """
    _LOADERS.append(load)


def import_class(tag: str, known: Container[str]) -> None:
    """Have the class imported that a tag names, so that the tag becomes known."""
    for package in (tag.partition(".")[0], ""):
        for load in _LOADERS:
            if tag not in known:
                load(package)
