"""Reading graphs, names and documents of the linking corpora; faults are reported with their lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_linking import Graph
from gapless_linking.graph_reading import read_edges
from gapless_models.linking.document import Document, Knowledge, directed, links_to
from gapless_models.text_lines import numbered_lines

_MOST = 2**62
"""Ids of vertices are below."""


class LinkingFileError(ValueError):
    """A file that cannot be read; the message names the file, the line and the fix."""


def read_knowledge(folder: Path, name: str) -> Knowledge:
    """Read ``NAME.edges.gz``, ``NAME.names.tsv.gz`` and, where it is there, ``NAME.arcs.gz`` (directed links).

    Raises
    ------
    FileNotFoundError
        The graph or its names are missing.
    InvalidProblem, LinkingFileError
        Damaged, or a line that does not fit; the message names file and line.
    """
    path = folder / f"{name}.edges.gz"
    graph = Graph.read(path, largest_component=True)
    titles, in_links = read_names(folder / f"{name}.names.tsv.gz")
    if int(graph.vertices.max()) >= len(titles):
        raise LinkingFileError(f"{path}: names vertex {graph.vertices.max()}, but only {len(titles)} have a name")
    arcs = None
    if (folder / f"{name}.arcs.gz").exists():
        arcs = directed(len(titles), read_edges(folder / f"{name}.arcs.gz")[0])
        if in_links is None:
            in_links = links_to(arcs)
    return Knowledge(name, graph, titles, in_links, arcs)


def read_names(path: Path) -> tuple[tuple[str, ...], FloatArray | None]:
    """Read titles by vertex, and the counts of links to them.

    A count is NaN where the file has none; the counts are None where it has no such column. Fields are separated by
    tabs: vertex, title, source, in-links and out-links of an encyclopaedia; vertex, key and lemmas, separated by
    commas, of a dictionary. The last three may be missing.
    """
    titles: list[str] = []
    counts: list[float] = []
    for number, line in numbered_lines(path, LinkingFileError, ".tsv"):
        fields = line.split("\t")
        location = f"{path}, line {number}"
        if len(fields) < 2 or fields[0] != str(number - 1):
            raise LinkingFileError(
                f"{location}: {line!r:.60} does not begin with {number - 1}, a tab and a name; "
                "vertices count from 0"
            )
        titles.append(f"{fields[2].split(',')[0]} {fields[1]}" if len(fields) == 3 else fields[1])
        counted = fields[3] if len(fields) > 4 else ""
        if counted and not counted.isdigit():
            raise LinkingFileError(f"{location}: {counted!r:.40} is no count of links; leave it empty if unknown")
        counts.append(float(counted) if counted else np.nan)
    known = np.array(counts)
    return tuple(titles), None if np.isnan(known).all() else known


def read_documents(path: Path, graph: Graph) -> tuple[Document, ...]:
    """Read the documents of a file.

    Parameters
    ----------
    path : Path
        JSON lines, plain or gzip-compressed; each an object with ``id``, ``sets``, ``gold`` and ``mentions``: a
        string, two lists of k lists of vertices, a list of k strings. Other fields are passed over.
    graph : Graph
        All candidates must be vertices of it.

    Raises
    ------
    FileNotFoundError
    LinkingFileError
        Damaged, empty, a line that is no document, an unknown vertex, gold that is no candidate; names the line.
    """
    documents: dict[str, Document] = {}
    for number, line in numbered_lines(path, LinkingFileError, ".jsonl"):
        location = f"{path}, line {number}"
        document = _document(line, location)
        for i, members in enumerate(document.sets):
            unknown = members[graph.inner(members) < 0]
            if unknown.size:
                raise LinkingFileError(f"{location}: sets[{i}] names vertex {unknown[0]}, which the graph has not")
        if document.name in documents:
            raise LinkingFileError(f"{location}: the id {document.name!r} is there twice; give it another one")
        documents[document.name] = document
    if not documents:
        raise LinkingFileError(f"{path}, line 1: no document in the file; expected one JSON object a line")
    return tuple(documents.values())


def _document(line: str, place: str) -> Document:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LinkingFileError(f"{place}: not JSON ({error}); the file may be cut short") from error
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        raise LinkingFileError(f"{place}: not an object with a string id")
    sets, gold = (_sets(record, field, place) for field in ("sets", "gold"))
    mentions = record.get("mentions")
    if not isinstance(mentions, list) or not all(isinstance(member, str) for member in mentions):
        raise LinkingFileError(f"{place}: mentions is {mentions!r:.40}, expected a list of strings")
    if not len(sets) == len(gold) == len(mentions) > 0:
        raise LinkingFileError(
            f"{place}: {len(sets)} sets, {len(gold)} gold sets, {len(mentions)} mentions; each needs one of each"
        )
    for i, (members, fair) in enumerate(zip(sets, gold, strict=True)):
        foreign = np.setdiff1d(fair, members)
        if foreign.size:
            raise LinkingFileError(f"{place}: gold[{i}] names vertex {foreign[0]}, which is not in sets[{i}]")
    return Document(record["id"], sets, gold, tuple(mentions))


def _sets(record: dict[str, Any], field: str, place: str) -> tuple[IntArray, ...]:
    sets = []
    listed = record.get(field)
    if not isinstance(listed, list):
        raise LinkingFileError(f"{place}: {field} is {listed!r:.40}, expected a list of lists of vertices")
    for i, members in enumerate(listed):
        where = f"{place}: {field}[{i}]"
        if not isinstance(members, list) or not all(type(v) is int and abs(v) < _MOST for v in members):
            raise LinkingFileError(f"{where} is {members!r:.40}, expected a list of vertices")
        if not members:
            raise LinkingFileError(f"{where} is {members!r:.40}, expected a list of vertices, at least one")
        if len(set(members)) < len(members):
            raise LinkingFileError(f"{where} names a vertex twice")
        sets.append(np.array(sorted(members), np.int64))
    return tuple(sets)
