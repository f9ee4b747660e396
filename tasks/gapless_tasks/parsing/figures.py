"""Figures 4 and 5 of Qian and Liu 2013: parsing time and oracle calls against the length of sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gapless_tasks.parsing.length_figures import Figure, Point
from gapless_tasks.parsing.parsed import LengthGroup

PLOTLY_MISSING = "drawing figures 4 and 5 needs plotly: pip install 'gapless[report]'"

Curves = Mapping[str, Sequence[LengthGroup]]
"""The groups of each setting, by its name."""


def figures(curves: Curves) -> list[Figure]:
    """Build both figures."""
    return [
        _figure("figure4", "Figure 4: milliseconds a sentence, against its length", "milliseconds", curves, _time),
        _figure("figure5", "Figure 5: oracle calls a sentence, against its length", "oracle calls", curves, _calls),
    ]


def _figure(
    key: str, title: str, axis: str, curves: Curves, measure: Callable[[LengthGroup], float | None]
) -> Figure:
    points = {
        name: {group.longest: Point(measure(group), group.sentences) for group in groups}
        for name, groups in curves.items()
    }
    return Figure(key, title, axis, points)


def _time(group: LengthGroup) -> float | None:
    """Compute the mean milliseconds of a sentence; None for an empty group."""
    return 1000 * group.seconds / group.sentences if group.sentences else None


def _calls(group: LengthGroup) -> float | None:
    """Compute the mean oracle calls of a sentence; None where the method does not count them."""
    return None if group.calls is None or not group.sentences else group.calls / group.sentences
