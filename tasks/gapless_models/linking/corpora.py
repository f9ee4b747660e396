"""Corpora of documents: a folder of corpora, or the embedded documents."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

import gapless as gl
from gapless.arrays.spelling_hint import spelling_hint
from gapless.cli import Console
from gapless_models.corpora.places import not_a_corpus
from gapless_models.linking.concepts import Concepts
from gapless_models.linking.document import Corpus, Document, Knowledge
from gapless_models.linking.readers import LinkingFileError, read_documents, read_knowledge

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


FOLDER = "entity_linking"
_WIKI, _WORDNET = "wiki", "wordnet30"
CORPORA = {
    "aida": (_WIKI, "aida.train"),
    "iitb": (_WIKI, "iitb_partial"),
    "aquaint": (_WIKI, "aquaint_partial"),
    "msnbc": (_WIKI, "msnbc_partial"),
    "ace2004": (_WIKI, "ace2004_partial"),
    "senseval2": (_WORDNET, "wsd_senseval2.sentences"),
    "semeval2007": (_WORDNET, "wsd_semeval2007.sentences"),
    "semeval2013": (_WORDNET, "wsd_semeval2013.sentences"),
    "senseval2-documents": (_WORDNET, "wsd_senseval2.documents"),
    "semeval2007-documents": (_WORDNET, "wsd_semeval2007.documents"),
    "semeval2013-documents": (_WORDNET, "wsd_semeval2013.documents"),
}
"""The name of each corpus, its graph and its file. The first of a graph is the one that the prior is fitted on."""


def load_corpora(data: str | None, names: Sequence[str] | None, console: Console) -> list[Corpus]:
    """Read the embedded documents, or corpora of ``DATA/entity_linking``.

    Parameters
    ----------
    data : str or None
        The folder of all corpora; below it ``entity_linking/graphs`` and ``entity_linking/instances``.
    names : sequence of str, optional
        Names in `CORPORA`; by default all of them.
    console : Console
        Hears what is read.

    Raises
    ------
    InvalidProblem
        An unknown name, or a file that cannot be read; the message names file, line and fix.
    """
    if data is None:
        if names:
            raise gl.InvalidProblem(
                "--corpora needs --data, or GAPLESS_DATA: without it there are the embedded documents only"
            )
        return [load_demo()]
    unknown = [name for name in names or () if name not in CORPORA]
    if unknown:
        hint = spelling_hint(unknown[0], CORPORA)
        raise gl.InvalidProblem(f"--corpora {unknown[0]}: no such corpus{hint}; there are {', '.join(CORPORA)}")
    root, known, corpora = Path(data) / FOLDER, dict[str, Knowledge](), []
    try:
        for name in names or CORPORA:
            graph, file = CORPORA[name]
            if graph not in known:
                known[graph] = read_knowledge(root / "graphs", graph)
                console.info(
                    f"{graph}: {known[graph].graph.vertex_count} vertices, {known[graph].graph.edge_count} edges"
                )
            documents = read_documents(root / "instances" / f"{file}.jsonl.gz", known[graph].graph)
            corpora.append(Corpus(name, known[graph], documents))
    except (LinkingFileError, OSError) as error:
        raise not_a_corpus(error, data, FOLDER, (Path(data) / "instances").is_dir()) from error
    return corpora
