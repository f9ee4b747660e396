"""Trees as files: the treebank with the heads found, drawn trees."""

from __future__ import annotations

from pathlib import Path

from gapless.arrays.serial import write_aside
from gapless_dependency.arc_diagram import draw_svg
from gapless_models.parsing.treebank import Treebank
from gapless_tasks.parsing.parsed import Parsed

ANSWERS = "answers.jsonl"
"""The log of records, which decoding writes as answers become known."""


def keep_trees(out: Path, treebank: Treebank, parsed: Parsed) -> None:
    """Write the treebank with the heads found, and draw every tree."""
    known = (parsed.heads.get(i) for i in range(len(treebank.entries)))
    lines = (
        entry.with_heads(None if heads is None else heads.tolist())
        for entry, heads in zip(treebank.entries, known, strict=True)
    )
    write_aside(out / "predicted.conllu", "".join(lines))
    trees = out / "trees"
    trees.mkdir(exist_ok=True)
    for leftover in trees.glob("*.svg"):  # of an earlier run, about other sentences
        if leftover.stem.isdigit() and int(leftover.stem) - 1 not in parsed.heads:
            leftover.unlink()
    for i, heads in sorted(parsed.heads.items()):
        sentence = treebank.test[i]
        predicted = heads.tolist()
        labels = sentence.relations(predicted)
        svg = draw_svg(sentence.words, predicted, labels=labels, tags=sentence.tags, gold=sentence.heads or None)
        write_aside(trees / f"{i + 1}.svg", svg)
