"""Table 1 of the paper beside ours, the speed of proofs, the overlap of degree and distance, directed graphs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray
from gapless.cli import Console
from gapless_linking.popularity import directed_pagerank
from gapless_models.linking.document import Corpus
from gapless_tasks.linking import paper
from gapless_tasks.linking.measuring import EXACT, Linked, Measured


@attrs.frozen
class Average:
    """The mean of some numbers and its standard error; NaN where there are too few."""

    mean: float
    error: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Average:
        """Compute mean and error; the error is the sample's standard deviation over the root of its size."""
        array = np.array(list(values), float)
        mean = float(array.mean()) if array.size else math.nan
        error = float(array.std(ddof=1) / math.sqrt(array.size)) if array.size > 1 else math.nan
        return cls(mean, error, array.size)

    def shown(self, digits: int) -> str:
        """Format the value for a cell of a table."""
        if math.isnan(self.mean):
            return "-"
        error = "" if math.isnan(self.error) else f" ±{self.error:.{digits}f}"
        return f"{self.mean:.{digits}f}{error}"


TRUTH = "ground truth"


def table_1(measured: Sequence[Measured], methods: Sequence[str], console: Console) -> list[dict[str, Any]]:
    """Print table 1 of one corpus, a pair of columns for each connection; return it as JSON data."""
    document = [_row(name, measured) for name in (*methods, TRUTH)]
    names = [entry_of.connection for entry_of in measured]
    rows = []
    for entry in document:
        printed = paper.TABLE_1.get(entry["method"], paper.Numbers())
        title = f"{entry['method']} (proved optimum)" if entry["method"] == EXACT else entry["method"]
        rows.append(
            (
                title,
                *(Average(**entry["ratio"][name]).shown(2) for name in names),
                *(Average(**entry["value"][name]).shown(3) if name in entry["value"] else "" for name in names),
                " / ".join(f"{1000 * seconds:.3g}" for seconds in entry["median_seconds"].values()),
                *_pair(printed.ratio, 1),
                *_pair(printed.value, 3),
            )
        )
    corpus = measured[0].corpus.name
    console.table(
        f"Table 1, {corpus}: distance-cost ratio to the proved optimum, and value (average ± standard error)",
        (
            "method",
            *(f"ratio {name}" for name in names),
            *(f"value {name}" for name in names),
            *("median ms", "paper: ratio max.", "min.", "value max.", "min."),
        ),
        rows,
    )
    for entry_of in measured:
        excluded = _left_out(entry_of)
        if excluded:
            console.info(f"{entry_of.connection}: {excluded}")
    console.info(
        "value: the share of mentions that are linked right; ground truth: the cheapest right answer, where several"
        " candidates of a mention are right; ms: CPU time when distances are known"
    )
    console.info()
    return document


def _row(name: str, measured: Sequence[Measured]) -> dict[str, Any]:
    entry: dict[str, Any] = {"method": name, "ratio": {}, "value": {}, "median_seconds": {}}
    for column in measured:
        with_it = [linked for linked in column.linked if name == TRUTH or name in linked.results]
        ratios = [linked.ratio(linked.truth if name == TRUTH else linked.results[name].value) for linked in with_it]
        known = [ratio for ratio in ratios if ratio is not None and not np.isnan(ratio)]
        entry["ratio"][column.connection] = attrs.asdict(Average.of(known))
        if name != TRUTH and with_it:
            entry["median_seconds"][column.connection] = float(
                np.median([linked.seconds[name] for linked in with_it])
            )
        if name != TRUTH:
            entry["value"][column.connection] = attrs.asdict(Average.of(linked.value(name) for linked in with_it))
    return entry


def _left_out(one: Measured) -> str:
    """List documents that the ratios leave out."""
    zero = sum(linked.optimum == 0.0 for linked in one.linked)
    above = sum(
        linked.ratio(cost) is None
        for linked in one.linked
        for cost in (*(result.value for result in linked.results.values()), linked.truth)
    )
    unknown = sum(bool(np.isnan(linked.optimum)) for linked in one.linked)
    lines = []
    if zero:
        lines.append(
            f"the optimum is 0 in {zero} of {len(one.linked)} documents: there the cost 0 counts as a ratio of 100 "
            f"and larger costs, {above} in all, are left out"
        )
    if unknown:
        lines.append(f"no proof for {unknown} of {len(one.linked)} documents: they are left out of the ratios")
    return "; ".join(lines)


def _pair(numbers: tuple[float, float] | None, digits: int) -> tuple[str, str]:
    if numbers is None:
        return "", ""
    return f"{numbers[0]:.{digits}f}", f"{numbers[1]:.{digits}f}"


def proof_table(measured: Sequence[Measured], console: Console) -> list[dict[str, Any]]:
    """Print the number of proved optima, and the CPU time of distances and proofs; return it as JSON data."""
    document = [_proofs(corpus) for corpus in measured]
    rows = [
        (
            entry["corpus"],
            entry["connection"],
            entry["documents"],
            f"{entry['sets']:.1f}",
            f"{entry['candidates']:,.0f}",
            f"{100 * entry['proved']:.1f}",
            *(_milliseconds(entry[part]) for part in ("distances", "proof", "together")),
            f"{100 * entry['widest_gap']:.1f}",
        )
        for entry in document
    ]
    console.table(
        "Proofs: CPU time in ms, median / 90th percentile / worst; the graph is in memory",
        (
            *("corpus", "connection", "documents", "mean sets", "candidates", "proved %"),
            *("distances", "proof", "together", "widest gap %"),
        ),
        rows,
    )
    bare = Counter(
        result.proof
        for corpus in measured
        for linked in corpus.linked
        for result in [linked.results.get(EXACT)]
        if result is not None and result.proved and not result.certified
    )
    for why, count in bare.items():
        console.info(f"{count} of these: {why}")
    console.info()
    return document


def _proofs(one: Measured) -> dict[str, Any]:
    solved = [linked for linked in one.linked if EXACT in linked.results]
    optimal = [linked.results[EXACT].status is gl.Status.OPTIMAL for linked in solved]
    distance_seconds = [linked.distance_seconds for linked in solved]
    proof = [linked.seconds[EXACT] for linked in solved]
    return {
        "corpus": one.corpus.name,
        "connection": one.connection,
        "documents": len(one.linked),
        "sets": float(np.mean([linked.problem.k for linked in one.linked])) if one.linked else 0.0,
        "candidates": float(np.mean([linked.problem.members.size for linked in one.linked])) if one.linked else 0.0,
        "proved": float(np.mean(optimal)) if solved else 0.0,
        "distances": _spread(distance_seconds),
        "proof": _spread(proof),
        "together": _spread([a + b for a, b in zip(distance_seconds, proof, strict=True)]),
        "widest_gap": max((_gap(linked) for linked in solved), default=0.0),
    }


def _gap(linked: Linked) -> float:
    result = linked.results[EXACT]
    return result.gap / result.value if result.gap else 0.0


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    if not seconds:
        return {}
    median, high, worst = np.quantile(seconds, (0.5, 0.9, 1.0)).tolist()
    return {"median": median, "p90": high, "worst": worst}


def _milliseconds(spread: dict[str, float]) -> str:
    return " / ".join(f"{1000 * value:.3g}" for value in spread.values())


def overlap(measured: Iterable[Measured], console: Console) -> dict[str, Any]:
    """Print the Jaccard coefficient of the solutions by degree and by hitting distance; return it as JSON data.

    Solutions are taken as sets of pairs: mention and chosen vertex.
    """
    document = {}
    for corpus in measured:
        both = [x.results for x in corpus.linked if {"degree", "hitting-distance"} <= x.results.keys()]
        if both:
            average = Average.of(_jaccard(x["degree"].best, x["hitting-distance"].best) for x in both)
            document[corpus.connection] = attrs.asdict(average)
            console.info(
                f"Jaccard coefficient of degree and hitting distance, {corpus.connection}: {average.shown(3)} "
                f"(paper: {paper.JACCARD})"
            )
    return document


def _jaccard(first: Any, second: Any) -> float:
    same = int(np.sum(first == second))
    return float(same / (2 * first.size - same))


def directed_values(corpus: Corpus, console: Console) -> dict[str, Any]:
    """Print the values of choosing by links that lead to a concept and by directed PageRank; return JSON data.

    Where the corpus does not allow it, the reason is said instead.
    """
    document: dict[str, Any] = {}
    known = corpus.knowledge
    if known.in_links is None:
        console.info("directed degree: not measured; nothing is known about the direction of links in this graph")
    else:
        members = np.concatenate([members for one in corpus.documents for members in one.sets])
        share = float(np.mean(~np.isnan(known.in_links[members])))
        document["degree"] = _tell("degree", corpus, np.nan_to_num(known.in_links, nan=-1.0), console)
        document["degree"]["counted"] = share
        if share < 1.0:
            console.info(
                f"  the number of links to it is known for {100 * share:.1f} % of the candidates; the others are "
                "chosen only among themselves"
            )
    if known.arcs is None:
        console.info(
            "directed PageRank: not measured; it needs the links with their direction, and there is no "
            f"graphs/{known.name}.arcs.gz"
        )
    else:
        rank = directed_pagerank(known.arcs)
        document["pagerank"] = _tell("pagerank", corpus, np.array([rank[v] for v in range(len(rank))]), console)
    return document


def _tell(method: str, corpus: Corpus, score: FloatArray, console: Console) -> dict[str, Any]:
    average = Average.of(
        one.value([members[np.argmax(score[members])] for members in one.sets]) for one in corpus.documents
    )
    value, error = paper.DIRECTED[method]
    console.info(f"directed {method}: value {average.shown(3)} (paper: {value:.3f} ±{error:.3f})")
    return attrs.asdict(average)
