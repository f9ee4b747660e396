"""Drawing of a diagram: its layered graph, from left to right."""

from __future__ import annotations

import itertools

from gapless.core.decisions import Decisions
from gapless.core.diagram import Diagram
from gapless.core.errors import InvalidProblem
from gapless.core.factor import name_of
from gapless.svg import BLUE, GREY, INK, cut, svg, text

LARGEST = 200
"""More nodes are no picture."""


def draw_diagram(factor: Diagram, decisions: Decisions) -> str:
    """Draw the layered graph of a factor, each layer a column, as one SVG element.

    Solid edges turn a decision on, dashed ones none. Beside an edge stand, where a layer reads several decisions,
    the indices in the layer of those that take it, and its score unless it is 0; the scores of the ends stand in
    the nodes of the last column.

    Raises
    ------
    InvalidProblem
        The graph has more than 200 nodes.
    """
    graph, layout = factor.graph(decisions), factor.layout(decisions)
    if graph.nodes > LARGEST:
        raise InvalidProblem(
            f"factor {name_of(factor)}: a graph of {graph.nodes} nodes is no picture; draw one of {LARGEST} at most"
        )
    first = graph.layer_nodes.tolist()
    widths = [end - start for start, end in itertools.pairwise(first)]
    column, row, top = 150.0, 56.0, 70.0
    height = top + row * max([1, *widths]) + 10
    width = column * len(widths) + 40

    def place(node: int) -> tuple[float, float]:
        layer = next(number for number, start in reversed(list(enumerate(first[:-1]))) if node >= start)
        middle = top + row * max([1, *widths]) / 2
        return 60 + column * layer, middle + row * (node - first[layer] - (widths[layer] - 1) / 2)

    title = f"{name_of(factor)}: {graph.nodes} nodes in {len(widths)} columns"
    drawn = [text(20, 24, title, INK, 14, anchor="start")]
    for layer, places in enumerate(layout.places):
        said = ", ".join(decisions.name(int(d)) for d in layout.scope[places]) or "nothing"
        drawn.append(text(60 + column * (layer + 0.5), 48, cut(said, 20), GREY, 10))
    index = {int(place): (at, places.size) for places in layout.places for at, place in enumerate(places)}
    together: dict[tuple[int, int, bool, float], list[int]] = {}
    for tail, head, decision, score in zip(*(array.tolist() for array in graph.edges()), strict=True):
        together.setdefault((tail, head, decision >= 0, score), []).append(decision)
    labels = []
    beside: dict[tuple[int, int], int] = {}
    for (tail, head, on, score), held in together.items():
        (x, y), (to_x, to_y) = place(tail), place(head)
        beside[tail, head] = beside.get((tail, head), -1) + 1
        bend = 14.0 * beside[tail, head]
        dash = "" if on else ' stroke-dasharray="5 4"'
        colour = BLUE if on else GREY
        drawn.append(
            f'<path d="M {x + 14:.1f} {y:.1f} Q {(x + to_x) / 2:.1f} {(y + to_y) / 2 - 2 * bend:.1f} '
            f'{to_x - 14:.1f} {to_y:.1f}" fill="none" stroke="{colour}" stroke-width="1.4"{dash}/>'
        )
        several = ",".join(str(index[d][0]) for d in held if d >= 0 and index[d][1] > 1)
        said = ": ".join(part for part in (cut(several, 12), f"{score:g}" if score else "") if part)
        if said:
            at = 0.75 * x + 0.25 * to_x + 8, 0.75 * y + 0.25 * to_y - 4 - bend
            labels.append(text(*at, said, colour, 10, halo=True))
    drawn += labels
    for node in range(1, graph.nodes + 1):
        x, y = place(node)
        drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="14" fill="white" stroke="{INK}"/>')
        end = node - first[-2]
        said = f"{graph.final[end]:.3g}" if end >= 0 else ""
        drawn.append(text(x, y + 4, said, INK, 10))
    return svg(width, height, title, drawn)
