"""Drawing of a diagram: its layered graph, from left to right."""

from __future__ import annotations

from gapless.core.decisions import Decisions
from gapless.core.diagram import Diagram
from gapless.core.errors import InvalidProblem
from gapless.core.factor import name_of
from gapless.svg import BLUE, GREY, INK, cut, svg, text

LARGEST = 200
"""More nodes are no picture."""


def draw_diagram(factor: Diagram, decisions: Decisions) -> str:
    """Draw the layered graph of a factor, each layer a column, as one SVG element.

    Solid edges turn a decision on, dashed ones none; their scores stand beside them unless they are 0, those of the
    ends in the nodes of the last column.

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
    widths = [end - start for start, end in zip(first[:-1], first[1:], strict=True)]
    column, row, top = 130.0, 56.0, 70.0
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
    labels = []
    beside: dict[tuple[int, int], int] = {}
    tails, heads, whose, scores = (array.tolist() for array in graph.edges())
    for tail, head, decision, score in zip(tails, heads, whose, scores, strict=True):
        (x, y), (to_x, to_y) = place(tail), place(head)
        number = beside[tail, head] = beside.get((tail, head), -1) + 1
        bend = 14.0 * number
        dash = "" if decision >= 0 else ' stroke-dasharray="5 4"'
        colour = BLUE if decision >= 0 else GREY
        drawn.append(
            f'<path d="M {x + 14:.1f} {y:.1f} Q {(x + to_x) / 2:.1f} {(y + to_y) / 2 - 2 * bend:.1f} '
            f'{to_x - 14:.1f} {to_y:.1f}" fill="none" stroke="{colour}" stroke-width="1.4"{dash}/>'
        )
        if score:
            labels.append(
                text((2 * x + to_x) / 3 + 4, (2 * y + to_y) / 3 - 4 - bend, f"{score:g}", colour, 10, halo=True)
            )
    drawn += labels
    for node in range(1, graph.nodes + 1):
        x, y = place(node)
        drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="14" fill="white" stroke="{INK}"/>')
        end = node - first[-2]
        said = f"{graph.final[end]:.3g}" if end >= 0 else ""
        drawn.append(text(x, y + 4, said, INK, 10))
    return svg(width, height, title, drawn)
