"""Table 1 of the paper beside ours, titles to read, and their ROUGE by the library `rouge-score`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.cli import Console
from gapless_models.titles.content_words import CLITICS, folded, is_word
from gapless_models.titles.graph import TitleGraph
from gapless_tasks.titles import paper
from gapless_tasks.titles.measuring import Decoded

KINDS = ("rouge1", "rougeL")
MISSING = "ROUGE needs rouge-score: pip install 'gapless[tasks]'"


def can_score() -> bool:
    """Return whether the library is installed."""
    return find_spec("rouge_score") is not None


def scored_words(tokens: Iterable[str]) -> list[str]:
    """List the words to compare: auxiliary ones included, without clitics and punctuation."""
    return [word for word in map(folded, tokens) if is_word(word) and word not in CLITICS]


def rouge(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Mapping[str, float] | None:
    """Compute mean F measures over (true title, found title), words stemmed; None without pairs or library."""
    if not pairs or not can_score():
        return None
    from rouge_score import rouge_scorer  # noqa: PLC0415  slow to load

    scorer = rouge_scorer.RougeScorer(list(KINDS), use_stemmer=True)
    scores = [
        scorer.score(" ".join(scored_words(true)), " ".join(scored_words(predicted))) for true, predicted in pairs
    ]
    return {kind: float(np.mean([score[kind].fmeasure for score in scores])) for kind in KINDS}


TITLES = 10


def table_1(
    decoded: Sequence[Decoded], graphs: Sequence[TitleGraph], optima: FloatArray, console: Console, clock: str
) -> list[dict[str, Any]]:
    """Print table 1; return it as JSON data. `clock` names the clock."""
    document = [_entry(decoder, graphs, optima) for decoder in decoded]
    rows = []
    for decoder, entry in zip(decoded, document, strict=True):
        printed = decoder.decoder.paper
        rows.append(
            (
                decoder.decoder.name,
                entry["titles"],
                *(_cell(entry[name], 1000, 4) for name in ("mean", "median", "p99", "worst")),
                *(_cell(entry[name], 100, 4) for name in ("optimal", "proved", *KINDS)),
                *(_cell(value, 1, 5) for value in (printed.mean, printed.median)),
                _cell(printed.optimal, 100, 4),
            )
        )
    console.table(
        f"Table 1: decoders compared ({clock}; on the right the paper's, where its text has them)",
        (
            *("decoder", "titles", "mean ms", "median ms", "p99 ms", "worst ms", "optimal %", "proved %"),
            *("ROUGE-1", "ROUGE-L", "paper: mean s", "median s", "optimal %"),
        ),
        rows,
    )
    console.info(
        "optimal: the path's value is that of a proved optimum; proved: the decoder says so itself, with a "
        "certificate unless a line below tells otherwise; ROUGE: F "
        "measure of stemmed words, in points, of which the paper's beam 1 loses "
        f"{100 * (paper.BEAM_1.rouge_loss or 0):.1f} to the optimum"
    )
    for decoder in decoded:
        bare = Counter(
            result.proof for result in decoder.results.values() if result.proved and not result.certified
        )
        for why, count in bare.items():
            console.info(f"{decoder.decoder.name}, {count} of {decoder.proved} proved: {why}")
    console.info()
    return document


def _entry(one: Decoded, graphs: Sequence[TitleGraph], optima: FloatArray) -> dict[str, Any]:
    seconds = np.array(list(one.seconds.values()))
    optimal, known = one.optimal(optima)
    count = len(one.results)
    each = bool(count) and not one.decoder.together
    pairs = [
        (graphs[i].section.title, graphs[i].problem.spelled(result.best) if result.solutions else ())
        for i, result in one.results.items()
    ]
    return {
        "decoder": one.decoder.name,
        "method": one.decoder.method,
        "options": dict(one.decoder.options),
        "titles": count,
        "failed": one.failed,
        "mean": float(seconds.mean()) if count else None,
        "total": float(seconds.sum()),
        "median": float(np.median(seconds)) if each else None,
        "p90": float(np.quantile(seconds, 0.90)) if each else None,
        "p99": float(np.quantile(seconds, 0.99)) if each else None,
        "worst": float(seconds.max()) if each else None,
        "optimal": optimal / known if known else None,
        "optimum_known": known,
        "proved": one.proved / count if count else None,
        **(rouge(pairs) or dict.fromkeys(KINDS)),
        "paper": attrs.asdict(one.decoder.paper),
    }


def show_titles(decoded: Decoded, graphs: Sequence[TitleGraph], console: Console) -> list[dict[str, Any]]:
    """Print some titles beside the true ones; return all of them as JSON data."""
    document = [
        {
            "section": graphs[i].section.name,
            "title": " ".join(graphs[i].section.title),
            "found": " ".join(graphs[i].problem.spelled(result.best)) if result.solutions else None,
            "value": result.value if result.solutions else None,
        }
        for i, result in decoded.results.items()
    ]
    places = sorted(set(np.linspace(0, len(document) - 1, TITLES).round().astype(int).tolist())) if document else []
    console.table(
        f"Titles by {decoded.decoder.name}",
        ("true title", "generated title"),
        [(document[i]["title"], document[i]["found"] or "") for i in places],
    )
    console.info()
    return document


def _cell(value: float | None, factor: float, digits: int) -> str:
    if value is None:
        return ""
    shown = factor * value
    return f"{shown:,.{digits}g}" if shown < 10**digits else f"{shown:,.0f}"
