"""One document drawn as SVG: chosen candidates, the paths between them, and the candidates that were not chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from gapless_tasks.entity_linking.document import Knowledge
from gapless_tasks.entity_linking.explaining import SHOWN
from gapless_tasks.entity_linking.measuring import EXACT, Linked
from gapless_tasks.entity_linking.paths import Path, shortest_paths
from gapless_tasks.svg import BLUE, GREEN, GREY, INK, RED, svg, text

_WIDTH, _HEIGHT, _TOP = 1300.0, 880.0, 80.0
_ACROSS, _UP = 330.0, 230.0
"""Half axes of the ellipse on which the chosen candidates stand."""
_OTHERS = 4
"""Candidates that were not chosen, at most so many for each mention."""
_LETTERS = 28
"""Longer names are cut."""
_LINE = 15.0
_ROUNDS = 60

Place = tuple[float, float]


def draw_neighbourhood(linked: Linked, knowledge: Knowledge) -> str:
    """The exact answer in its neighbourhood as SVG.

    Chosen candidates stand on an ellipse, green where they are right and red where not; between them, vertices that
    shortest paths run through. Outside stand the mention and its other candidates, the right ones in green. Edges
    of the connection are dashed.
    """
    document, chosen = linked.document, linked.results[EXACT].best.tolist()
    shown = range(min(linked.problem.k, SHOWN))
    paths = shortest_paths(linked.problem, chosen, shown)
    ends = list(dict.fromkeys(chosen[i] for i in shown))
    outer = {vertex: _on_ellipse(number, len(ends)) for number, vertex in enumerate(ends)}
    places = _inside(outer, paths)
    edges = {
        (min(u, v), max(u, v)): step in path.added
        for path in paths
        for step, (u, v) in enumerate(pairwise(path.vertices))
    }

    def drawn() -> Iterator[str]:
        title = document.text or document.name
        yield text(_WIDTH / 2, 28, _cut(title, 130), INK, 15)
        for (u, v), added in edges.items():
            (a, b), (c, d) = places[u], places[v]
            dashed = ' stroke-dasharray="5 4"' if added else ""
            yield f'<path d="M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" stroke="#bbbbbb" stroke-width="1.5"{dashed}/>'
        for vertex, (x, y) in places.items():
            if vertex not in outer:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{GREY}"/>'
                yield text(x, y - 7, _cut(knowledge.titles[vertex]), GREY, 11, halo=True)
        for vertex, place in outer.items():
            mentions = [i for i in shown if chosen[i] == vertex]
            yield from _chosen(linked, knowledge, vertex, mentions, place)

    said = f"{document.name}: the best linking costs {linked.results[EXACT].value:g}"
    return svg(_WIDTH, _HEIGHT, said, drawn())


def _on_ellipse(number: int, count: int) -> Place:
    angle = 2 * math.pi * number / count - math.pi / 2
    return _WIDTH / 2 + _ACROSS * math.cos(angle), _TOP + (_HEIGHT - _TOP) / 2 + _UP * math.sin(angle)


def _inside(outer: Mapping[int, Place], paths: Sequence[Path]) -> dict[int, Place]:
    """Places of all vertices: the inner ones in the middle of their neighbours, pushed apart where they meet."""
    near: dict[int, set[int]] = {}
    for path in paths:
        for u, v in pairwise(path.vertices):
            near.setdefault(u, set()).add(v)
            near.setdefault(v, set()).add(u)
    inner = [vertex for vertex in near if vertex not in outer]
    centre = np.mean(list(outer.values()), axis=0)
    at = {vertex: np.array(place) for vertex, place in outer.items()}
    at |= {vertex: centre + np.array([number % 7 - 3.0, number % 5 - 2.0]) for number, vertex in enumerate(inner)}
    for _ in range(_ROUNDS):
        for vertex in inner:
            at[vertex] = np.mean([at[other] for other in sorted(near[vertex])], axis=0)
        for vertex in inner:
            for other in at:
                apart = (at[vertex] - at[other]) * np.array([0.35, 1.0])  # labels are wide
                distance = float(np.hypot(*apart))
                if other != vertex and distance < 30.0:
                    at[vertex] = at[vertex] + (30.0 - distance) * apart / max(distance, 1e-6) + (0.01, 0.0)
    return {vertex: (float(x), float(y)) for vertex, (x, y) in at.items()}


def _chosen(
    linked: Linked, knowledge: Knowledge, vertex: int, mentions: Sequence[int], place: Place
) -> Iterator[str]:
    """A box with the candidate's name, and beyond it what it was chosen for and from."""
    x, y = place
    document = linked.document
    right = all(vertex in document.fair[i] for i in mentions)
    label = _cut(knowledge.titles[vertex])
    half = len(label) * 3.9 + 10
    yield (
        f'<rect x="{x - half:.1f}" y="{y - 13:.1f}" width="{2 * half:.1f}" height="26" rx="6" fill="white" '
        f'stroke="{GREEN if right else RED}" stroke-width="2"/>'
    )
    yield text(x, y + 5, label, INK, 13)
    lines = [line for i in mentions for line in _lines(linked, knowledge, vertex, i)]
    side = round((x - _WIDTH / 2) / _ACROSS, 6)
    anchor = "start" if side > 0.5 else "end" if side < -0.5 else "middle"
    across = x + {"start": half + 10, "end": -half - 10, "middle": 0.0}[anchor]
    above = y < _TOP + (_HEIGHT - _TOP) / 2
    if anchor == "middle":
        first = y - 22 - _LINE * (len(lines) - 1) if above else y + 30
    else:
        first = y + 5 - _LINE * (len(lines) - 1) / 2
    for number, (words, colour, size) in enumerate(lines):
        yield text(across, first + _LINE * number, words, colour, size, halo=True, anchor=anchor)


def _lines(linked: Linked, knowledge: Knowledge, vertex: int, i: int) -> Iterator[tuple[str, str, int]]:
    document = linked.document
    fair = set(document.fair[i].tolist())
    others = sorted((v for v in document.sets[i].tolist() if v != vertex), key=lambda v: v not in fair)
    yield f"“{_cut(document.mentions[i])}”", BLUE, 14
    for other in others[:_OTHERS]:
        yield _cut(knowledge.titles[other]), GREEN if other in fair else GREY, 11
    if len(others) > _OTHERS:
        yield f"and {len(others) - _OTHERS} more", GREY, 11


def _cut(words: str, letters: int = _LETTERS) -> str:
    return words if len(words) <= letters else f"{words[: letters - 1]}…"
