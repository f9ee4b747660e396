"""Degree and PageRank in the directed graph, without a connection (section 6, last paragraph)."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.cli import Console
from gapless_linking.popularity import directed_pagerank
from gapless_models.linking.document import Corpus
from gapless_tasks.linking import paper
from gapless_tasks.linking.averages import Average


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
