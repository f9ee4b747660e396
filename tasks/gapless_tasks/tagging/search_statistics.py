"""Statistics of column generation: domains, rounds, candidates (the text around the paper's tables)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gapless.cli import Console
from gapless.column_generation import price_and_cut
from gapless.roles import Fixings, SolveBudget
from gapless_chains import ChainBatch, ChainProblem, DomainMessages, ReducedCostOracle

SENTENCES = 500
"""Sentences for the readable role objects, which count more than the batch kernel and are slower."""


def show_search_statistics(batch: ChainBatch, console: Console) -> dict[str, float]:
    """Decode the first sentences by the role objects of column generation, print their counts."""
    count = min(SENTENCES, len(batch))
    searches = [_searched(batch[i]) for i in range(count)]
    sizes = np.concatenate([domains for domains, _, _ in searches])
    rounds = np.array([made for _, made, _ in searches])
    edges = sum(made * max(1, domains.size - 1) for domains, made, _ in searches)
    statistics = (
        ("domain_of_one", 100 * (sizes == 1).mean(), "words with one label in the domain, %", "(over 90)"),
        ("domain_of_three", 100 * (sizes <= 3).mean(), "words with three labels or fewer, %", "(over 99)"),
        ("mean_domain", sizes.mean(), "labels in a domain, mean over words", ""),
        ("one_round", 100 * (rounds <= 1).mean(), "sentences done in one round, %", "(22)"),
        ("three_rounds", 100 * (rounds <= 3).mean(), "sentences done in three rounds or fewer, %", "(100)"),
        ("mean_rounds", rounds.mean(), "rounds, mean", ""),
        (
            "candidates",
            sum(search[2] for search in searches) / edges,
            "candidate pairs an edge and round, mean",
            "",
        ),
    )
    # On the right the numbers of Belanger et al. 2012 for part-of-speech tags (section 7).
    console.table(
        f"Column generation on the first {count} sentences (role objects; scores as they are, greedy start)",
        ("statistic", "ours", "(paper, tags)"),
        [(text, f"{value:.2f}", remark) for _, value, text, remark in statistics],
    )
    return {"sentences": float(count), **{key: float(value) for key, value, _, _ in statistics}}


def _searched(problem: ChainProblem) -> tuple[NDArray[np.int64], int, int]:
    """Measure domain sizes (n,), rounds and candidates of one sentence."""
    messages, oracle, budget = DomainMessages(problem), ReducedCostOracle(problem), SolveBudget()
    price_and_cut(messages, [oracle], problem.decisions, Fixings.none(problem.decisions.count), budget)
    return messages.view().domains.sum(axis=1), budget.iterations, oracle.candidates
