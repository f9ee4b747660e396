"""The embedded corpus: concepts with links among them, and short documents, all written for this project."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import numpy as np

from gapless_models.linking.document import Corpus, Document, Knowledge

_MENTION = re.compile(r"\[([^]]+)\]")


def load_demo() -> Corpus:
    """Read ``data/concepts.tsv`` and ``data/documents.jsonl``.

    A line of the first holds a concept's title, what else it is called and what it links to, separated by tabs;
    lists are separated by semicolons. A concept is also called by its title without what stands in brackets. In
    the texts of the second, mentions stand in square brackets; the candidates are all concepts of that name.
    """
    data = files("gapless_models.linking") / "data"
    rows = [line.split("\t") for line in (data / "concepts.tsv").read_text("utf-8").splitlines()]
    titles = tuple(title for title, _, _ in rows)
    number = {title: i for i, title in enumerate(titles)}
    links = [(i, number[to]) for i, (_, _, linked) in enumerate(rows) for to in _listed(linked)]
    called: dict[str, list[int]] = {}
    for i, (title, others, _) in enumerate(rows):
        for name in {title.split(" (")[0].lower(), *(other.lower() for other in _listed(others))}:
            called.setdefault(name, []).append(i)
    documents = []
    for line in (data / "documents.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        mentions = tuple(_MENTION.findall(record["text"]))
        documents.append(
            Document(
                record["id"],
                tuple(np.array(called[mention.lower()]) for mention in mentions),
                tuple(np.array([number[title]]) for title in record["gold"]),
                mentions,
                _MENTION.sub(r"\1", record["text"]),
            )
        )
    return Corpus("embedded documents", Knowledge.of_links("concepts", titles, np.array(links)), tuple(documents))


def _listed(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(";") if part.strip()]
