"""Concepts with names and links: what an entity linker for own text needs to know, in one file of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path

import attrs
import networkx as nx
import numpy as np

from gapless.arrays.serial import write_aside
from gapless.arrays.sparse import IntArray
from gapless_linking import LinkingProblem
from gapless_models.linking.document import Knowledge
from gapless_models.linking.readers import LinkingFileError
from gapless_models.text_lines import numbered_lines

_FIELDS = 3
_ARTICLES = {"a", "an", "the"}


@attrs.frozen
class Mention:
    """Words of a text that name a concept.

    Parameters
    ----------
    first, end : int
        The words ``first`` to ``end - 1``, from 0.
    candidates : int64 (m,)
        The concepts of that name, ascending.
    """

    first: int
    end: int
    candidates: IntArray


@attrs.frozen(eq=False, slots=False)
class Concepts:
    """A concept graph whose vertices have names.

    Parameters
    ----------
    knowledge : Knowledge
    called : mapping of str to int64 array
        The concepts of each name, in lower case.
    lines : tuple of str
        Those of the file.
    """

    knowledge: Knowledge
    called: Mapping[str, IntArray]
    lines: tuple[str, ...] = attrs.field(repr=False)

    @classmethod
    def read(cls, path: str | Path) -> Concepts:
        """Read a file of concepts.

        A line holds a concept's title, what else it is called and what it links to, separated by tabs; lists are
        separated by semicolons, links are titles. A concept is also called by its title without what stands in
        brackets.

        Raises
        ------
        FileNotFoundError
        LinkingFileError
            Damaged, a repeated title, a title without a concept, a concept that no chain of links joins to others.
        """
        file = Path(path)
        rows: dict[str, tuple[int, list[str], list[str]]] = {}
        lines: list[str] = []
        for number, line in numbered_lines(file, LinkingFileError, ".tsv"):
            location = f"{file}, line {number}"
            lines.append(line)
            fields = line.split("\t")
            if len(fields) != _FIELDS or not fields[0].strip():
                raise LinkingFileError(
                    f"{location}: {line!r:.60} is no concept; write title, other names and links, with tabs between"
                )
            title = fields[0].strip()
            if title in rows:
                raise LinkingFileError(
                    f"{location}: {title!r} is also the title of line {rows[title][0]}; give another"
                )
            rows[title] = number, _listed(fields[1]), _listed(fields[2])
        if not rows:
            raise LinkingFileError(f"{file}, line 1: no concept in the file")
        place_of = {title: i for i, title in enumerate(rows)}
        links = []
        for number, _, linked in rows.values():
            for title in linked:
                if title not in place_of:
                    raise LinkingFileError(
                        f"{file}, line {number}: links to {title!r}, which is no title of the file"
                    )
        called: dict[str, list[int]] = {}
        for i, (title, (_, others, linked)) in enumerate(rows.items()):
            links += [(i, place_of[to]) for to in linked]
            for name in {title.split(" (")[0].lower(), *(other.lower() for other in others)}:
                called.setdefault(name, []).append(i)
        undirected = nx.Graph(links)
        component = nx.node_connected_component(undirected, links[0][0]) if links else {0}
        for title, i in place_of.items():
            if i not in component:
                raise LinkingFileError(
                    f"{file}, line {rows[title][0]}: no chain of links joins {title!r} to the others; "
                    "distances need one: add a link"
                )
        knowledge = Knowledge.of_links(file.stem, tuple(rows), np.array(links))
        return cls(knowledge, {name: np.array(vertices) for name, vertices in called.items()}, tuple(lines))

    def write(self, path: str | Path) -> None:
        """Write the file that was read; it appears only when it is complete."""
        write_aside(path, "".join(f"{line}\n" for line in self.lines))

    @classmethod
    def embedded(cls) -> Concepts:
        """Load the concepts that come with gapless, written for this project."""
        with as_file(files("gapless_models.linking") / "data" / "concepts.tsv") as path:
            return cls.read(path)

    @cached_property
    def _longest(self) -> int:
        return max(name.count(" ") + 1 for name in self.called)

    def mentions(self, words: Sequence[str]) -> list[Mention]:
        """Find the names in a text, from left to right, and the longest where several begin at one word.

        "the jungle" may be the book of this name or any jungle: an article adds what the name after it means.
        """
        lower = [word.lower() for word in words]
        matches: list[Mention] = []
        first = 0
        while first < len(words):
            for end in range(min(len(words), first + self._longest), first, -1):
                candidates = self.called.get(" ".join(lower[first:end]))
                if candidates is not None:
                    if lower[first] in _ARTICLES:
                        without = self.called.get(" ".join(lower[first + 1 : end]), candidates)
                        candidates = np.union1d(candidates, without)
                    matches.append(Mention(first, end, candidates))
                    break
            first = matches[-1].end if matches and matches[-1].end > first else first + 1
        return matches

    def problem(self, words: Sequence[str], mentions: Sequence[Mention]) -> LinkingProblem:
        """Build the problem of choosing a concept for each of one or more mentions."""
        spelled = [" ".join(words[mention.first : mention.end]) for mention in mentions]
        return LinkingProblem(self.knowledge.graph, [mention.candidates for mention in mentions], mentions=spelled)


def _listed(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(";") if part.strip()]
