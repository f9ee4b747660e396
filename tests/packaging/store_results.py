"""Stores small results, together with all the classes that JSON may name: ``store_results.py OUT.jsonl.gz``.

Run once for a release, in which a class is new; what it wrote is never written again, because every later version must
read and verify it (test_stored_formats.py).
"""

import gzip
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import gapless as gl
from gapless.core.serial import dumps
from gapless_chains import ChainProblem, TreeProblem
from gapless_dependency.random_problems import FAMILIES
from gapless_dependency.random_problems import random_problem as random_sentence
from gapless_linking.decomposable_random import random_decomposable
from gapless_linking.random_problems import random_problem as random_links
from gapless_ordering.random_problems import random_problem as random_order

METHODS = {
    "ChainProblem": ("dominance", "column-generation", "viterbi", "beam"),
    "TreeProblem": ("dominance", "column-generation"),
    "ParsingProblem": ("split-bound", "lagrangian-cut", "price-and-cut", "branch-price-and-cut", "first-order", "ilp"),
    "OrderingProblem": ("exact", "color-coding", "ilp", "ilp-cuts"),
    "LinkingProblem": ("exact", "decomposable", "hitting-distance", "ilp"),
}


def classes(text: str) -> set[str]:
    """The classes that a JSON document names."""
    return set(re.findall(r'"type": ?"(gapless[\w.]*)"', text))


def problems() -> Iterator[Any]:
    """Small ones of every type, without end."""
    rng = np.random.default_rng(8)
    while True:
        transition = rng.normal(size=(3, 3))
        yield ChainProblem(unary=rng.normal(size=(4, 3)), transition=transition)
        yield TreeProblem(unary=rng.normal(size=(4, 3)), transition=transition, parents=[-1, 0, 0, 2])
        for family in FAMILIES:
            yield random_sentence(rng, 4, families=[family], projective=bool(rng.integers(2)))
        yield random_sentence(rng, 5, families=["grandchild", "sibling"], ties=True, strength=2.0)
        yield random_sentence(rng, 4)
        yield random_order(rng, 6, 3)
        yield random_links(rng, 3)
        yield random_decomposable(rng, 3)


def write(out: Path, rounds: int = 4000) -> None:
    """Keep each answer that names a class or shows a status which none before did."""
    seen: set[str] = set()
    lines = []
    for _, problem in zip(range(rounds), problems(), strict=False):
        for method in METHODS[type(problem).__name__]:
            try:
                result = gl.solve(problem, method, seed=1)
            except gl.GaplessError:
                continue
            text = dumps(gl.Record(problem, result, name=f"{type(problem).__name__}, {method}", words=("a", "b")))
            shown = {*classes(text), f"{type(problem).__name__} {method} {result.status.name}"}
            if not shown <= seen and len(text) < 60_000:
                seen |= shown
                lines.append(text + "\n")
    out.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    print(f"{len(lines)} records, {out.stat().st_size} bytes")
    print("\n".join(sorted(seen)))


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
