"""Stores small results, together with all the classes that JSON may name: ``store_results.py OUT.jsonl.gz``.

Run it once for the first release, and for each release with a new class. A released file never changes again,
because every later version must read and verify it (test_stored_formats.py).
"""

import gzip
import re
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np

import gapless as gl
from gapless.arrays.serial import dumps
from gapless.roles import Conjunctions, LinearDualCertificate, PointCertificate
from gapless_chains import ChainProblem, TreeProblem
from gapless_dependency.random_problems import FAMILIES
from gapless_dependency.random_problems import random_problem as random_sentence
from gapless_linking.decomposable_random import random_decomposable
from gapless_linking.random_problems import random_problem as random_links
from gapless_ordering.random_problems import random_problem as random_order

METHODS = {
    "ChainProblem": ("dominance", "column-generation", "viterbi", "beam"),
    "TreeProblem": ("dominance", "column-generation"),
    "ParsingProblem": (
        "split-bound",
        "lagrangian-cut",
        "price-and-cut",
        "branch-price-and-cut",
        "first-order",
        "ilp",
    ),
    "OrderingProblem": ("exact", "color-coding", "ilp", "ilp-cuts"),
    "LinkingProblem": ("exact", "decomposable", "hitting-distance", "ilp"),
}


def classes(text):
    """The classes that a JSON document names."""
    return set(re.findall(r'"type": ?"(gapless[\w.]*)"', text))


def problems():
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


def drawn(rounds):
    """Problems with the answers of every method that takes them."""
    for _, problem in zip(range(rounds), problems(), strict=False):
        for method in METHODS[type(problem).__name__]:
            with suppress(gl.GaplessError):
                yield problem, gl.solve(problem, method, seed=1)


def rare():
    """Certificates that methods give seldom, or inside larger ones."""
    rng = np.random.default_rng(9)
    ordering = random_order(rng, 12, 5, scores="normal", forbidden=0.0)
    yield ordering, gl.solve(ordering, "color-coding", bounds=False)
    for _ in range(20):
        ordering = random_order(rng, 8, 4, scores="normal", forbidden=0.0, layered=0.0)
        yield ordering, gl.solve(ordering, "ilp-cuts", tree="own")
    parsing = random_sentence(rng, 7, families=["grandchild"], strength=1.5)
    yield parsing, gl.solve(parsing, "lagrangian-cut", trace=True)
    chain = ChainProblem(unary=[[1.0, 0.0], [0.0, 2.0]], transition=[[0.0, -3.0], [0.0, 0.0]])
    prices = LinearDualCertificate(np.zeros(len(chain.linear_model().rows)))
    yield (
        chain,
        gl.Result.of(chain, [np.array([1, 1])], prices.verify(chain).bound, gl.Stop.ITERATIONS, certificate=prices),
    )
    for seed in range(3):
        draw = np.random.default_rng(seed)
        pairs = [(a, b) for a in range(21) for b in range(a) if a // 3 != b // 3 and draw.random() < 0.05]
        factors = [Conjunctions(pairs, draw.normal(size=len(pairs)))]
        factored = ChainProblem(draw.normal(size=(7, 3)), draw.normal(size=(3, 3)), factors=factors)
        yield factored, gl.solve(factored, "split-bound")
    single = ChainProblem(unary=[[1.0], [2.0]], transition=[[0.5]])
    paths = random_order(np.random.default_rng(2), 5, 4, scores="normal", forbidden=0.0, layered=0.0)
    yield paths, gl.solve(paths, "split-bound")
    yield single, gl.Result.of(single, [np.array([0, 0])], 3.5, gl.Stop.PROVED, certificate=PointCertificate())


def write(out, rounds):
    """Keep each answer that names a class or shows a status which none before did."""
    seen = set()
    lines = []
    for problem, result in (*rare(), *drawn(rounds)):
        name = f"{type(problem).__name__}, {result.method}, {result.status.name}"
        text = dumps(gl.Record(problem, result, name=name, words=("a", "b")))
        shown = {*classes(text), name}
        if not shown <= seen and len(text) < 60_000:
            seen |= shown
            lines.append(text + "\n")
    out.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    print(f"{len(lines)} records, {out.stat().st_size} bytes")
    print("\n".join(sorted(seen)))


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
