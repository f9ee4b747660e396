"""The value with and without a prior: weights chosen on training documents, judged on the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray
from gapless.cli import Console
from gapless_tasks.linking.averages import Average
from gapless_tasks.linking.measuring import EXACT, Linked, Measured
from gapless_tasks.linking.prior import (
    PRIORS,
    TRAIN_EVERY,
    WEIGHTS,
    Scored,
    alone,
    best_weight,
    known_share,
    split,
    usable,
    with_prior,
)
from gapless_tasks.linking.prior_figure import FigureLine, draw_curves


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
