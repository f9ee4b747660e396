"""The embedded corpus: concepts with links among them, and short documents, all written for this project."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import numpy as np

from gapless_models.linking.concepts import Concepts
from gapless_models.linking.document import Corpus, Document

_MENTION = re.compile(r"\[([^]]+)\]")


def load_demo() -> Corpus:
    """Read ``data/concepts.tsv``, see `Concepts.read`, and ``data/documents.jsonl``.

    In the texts of the second, mentions stand in square brackets; the candidates are all concepts of that name.
    """
    concepts = Concepts.embedded()
    number = {title: i for i, title in enumerate(concepts.knowledge.titles)}
    documents = []
    text = (files("gapless_models.linking") / "data" / "documents.jsonl").read_text("utf-8")
    for line in text.splitlines():
        record = json.loads(line)
        mentions = tuple(_MENTION.findall(record["text"]))
        documents.append(
            Document(
                record["id"],
                tuple(concepts.called[mention.lower()] for mention in mentions),
                tuple(np.array([number[title]]) for title in record["gold"]),
                mentions,
                _MENTION.sub(r"\1", record["text"]),
            )
        )
    return Corpus("embedded documents", concepts.knowledge, tuple(documents))
