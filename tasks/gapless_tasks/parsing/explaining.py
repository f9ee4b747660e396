"""Explanations of a tree: gold and predicted drawn, and the factors that fire, with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import gapless as gl
from gapless.arrays.sparse import IntArray
from gapless.cli import Console
from gapless_dependency import ParsingProblem
from gapless_models.parsing import Sentence
from gapless_models.parsing.patterns import PatternFactor
from gapless_models.parsing.terminal_drawing import WIDTH, draw, show
from gapless_tasks.parsing.decoding import Parsed

TOP = 12
"""Factors shown of each family: those that score most, either way."""


def fired(problem: ParsingProblem, heads: IntArray) -> list[tuple[str, tuple[tuple[int, int], ...], float]]:
    """List the factors that fire in a tree.

    Returns
    -------
    list of (str, tuple of (int, int), float)
        Name, arcs (head, modifier) and score: of each arc, then of each factor that fires; the name of a pattern is
        its own. Their sum is the tree's value.
    """
    arcs = problem.decisions
    on_ids = problem.encode(problem.tree(heads))
    pairs = {int(d): (int(arcs.heads[d]), int(arcs.modifiers[d])) for d in on_ids}
    factors: list[tuple[str, tuple[tuple[int, int], ...], float]] = [
        ("arc", (pairs[int(d)],), float(problem.arc_weights[d])) for d in on_ids
    ]
    for scored in problem.conjunctions:
        firing = scored.firing(on_ids)
        scopes, names = scored.scopes[firing], [scored.factor.name] * len(firing)
        if isinstance(scored.factor, PatternFactor):
            names = scored.factor.names(scopes, arcs)
        for name, scope, score in zip(names, scopes.tolist(), scored.scores(firing).tolist(), strict=True):
            factors.append((name, tuple(pairs[d] for d in scope), float(score)))
    on = np.zeros(arcs.count, bool)
    on[on_ids] = True
    for factor, scope in problem.configurations:
        looked_at = tuple(pairs[int(d)] for d in scope if on[d])
        factors.append((factor.name, looked_at, float(factor.value(on[scope]))))
    return factors


def explain_sentence(
    document: dict[str, Any],
    number: int,
    problems: Sequence[ParsingProblem],
    sentences: Sequence[Sentence],
    parsed: Parsed,
    console: Console,
) -> None:
    """Explain the tree of sentence `number`, counted from 1, and add the explanation to `document`."""
    heads = parsed.heads.get(number - 1)
    if heads is None:
        console.error(f"--explain {number}: this sentence has no tree")
    else:
        document["explained"] = explain(problems[number - 1], sentences[number - 1], heads, console)


def explain(
    problem: ParsingProblem, sentence: Sentence, heads: IntArray, console: Console, width: int = WIDTH
) -> dict[str, Any]:
    """Print both trees and the factors that fire in each; return them as JSON data."""
    gold: Sequence[int] | None = sentence.heads or None
    rows = [sentence.tags, sentence.labels] if sentence.labels else [sentence.tags]
    predicted_rows = [sentence.tags, sentence.relations(heads.tolist())] if sentence.labels else rows
    wrong = (
        [] if gold is None else [m for m, (h, g) in enumerate(zip(heads.tolist(), gold, strict=True), 1) if h != g]
    )
    known = "no gold tree" if gold is None else f"{len(wrong)} of {len(sentence)} heads wrong, arcs that end in ✗"
    console.info(f"found ({known}):")
    show(draw(sentence.words, heads.tolist(), rows=predicted_rows, gold=gold, width=width), console)
    if gold is not None and wrong:
        console.info("gold:")
        show(draw(sentence.words, gold, rows=rows, width=width), console)
    document: dict[str, Any] = {"words": list(sentence.words), "heads": heads.tolist()}
    document["gold"] = None if gold is None else list(gold)
    document["found"] = _scores(problem, heads, sentence, "found", console)
    if gold is None:
        return {**document, "gold_scores": None}
    try:
        gold_heads = np.array(gold)
        problem.encode(problem.tree(gold_heads))
    except gl.InvalidProblem as error:
        console.info(f"the gold tree cannot be scored: {error}")
        document["gold_scores"] = None
    else:
        document["gold_scores"] = _scores(problem, gold_heads, sentence, "gold", console) if wrong else None
    return document


def _scores(
    problem: ParsingProblem, heads: IntArray, sentence: Sentence, which: str, console: Console
) -> list[dict[str, Any]]:
    factors = fired(problem, heads)
    total = sum(score for _, _, score in factors)
    names = list(dict.fromkeys(name for name, _, _ in factors))
    sums = {name: sum(score for kind, _, score in factors if kind == name) for name in names}
    console.info(f"{which}: score {total:.6g} = " + " + ".join(f"{sums[name]:.4g} ({name})" for name in names))
    rows = []
    for name in names:
        of_kind = sorted((one for one in factors if one[0] == name), key=lambda one: -abs(one[2]))
        rows += [
            (name, ", ".join(_arc(pair, sentence) for pair in arcs), score) for _, arcs, score in of_kind[:TOP]
        ]
    console.table(f"What fires in the {which} tree, at most {TOP} of a kind", ("part", "arcs", "score"), rows)
    return [{"part": name, "arcs": [list(pair) for pair in arcs], "score": score} for name, arcs, score in factors]


def _arc(pair: tuple[int, int], sentence: Sentence) -> str:
    head, modifier = pair
    above = sentence.words[head - 1] if head else "root"
    return f"{above} -> {sentence.words[modifier - 1]}"
