"""Labellings drawn as SVG: labels under the words of a sentence, or at the nodes of a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs

from gapless.arrays.sparse import IntArray
from gapless.svg import GREY, INK, RED, cut, svg, text, tree_places
from gapless_chains.node_labelling import NodeLabelling
from gapless_chains.trees.problem import TreeProblem

_LETTER, _SPACE, _NARROWEST = 8.4, 14.0, 34.0
_WIDEST, _LINE, _LEVEL, _MARGIN = 640.0, 62.0, 84.0, 12.0
_LETTERS = 40
_SPAN = re.compile(r"([BIESLU])-(.+)")
"""Labels that say how a token lies in an entity: B-PER, I-PER."""


@attrs.frozen
class _Run:
    """Neighbouring tokens under one label.

    `first`, `stop`: the tokens from the first to the one before `stop`. `outside`: whether this is no entity.
    """

    first: int
    stop: int
    label: str
    outside: bool = False


def draw_labelling(
    problem: NodeLabelling, structure: IntArray, words: Sequence[str], against: IntArray | None = None
) -> str:
    """Draw the labels of a chain or a tree.

    The tokens of a chain stand in lines. Where all labels are those of entities (B-PER, I-PER, O), the tokens of
    one entity share one label. A tree has its roots at the top.

    Parameters
    ----------
    structure : int array (n,)
    words : sequence of n str
        Numbers stand instead when there are not as many as nodes.
    against : int array (n,), optional
        Other labels: where these differ, the word is red.
    """
    labels = [problem.labels[y] if problem.labels is not None else str(y) for y in structure.tolist()]
    shown = words if len(words) == len(labels) else [str(node) for node in range(len(labels))]
    named = [cut(word, _LETTERS) for word in shown]
    inks = [INK] * len(labels) if against is None else [RED if other else INK for other in structure != against]
    if isinstance(problem, TreeProblem):
        return _tree(problem.parents.tolist(), labels, named, inks)
    return _lines(_runs(labels), labels, named, inks)


def _runs(labels: Sequence[str]) -> list[_Run]:
    if not all(label == "O" or _SPAN.fullmatch(label) for label in labels):
        return [_Run(i, i + 1, label) for i, label in enumerate(labels)]
    runs: list[_Run] = []
    for i, label in enumerate(labels):
        match = _SPAN.fullmatch(label)
        if match is None:
            runs.append(_Run(i, i + 1, label, outside=True))
        elif match[1] in "IEL" and runs and runs[-1].label == match[2]:
            runs[-1] = attrs.evolve(runs[-1], stop=i + 1)
        else:
            runs.append(_Run(i, i + 1, match[2]))
    return runs


def _lines(runs: Sequence[_Run], labels: Sequence[str], words: Sequence[str], inks: Sequence[str]) -> str:
    elements: list[str] = []
    colours = {label: number for number, label in enumerate(sorted({run.label for run in runs}))}
    x, top, widest = _MARGIN, _MARGIN, 0.0
    for run in runs:
        wide = [_width(word) for word in words[run.first : run.stop]]
        missing = _width(run.label) - sum(wide)
        wide[-1] += max(0.0, missing)
        # A run wider than the line stays on it alone rather than be broken.
        if x > _MARGIN and x + sum(wide) > _WIDEST:
            x, top = _MARGIN, top + _LINE
        marked = zip(words[run.first : run.stop], inks[run.first : run.stop], wide, strict=True)
        elements += _run(run, list(marked), x, top, colours[run.label])
        x += sum(wide)
        widest = max(widest, x)
    description = " ".join(f"{word}/{label}" for word, label in zip(words, labels, strict=True))
    return svg(widest + _MARGIN, top + _LINE, description, elements)


def _run(run: _Run, words: Sequence[tuple[str, str, float]], x: float, top: float, number: int) -> Iterator[str]:
    """Draw the words of a run, each with its colour and width, and the label below them."""
    total = sum(room for _, _, room in words)
    if not run.outside:
        yield _box(x + 2, top + 26, total - 4, number)
    yield text(x + total / 2, top + 40, run.label, GREY if run.outside else INK, 12)
    for word, ink, room in words:
        yield text(x + room / 2, top + 18, word, ink, 15)
        x += room


def _tree(parents: Sequence[int], labels: Sequence[str], words: Sequence[str], inks: Sequence[str]) -> str:
    colours = {label: number for number, label in enumerate(sorted(set(labels)))}
    widths = [max(_width(word), _width(label)) for word, label in zip(words, labels, strict=True)]
    middles, depths = tree_places(parents, widths)
    elements: list[str] = []
    for node, parent in enumerate(parents):
        if parent >= 0:
            start, end = middles[parent] + _MARGIN, middles[node] + _MARGIN
            top = _MARGIN + depths[parent] * _LEVEL + 48
            elements.append(f'<path d="M{start:.1f} {top:.1f}L{end:.1f} {top + _LEVEL - 46:.1f}" stroke="{GREY}"/>')
    for node, (word, label) in enumerate(zip(words, labels, strict=True)):
        x, top = middles[node] + _MARGIN, _MARGIN + depths[node] * _LEVEL
        elements.append(_box(x - _width(label) / 2 + 2, top + 26, _width(label) - 4, colours[label]))
        elements += [text(x, top + 18, word, inks[node], 15), text(x, top + 40, label, INK, 12)]
    right = max(middle + width / 2 for middle, width in zip(middles, widths, strict=True))
    description = " ".join(f"{word}/{label}" for word, label in zip(words, labels, strict=True))
    return svg(right + 2 * _MARGIN, (max(depths) + 1) * _LEVEL, description, elements)


def _width(words: str) -> float:
    return max(_NARROWEST, len(words) * _LETTER + _SPACE)


def _box(x: float, y: float, width: float, number: int) -> str:
    """Draw a background whose colour depends on the label; alphabetic neighbours get distant hues."""
    hue = number * 137 % 360
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="20" rx="4" fill="hsl({hue}, 70%, 88%)" '
        f'stroke="hsl({hue}, 45%, 60%)"/>'
    )
