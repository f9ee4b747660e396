"""The small tagged corpus that comes with gapless."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Literal

from gapless_models.tagging.readers import read_tagged
from gapless_models.tagging.sentence import TaggedSentence


def embedded_corpus(part: Literal["train", "test"]) -> list[TaggedSentence]:
    """Read a part of the embedded corpus.

    English sentences written for this project (news, science, cooking, travel, dialogue, daily life), tagged
    with the 17 universal part-of-speech tags; every fifth sentence is in the test part.
    """
    return _read(part)


def embedded_entities(part: Literal["train", "test"]) -> list[TaggedSentence]:
    """Read a part of the embedded sentences with entities.

    English sentences written for this project, rich in names; joint labels ``TAG|ENTITY`` of universal
    part-of-speech tags and persons, places and organisations in IOB2. The names of the test part are in the
    training part, most in other combinations.
    """
    return _read(f"entities_{part}")


def _read(name: str) -> list[TaggedSentence]:
    with as_file(files("gapless_models.tagging") / "data" / f"{name}.tsv") as path:
        return read_tagged(path)
