"""Drawing of a diagram: its layered graph, from left to right."""

from __future__ import annotations

import itertools

from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.error_notes import factor_name
from gapless.svg import BLUE, GREY, INK, cut, svg, text

MAX_NODES = 200
"""Largest number of nodes in a drawing; larger graphs cannot be read."""


def draw_diagram(factor: DecisionDiagram, decisions: Decisions) -> str:
    """Draw the layered graph of a factor, each layer a column, as one SVG element.

    Solid edges turn a decision on, dashed ones none. If a layer reads several decisions, their indices in the layer
    are written next to the edge; so is its score, unless it is 0. The nodes of the last column contain the scores
    of the ends.

    Raises
    ------
    InvalidProblem
        The graph has more than 200 nodes.
    """
    graph, layout = factor.graph(decisions), factor.layout(decisions)
    if graph.nodes > MAX_NODES:
        raise InvalidProblem(
            f"factor {factor_name(factor)}: a graph of {graph.nodes} nodes is no picture; draw one of {MAX_NODES} "
            "at most"
        )
    first = graph.layer_nodes.tolist()
    widths = [end - start for start, end in itertools.pairwise(first)]
    column, row, top = 150.0, 56.0, 70.0
    height = top + row * max([1, *widths]) + 10
    width = column * len(widths) + 40

    def centre(node: int) -> tuple[float, float]:
        layer = next(number for number, start in reversed(list(enumerate(first[:-1]))) if node >= start)
        middle = top + row * max([1, *widths]) / 2
        return 60 + column * layer, middle + row * (node - first[layer] - (widths[layer] - 1) / 2)

    title = f"{factor_name(factor)}: {graph.nodes} nodes in {len(widths)} columns"
    elements = [text(20, 24, title, INK, 14, anchor="start")]
    for layer, indices in enumerate(layout.places):
        names = ", ".join(decisions.name(int(d)) for d in layout.scope[indices]) or "nothing"
        elements.append(text(60 + column * (layer + 0.5), 48, cut(names, 20), GREY, 10))
    position = {int(d): (number, indices.size) for indices in layout.places for number, d in enumerate(indices)}
    # Edges with the same ends, style and score become one line, labelled with all their decisions.
    merged: dict[tuple[int, int, bool, float], list[int]] = {}
    for tail, head, decision, score in zip(*(array.tolist() for array in graph.edges()), strict=True):
        merged.setdefault((tail, head, decision >= 0, score), []).append(decision)
    labels = []
    parallel: dict[tuple[int, int], int] = {}
    for (tail, head, on, score), turned_on in merged.items():
        (x, y), (to_x, to_y) = centre(tail), centre(head)
        parallel[tail, head] = parallel.get((tail, head), -1) + 1
        bend = 14.0 * parallel[tail, head]  # so that edges between the same nodes do not cover each other
        dash = "" if on else ' stroke-dasharray="5 4"'
        colour = BLUE if on else GREY
        elements.append(
            f'<path d="M {x + 14:.1f} {y:.1f} Q {(x + to_x) / 2:.1f} {(y + to_y) / 2 - 2 * bend:.1f} '
            f'{to_x - 14:.1f} {to_y:.1f}" fill="none" stroke="{colour}" stroke-width="1.4"{dash}/>'
        )
        numbers = ",".join(str(position[d][0]) for d in turned_on if d >= 0 and position[d][1] > 1)
        label = ": ".join(part for part in (cut(numbers, 12), f"{score:g}" if score else "") if part)
        if label:
            xy = 0.75 * x + 0.25 * to_x + 8, 0.75 * y + 0.25 * to_y - 4 - bend
            labels.append(text(*xy, label, colour, 10, halo=True))
    elements += labels  # after all edges, so that no edge crosses a label
    for node in range(1, graph.nodes + 1):
        x, y = centre(node)
        elements.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="14" fill="white" stroke="{INK}"/>')
        end = node - first[-2]
        elements.append(text(x, y + 4, f"{graph.final[end]:.3g}" if end >= 0 else "", INK, 10))
    return svg(width, height, title, elements)
