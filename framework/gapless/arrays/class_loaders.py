"""Loaders for classes that a document names before their package is imported."""

from __future__ import annotations

from collections.abc import Callable, Container

_LOADERS: list[Callable[[str], object]] = []


def register_class_loader(load: Callable[[str], object]) -> None:
    """Register ``load(package)``, which is called when a document names an unknown class.

    It imports the plug-ins of one top-level package, or all plug-ins if `package` is empty.
    """
    _LOADERS.append(load)


def import_class(tag: str, known: Container[str]) -> None:
    """Import the class that a tag names, so that `known` contains the tag."""
    # The tag's own package first: importing every plug-in is slow.
    for package in (tag.partition(".")[0], ""):
        for load in _LOADERS:
            if tag not in known:
                load(package)
