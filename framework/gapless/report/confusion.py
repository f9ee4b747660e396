"""Confusions of labels, counted over all answers whose right labels are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import attrs

from gapless.report.gold_comparison import RIGHT_HEAD, WRONG_HEAD, GoldComparison
from gapless.report.listing import Row, distinct_answers

_LABELS = 16
"""Limit on the labels of the matrix, those with most errors; the others share one row and one column."""
_MISTAKES = 12
OTHERS = "others"


@attrs.frozen
class Confusion:
    """Counts of right labels by found label.

    Parameters
    ----------
    what : str
        Plural noun of the labels: "labels", "relations".
    labels : sequence of str
        Of the rows and the columns.
    counts : sequence of sequence of int
        Right label first.
    shades : sequence of sequence of int
        0..5 by the share of each cell in its row.
    heads : sequence of (str, int, int)
        For arcs without labels: right relation, words, right heads; those with most errors first.
    mistakes : sequence of (str, str, int)
        The most frequent ones: right label, found label, count.
    right, known : int
        Parts that are right, and parts of which the right one is known.
    files : sequence of (str, int, int, int, int)
        For each file of a run of several: name, parts, right parts, answers, answers without an error.
    spotless, judged : int
        Answers without an error, and answers of which something is known.
    """

    what: str
    labels: Sequence[str]
    counts: Sequence[Sequence[int]]
    shades: Sequence[Sequence[int]]
    heads: Sequence[tuple[str, int, int]]
    mistakes: Sequence[tuple[str, str, int]]
    right: int
    known: int
    spotless: int
    judged: int
    files: Sequence[tuple[str, int, int, int, int]]


def confusion_of(rows: Sequence[Row]) -> Confusion | None:
    """Count the confusions of a run; return None if no right label is known.

    An answer that several files give to one problem counts once, but in `files`.
    """
    judged = [row.compared for row in distinct_answers(rows) if row.compared.known]
    if not judged:
        return None
    pairs = Counter(pair for one in judged for pair in one.pairs)
    arcs = any(one.kind == "arcs" for one in judged)
    heads = _heads(pairs)
    if heads:
        pairs = Counter()
    labels, counts, shades = _matrix(pairs)
    if not pairs:  # links and titles: too many names for a matrix
        pairs = Counter((t.gold, t.found) for one in judged if one.kind == "choices" for t in one.tokens if t.gold)
    wrong = [(gold, found, count) for (gold, found), count in pairs.most_common() if gold != found]
    return Confusion(
        "relations" if arcs else "labels",
        labels,
        counts,
        shades,
        heads,
        wrong[:_MISTAKES],
        sum(sum(one.right) for one in judged),
        sum(one.known for one in judged),
        sum(not one.wrong for one in judged),
        len(judged),
        _files(rows),
    )


def _files(rows: Sequence[Row]) -> list[tuple[str, int, int, int, int]]:
    by_file: dict[str, list[GoldComparison]] = {}
    for row in rows:
        if row.compared.known:
            by_file.setdefault(row.file, []).append(row.compared)
    if len(by_file) < 2:
        return []
    return [
        (
            file,
            sum(one.known for one in of),
            sum(sum(one.right) for one in of),
            len(of),
            sum(not one.wrong for one in of),
        )
        for file, of in by_file.items()
    ]


def _heads(pairs: Counter[tuple[str, str]]) -> list[tuple[str, int, int]]:
    words: Counter[str] = Counter()
    for (gold, _), count in pairs.items():
        words[gold] += count
    if not all(found in (RIGHT_HEAD, WRONG_HEAD) for _, found in pairs):
        return []
    counts = [(name, count, pairs[name, RIGHT_HEAD]) for name, count in words.items()]
    return sorted(counts, key=lambda entry: (entry[2] - entry[1], -entry[1], entry[0]))


def _matrix(pairs: Counter[tuple[str, str]]) -> tuple[list[str], list[list[int]], list[list[int]]]:
    wrong: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for (gold, found), count in pairs.items():
        total[gold] += count
        total[found] += count
        if gold != found:
            wrong[gold] += count
            wrong[found] += count
    ranked = sorted(total, key=lambda name: (-wrong[name], -total[name], name))
    shown, rest = sorted(ranked[:_LABELS]), ranked[_LABELS:]
    labels = shown + ([OTHERS] if rest else [])
    index = {name: at for at, name in enumerate(shown)} | dict.fromkeys(rest, len(shown))
    counts = [[0] * len(labels) for _ in labels]
    for (gold, found), count in pairs.items():
        counts[index[gold]][index[found]] += count
    shades = [[-(-5 * count // max(1, sum(row))) for count in row] for row in counts]
    return labels, counts, shades
