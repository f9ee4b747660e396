"""Answers as files: results with certificates, the treebank with the heads found, drawn trees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import gapless as gl
from gapless.core.serial import write_aside
from gapless_dependency import ParsingProblem
from gapless_dependency.arc_diagram import draw_svg
from gapless_tasks.dependency_parsing.decoding import Parsed
from gapless_tasks.dependency_parsing.treebank import Treebank


def keep_answers(out: Path, treebank: Treebank, problems: Sequence[ParsingProblem], parsed: Parsed) -> None:
    """Every answer with its certificate, the treebank with the heads found, and every tree drawn."""
    records = (
        gl.dumps(gl.Record(problems[i], result, f"sentence {i + 1}")) + "\n"
        for i, result in sorted(parsed.results.items())
    )
    write_aside(out / "answers.jsonl", "".join(records))
    found = (parsed.heads.get(i) for i in range(len(treebank.entries)))
    lines = (
        entry.with_heads(None if heads is None else heads.tolist())
        for entry, heads in zip(treebank.entries, found, strict=True)
    )
    write_aside(out / "predicted.conllu", "".join(lines))
    trees = out / "trees"
    trees.mkdir(exist_ok=True)
    for left in trees.glob("*.svg"):  # of an earlier run, about other sentences
        if left.stem.isdigit() and int(left.stem) - 1 not in parsed.heads:
            left.unlink()
    for i, heads in sorted(parsed.heads.items()):
        one = treebank.test[i]
        drawn = draw_svg(one.words, heads.tolist(), labels=one.labels, tags=one.tags, gold=one.heads or None)
        write_aside(trees / f"{i + 1}.svg", drawn)
