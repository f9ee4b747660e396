"""The cost with a prior on top, which the paper asks for (section 7): its weight chosen on training documents.

A prior scores each candidate by itself: the logarithm of one plus its degree, or plus the number of links that lead
to it. The weight is what one unit is worth in units of a candidate's mean distance from the others chosen, so that
it means the same for short and long documents; in units of the cost this is k - 1 times as much.
The values with and without a prior are printed for the other documents, and drawn for the training documents.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray
from gapless.cli import Console
from gapless.svg import BLUE, GREEN, INK, RED, svg, text
from gapless_models.linking.document import Corpus, Knowledge
from gapless_tasks.linking.measuring import EXACT, Linked, Measured
from gapless_tasks.linking.tables import Average
from gapless_tasks.plot import Axes

DEGREE, IN_LINKS = "degree", "in-links"
PRIORS = (DEGREE, IN_LINKS)
WEIGHTS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
TRAIN_EVERY = 3
"""Every third document is for choosing the weight."""
_ENOUGH = 0.99
"""Least share of candidates with a known prior."""


def prior_scores(knowledge: Knowledge, prior: str) -> FloatArray | None:
    """Look up the prior of each vertex, float64 (n,), NaN where it is unknown; None for a graph that has none."""
    if prior == DEGREE:
        graph = knowledge.graph
        degree = np.zeros(len(knowledge.titles))
        degree[graph.vertices] = np.diff(graph.offsets)
        return np.log1p(degree)
    return None if knowledge.in_links is None else np.log1p(knowledge.in_links)


def known_share(corpus: Corpus, prior: str) -> float:
    """Compute the share of candidates whose prior is known."""
    scores = prior_scores(corpus.knowledge, prior)
    if scores is None:
        return 0.0
    members = np.concatenate([members for document in corpus.documents for members in document.sets])
    return float(np.mean(~np.isnan(scores[members])))


def usable(corpus: Corpus, prior: str) -> FloatArray | None:
    """Return the prior's scores if nearly all candidates have one, else None; the others count as 0."""
    scores = prior_scores(corpus.knowledge, prior)
    if scores is None or known_share(corpus, prior) < _ENOUGH:
        return None
    return np.nan_to_num(scores, nan=0.0)


def split(linked: Sequence[Linked]) -> tuple[list[Linked], list[Linked]]:
    """Split documents into those that choose the weight, and the others."""
    return list(linked[::TRAIN_EVERY]), [document for i, document in enumerate(linked) if i % TRAIN_EVERY]


@attrs.frozen
class Scored:
    """The value of exact answers on some documents.

    Parameters
    ----------
    proved : float
        The share of documents whose answer is proved to be the best under this cost.
    """

    weight: float
    value: Average
    proved: float


def with_prior(linked: Sequence[Linked], scores: FloatArray, weight: float, limits: gl.Limits) -> Scored:
    """Solve documents exactly under the cost with a prior."""
    values, proved = [], []
    for document in linked:
        problem = attrs.evolve(
            document.problem.without_graph(),
            prior=[scores[members] for members in document.document.sets],
            prior_weight=weight * (document.problem.k - 1),
        )
        result = gl.solve(problem, EXACT, limits=limits)
        if result.stop is gl.Stop.INTERRUPTED:
            raise KeyboardInterrupt
        values.append(document.document.value(document.problem.points[result.best]))
        proved.append(result.status is gl.Status.OPTIMAL)
    return Scored(weight, Average.of(values), float(np.mean(proved)) if proved else np.nan)


def alone(linked: Sequence[Linked], scores: FloatArray) -> Average:
    """Compute the value of choosing by the prior alone."""
    return Average.of(
        document.document.value([members[np.argmax(scores[members])] for members in document.document.sets])
        for document in linked
    )


def best_weight(curve: Sequence[Scored]) -> float:
    """Return the smallest weight of the highest value."""
    return max(curve, key=lambda one: (one.value.mean, -one.weight)).weight


TITLE = "Value against the prior's weight, training documents, solved exactly"
_LEFT, _RIGHT, _TOP, _HIGH, _PANEL = 60.0, 470.0, 70.0, 240.0, 340.0
_LETTER = 7.5
_COLOURS = (BLUE, RED, GREEN, "#ef6c00")
_TICK = 0.02


@attrs.frozen
class FigureLine:
    """One line of a panel.

    Parameters
    ----------
    chosen : float
        The weight that is chosen.
    points : sequence of (float, Average)
        Weights, the same in all lines, and the value at each.
    """

    name: str
    chosen: float
    points: Sequence[tuple[float, Average]]


def draw_curves(panels: Mapping[str, Sequence[FigureLine]]) -> str:
    """Draw value against weight as SVG, with standard errors, and a circle at the weight chosen.

    Weights are spaced evenly, 0 first.
    """
    width = _RIGHT + 70 + _LETTER * max(len(line.name) for lines in panels.values() for line in lines)

    def drawn() -> Iterator[str]:
        yield text(width / 2, 28, TITLE, INK, 15)
        for number, (corpus, lines) in enumerate(panels.items()):
            yield from _panel(corpus, lines, _TOP + number * _PANEL)

    return svg(width, _TOP + len(panels) * _PANEL, TITLE, drawn())


def _panel(corpus: str, lines: Sequence[FigureLine], top: float) -> Iterator[str]:
    number = {weight: float(index) for index, (weight, _) in enumerate(lines[0].points)}
    values = [average for line in lines for _, average in line.points]
    means, errors = np.array([value.mean for value in values]), np.nan_to_num([value.error for value in values])
    low, high = math.floor(np.min(means - errors) / _TICK), math.ceil(np.max(means + errors) / _TICK + 0.1)
    span = (0.0, max(len(number) - 1.0, 1.0)), (low * _TICK, high * _TICK)
    axes = Axes(_LEFT, _RIGHT, top, top + _HIGH, *span)
    ticks = [(tick * _TICK, f"{tick * _TICK:.2f}") for tick in range(low, high + 1, math.ceil((high - low) / 10))]
    yield text(_LEFT, top - 14, corpus, INK, 13, anchor="start")
    yield from axes.frame([(index, f"{weight:g}") for weight, index in number.items()], ticks)
    yield text((_LEFT + _RIGHT) / 2, axes.bottom + 42, "weight, in units of mean distance", INK, 13)
    for row, line in enumerate(lines):
        colour, dashed = _COLOURS[row % len(_COLOURS)], bool(row % 2)
        yield axes.line([(number[weight], average.mean) for weight, average in line.points], colour, dashed=dashed)
        for weight, average in line.points:
            if np.isfinite(average.error):
                (x, y), (_, lowest) = (axes.place(number[weight], average.mean - e) for e in (0.0, average.error))
                yield f'<path d="M{x:.1f} {2 * y - lowest:.1f}V{lowest:.1f}" stroke="{colour}" opacity="0.3"/>'
        yield axes.dot(number[line.chosen], dict(line.points)[line.chosen].mean, colour, hollow=True)
        height = top + 22 * row + 10
        dashes = ' stroke-dasharray="6 4"' if dashed else ""
        yield f'<path d="M{_RIGHT + 20} {height - 4}h22" stroke="{colour}" stroke-width="2"{dashes}/>'
        yield text(_RIGHT + 48, height, line.name, INK, 12, anchor="start")


@attrs.frozen
class Curve:
    """Values against weights on training documents.

    Parameters
    ----------
    points : tuple of Scored
        One for each weight, ascending.
    """

    corpus: str
    connection: str
    prior: str
    points: tuple[Scored, ...]

    @property
    def chosen(self) -> float:
        """The weight of the highest value."""
        return best_weight(self.points)


class PriorReport:
    """Optima under a prior; its weight is chosen on the first corpus of each graph."""

    def __init__(self, console: Console, limits: gl.Limits) -> None:
        self.console, self.limits = console, limits
        self.curves: dict[tuple[str, str, str], Curve] = {}
        self._fitted: set[str] = set()

    def of(self, measured: Sequence[Measured]) -> dict[str, Any]:
        """Choose weights if this corpus is the first of its graph, then print the values on the other documents.

        Parameters
        ----------
        measured : sequence of Measured
            One corpus, one for each connection; only documents that `EXACT` has linked.
        """
        corpus = measured[0].corpus
        graph = corpus.knowledge.name
        scores = {prior: scored for prior in PRIORS if (scored := usable(corpus, prior)) is not None}
        parts = [(part.connection, [x for x in part.linked if EXACT in x.results]) for part in measured]
        first = graph not in self._fitted
        if first:
            for connection, linked in parts:
                self._fit(corpus.name, graph, connection, split(linked)[0], scores)
            self._fitted.add(graph)
            self._show_curves(graph, corpus.name)
        held_out = {connection: split(linked)[1] if first else linked for connection, linked in parts}
        document = self._judge(graph, held_out, scores)
        self._show(document, corpus.name, first)
        for prior in PRIORS:
            if prior not in scores:
                share = known_share(corpus, prior)
                self.console.info(
                    f"{prior}: left out, known for {100 * share:.1f} % of the candidates of {corpus.name}"
                )
        self.console.info()
        curves = [attrs.asdict(curve) for (of, _, _), curve in self.curves.items() if of == graph] if first else []
        return {"held_out": document, "curves": curves}

    def drawing(self) -> str:
        """Draw all curves as SVG."""
        panels: dict[str, list[FigureLine]] = {}
        for curve in self.curves.values():
            points = [(point.weight, point.value) for point in curve.points]
            panels.setdefault(curve.corpus, []).append(
                FigureLine(f"{curve.prior}, {curve.connection}", curve.chosen, points)
            )
        return draw_curves(panels)

    def _fit(
        self, corpus: str, graph: str, connection: str, train: Sequence[Linked], scores: dict[str, FloatArray]
    ) -> None:
        with self.console.progress(f"weights, {connection}", len(scores) * len(WEIGHTS)) as advance:
            for prior, known in scores.items():
                points = []
                for weight in WEIGHTS:
                    points.append(with_prior(train, known, weight, self.limits))
                    advance(1)
                self.curves[graph, prior, connection] = Curve(corpus, connection, prior, tuple(points))

    def _judge(
        self, graph: str, held_out: dict[str, list[Linked]], scores: dict[str, FloatArray]
    ) -> list[dict[str, Any]]:
        """List rows: a way to choose, and for each connection its value."""
        exact = {
            connection: attrs.asdict(Scored(0.0, Average.of(x.value(EXACT) for x in linked), _proved(linked)))
            for connection, linked in held_out.items()
        }
        rows: list[dict[str, Any]] = [{"method": EXACT, "value": exact}]
        for prior, known in scores.items():
            if not any((graph, prior, connection) in self.curves for connection in held_out):
                continue
            judged = {
                connection: attrs.asdict(
                    with_prior(linked, known, self.curves[graph, prior, connection].chosen, self.limits)
                )
                for connection, linked in held_out.items()
            }
            rows.append({"method": f"{EXACT} with {prior}", "value": judged})
            only = {
                connection: attrs.asdict(Scored(np.inf, alone(linked, known), np.nan))
                for connection, linked in held_out.items()
            }
            rows.append({"method": f"{prior} alone", "value": only})
        return rows

    def _show_curves(self, graph: str, corpus: str) -> None:
        curves = [curve for (of, _, _), curve in self.curves.items() if of == graph]
        rows = [
            (f"{weight:g}", *(curve.points[i].value.shown(3) + "*" * (curve.chosen == weight) for curve in curves))
            for i, weight in enumerate(WEIGHTS)
        ]
        self.console.table(
            f"Value with a prior, solved exactly, on the training part of {corpus} (1 in {TRAIN_EVERY}); * is best",
            ("weight", *(f"{curve.prior}, {curve.connection}" for curve in curves)),
            rows,
        )
        self.console.info()

    def _show(self, document: Sequence[dict[str, Any]], corpus: str, first: bool) -> None:
        which = f"the other documents of {corpus}" if first else corpus
        connections = list(document[0]["value"])
        rows = [(entry["method"], *(_cell(entry["value"][name]) for name in connections)) for entry in document]
        self.console.table(f"Value with the chosen weight on {which}", ("method", *connections), rows)


def _proved(linked: Sequence[Linked]) -> float:
    return float(np.mean([x.results[EXACT].status is gl.Status.OPTIMAL for x in linked])) if linked else np.nan


def _cell(scored: dict[str, Any]) -> str:
    shown = Average(**scored["value"]).shown(3)
    if 0.0 < scored["weight"] < np.inf:
        shown += f" at {scored['weight']:g}"
    return shown if np.isnan(scored["proved"]) else f"{shown}, {100 * scored['proved']:.0f} % proved"
