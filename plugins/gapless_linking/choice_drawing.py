"""A choice drawn as SVG: chosen candidates, how far they are from each other, and what was not chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

import attrs
import numpy as np

from gapless.arrays.sparse import IntArray
from gapless.svg import BLUE, GREEN, GREY, INK, RED, cut, svg, text
from gapless_linking.problem import LinkingProblem
from gapless_linking.shortest_paths import Path, shortest_paths

_TOP, _BESIDE, _ABOVE = 60.0, 230.0, 110.0
"""Space for the title, and next to and above the ellipse for mentions and their candidates."""
_OTHERS = 4
"""Candidates that were not chosen, at most so many for each mention."""
_LETTERS = 28
"""Longer names are cut."""
_LINE = 16.0
_ROUNDS, _ROOM = 60, 30.0
"""Moves of each inner vertex, and the room that it has in the end."""
_SHOWN = 12
"""Mentions, the first ones."""
_TRACED = 100_000
"""Vertices of a graph in which paths are looked for; in a larger one only their lengths are shown."""
_LABELLED = 6
"""Chosen vertices between which distances are written; with more, only the lines show them."""
_NEAR = 2
"""Distances that are drawn in blue."""

Place = tuple[float, float]


@attrs.frozen
class _Frame:
    """The ellipse on which the chosen candidates stand, by its half axes, and the picture around it."""

    across: float
    up: float

    @property
    def width(self) -> float:
        return 2 * (self.across + _BESIDE)

    @property
    def height(self) -> float:
        return _TOP + 2 * (self.up + _ABOVE)

    @property
    def centre(self) -> Place:
        return self.width / 2, _TOP + _ABOVE + self.up

    def place(self, number: int, count: int) -> Place:
        angle = 2 * math.pi * number / count - math.pi / 2
        return self.centre[0] + self.across * math.cos(angle), self.centre[1] + self.up * math.sin(angle)


@attrs.frozen
class _Scene:
    """The vertices that are drawn.

    `fair`: the right vertices.
    """

    problem: LinkingProblem
    chosen: Sequence[int]
    mentions: Sequence[str]
    name: Callable[[int], str]
    fair: Sequence[Collection[int]] | None
    frame: _Frame


def draw_choice(
    problem: LinkingProblem,
    chosen: IntArray,
    mentions: Sequence[str] = (),
    *,
    name: Callable[[int], str] | None = None,
    fair: Sequence[Collection[int]] | None = None,
    title: str = "",
) -> str:
    """Draw the chosen candidates in their neighbourhood.

    They stand on an ellipse; between them, vertices that shortest paths run through, or where no graph of unit
    lengths is at hand, the distances. Outside stand the mentions and their other candidates. Edges of the
    connection are dashed.

    Parameters
    ----------
    chosen : int array (k,)
        Vertices.
    mentions : sequence of k str
        Those of the problem, or numbers, when there are not as many.
    name : callable, optional
        Name of a vertex; by default the problem's, or its number.
    fair : sequence of k collections of int, optional
        The right vertices of each mention: then those are green and wrong ones red.
    """
    vertices = chosen.tolist()
    spelled = mentions if len(mentions) == problem.k else [problem.mention(i) for i in range(problem.k)]
    shown = range(min(problem.k, _SHOWN))
    ends = list(dict.fromkeys(vertices[i] for i in shown))
    graph = problem.graph
    traced = graph is not None and graph.weights is None and graph.vertex_count <= _TRACED
    frame = _Frame(330.0, 230.0) if traced or len(ends) > _LABELLED else _Frame(170.0, 120.0)
    scene = _Scene(problem, vertices, spelled, name or _namer(problem), fair, frame)
    outer = {vertex: frame.place(number, len(ends)) for number, vertex in enumerate(ends)}
    between = _paths(scene, outer, shown) if traced else _distances(scene, outer)

    def drawn() -> Iterator[str]:
        yield text(frame.centre[0], 28, cut(title, 130), INK, 15)
        if problem.k > _SHOWN:
            yield text(frame.centre[0], 50, f"the first {_SHOWN} of {problem.k}", GREY, 13)
        yield from between
        for vertex, place in outer.items():
            yield from _chosen(scene, vertex, [i for i in shown if vertices[i] == vertex], place)

    pairs = ", ".join(f"{spelled[i]} is {scene.name(vertices[i])}" for i in shown)
    return svg(frame.width, frame.height, f"A choice that costs {problem.value(chosen):g}: {pairs}", drawn())


def _namer(problem: LinkingProblem) -> Callable[[int], str]:
    return problem.name if problem.has_names else lambda vertex: f"vertex {vertex}"


def _paths(scene: _Scene, outer: Mapping[int, Place], shown: Sequence[int]) -> Iterator[str]:
    """Draw shortest paths between the chosen vertices, and the vertices on them."""
    paths = shortest_paths(scene.problem, scene.chosen, shown)
    places = _inside(outer, paths)
    edges = {
        (min(u, v), max(u, v)): step in path.added
        for path in paths
        for step, (u, v) in enumerate(pairwise(path.vertices))
    }
    for (u, v), added in edges.items():
        dashed = ' stroke-dasharray="5 4"' if added else ""
        yield _line(places[u], places[v], f'stroke="#bbbbbb" stroke-width="1.5"{dashed}')
    for vertex, (x, y) in places.items():
        if vertex not in outer:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{GREY}"/>'
            yield text(x, y - 7, cut(scene.name(vertex), _LETTERS), GREY, 12, halo=True)


def _distances(scene: _Scene, outer: Mapping[int, Place]) -> Iterator[str]:
    """Draw a line between each two chosen vertices, stronger for nearer ones, with their distance."""
    problem = scene.problem
    ends = list(outer)
    slots = np.searchsorted(problem.points, ends)
    lengths = problem.lengths(slots, slots)
    for i, j in combinations(range(len(ends)), 2):
        length = float(lengths[i, j])
        # No path leads between the two.
        if not math.isfinite(length):
            continue
        (a, b), (c, d) = outer[ends[i]], outer[ends[j]]
        ink = BLUE if length <= _NEAR else "#bbbbbb"
        yield _line((a, b), (c, d), f'stroke="{ink}" stroke-width="{3 / (1 + length):.1f}"')
        if len(ends) <= _LABELLED:
            yield text((2 * a + c) / 3, (2 * b + d) / 3 + 4, f"{length:g}", INK, 13, halo=True)


def _line(start: Place, end: Place, style: str) -> str:
    return f'<path d="M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}" {style}/>'


def _inside(outer: Mapping[int, Place], paths: Sequence[Path]) -> dict[int, Place]:
    """Place all vertices: inner ones at the mean of their neighbours, separated if they meet."""
    near: dict[int, set[int]] = {}
    for path in paths:
        for u, v in pairwise(path.vertices):
            near.setdefault(u, set()).add(v)
            near.setdefault(v, set()).add(u)
    inner = [vertex for vertex in near if vertex not in outer]
    centre = np.mean(list(outer.values()), axis=0)
    row = {vertex: number for number, vertex in enumerate((*outer, *inner))}
    begun = [centre + np.array([number % 7 - 3.0, number % 5 - 2.0]) for number in range(len(inner))]
    at = np.array([*outer.values(), *begun], np.float64)
    neighbours = {row[vertex]: [row[other] for other in sorted(near[vertex])] for vertex in inner}
    wide = np.array([0.35, 1.0])  # labels are
    for _ in range(_ROUNDS):
        for place, others in neighbours.items():
            at[place] = at[others].mean(axis=0)
        for place in neighbours:
            met = np.flatnonzero((((at[place] - at) * wide) ** 2).sum(axis=1) < _ROOM**2)
            for other in met[met != place].tolist():
                apart = (at[place] - at[other]) * wide
                distance = float(np.hypot(*apart))
                at[place] += max(0.0, _ROOM - distance) * apart / max(distance, 1e-6) + (0.01, 0.0)
    return {vertex: (float(at[place, 0]), float(at[place, 1])) for vertex, place in row.items()}


def _chosen(scene: _Scene, vertex: int, mentions: Sequence[int], place: Place) -> Iterator[str]:
    """Draw a box with the candidate's name, and next to it the mention and the other candidates."""
    x, y = place
    colour = BLUE
    if scene.fair is not None:
        colour = GREEN if all(vertex in scene.fair[i] for i in mentions) else RED
    label = cut(scene.name(vertex), _LETTERS)
    half = len(label) * 3.9 + 10
    yield (
        f'<rect x="{x - half:.1f}" y="{y - 13:.1f}" width="{2 * half:.1f}" height="26" rx="6" fill="white" '
        f'stroke="{colour}" stroke-width="2"/>'
    )
    yield text(x, y + 5, label, INK, 13)
    lines = [line for i in mentions for line in _lines(scene, vertex, i)]
    side = round((x - scene.frame.centre[0]) / scene.frame.across, 6)
    anchor = "start" if side > 0.5 else "end" if side < -0.5 else "middle"
    across = x + {"start": half + 10, "end": -half - 10, "middle": 0.0}[anchor]
    above = y < scene.frame.centre[1]
    if anchor == "middle":
        first = y - 22 - _LINE * (len(lines) - 1) if above else y + 30
    else:
        first = y + 5 - _LINE * (len(lines) - 1) / 2
    for number, (words, ink, size) in enumerate(lines):
        yield text(across, first + _LINE * number, words, ink, size, halo=True, anchor=anchor)


def _lines(scene: _Scene, vertex: int, i: int) -> Iterator[tuple[str, str, int]]:
    fair = scene.fair[i] if scene.fair is not None else ()
    others = sorted((v for v in scene.problem.candidates[i].tolist() if v != vertex), key=lambda v: v not in fair)
    yield f"“{cut(scene.mentions[i], _LETTERS)}”", BLUE, 14
    for other in others[:_OTHERS]:
        yield cut(scene.name(other), _LETTERS), GREEN if other in fair else GREY, 12
    if len(others) > _OTHERS:
        yield f"and {len(others) - _OTHERS} more", GREY, 12
