"""Certificates that were crafted to keep their checker busy: each takes longer than anyone waits, and is short."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import gapless as gl
from gapless.testing.examples import random_selection
from gapless_chains import ChainProblem
from gapless_dependency import ParsingProblem
from gapless_linking import LinkingProblem
from gapless_linking.certificate import DOLLS, DOMINATED, STAGE, SearchCertificate
from gapless_ordering import OrderingProblem
from gapless_ordering.certificate import WalkCertificate
from gapless_splitbound.enumerated import EnumeratedTrees

Crafted = tuple[gl.Problem[Any], gl.Certificate]


def claiming(problem: gl.Problem[Any], certificate: gl.Certificate) -> gl.Result[Any]:
    """A result that claims a bound by a certificate, and nothing else."""
    bound = problem.sense.sign * 1e6
    return gl.Result(gl.Status.NO_SOLUTION, gl.Stop.NODES, (), bound, certificate, problem.sense)


def _equal_distances(k: int, size: int) -> LinkingProblem:
    return LinkingProblem.from_distances(
        np.ones((k * size, k * size)) - np.eye(k * size), np.arange(k * size).reshape(k, size)
    )


def nested_searches() -> Crafted:
    """All choices of ten sets of ten cost less than what is claimed: ten thousand million are gone through."""
    k = 10
    floors = [*np.linspace(1e6, 1e5, k), 0.0]
    return _equal_distances(k, 10), SearchCertificate(
        math.inf, 1.0, [STAGE, 0, 0, DOLLS, k, *range(k)], np.zeros(0), floors
    )


def dead_ends() -> Crafted:
    """One dead end, named again and again."""
    script = [DOMINATED, 30_000, *np.tile([0, 1], 30_000)]
    return _equal_distances(4, 10), SearchCertificate(math.inf, 1.0, script, np.zeros(0), np.zeros(0))


def clauses() -> Crafted:
    """Children that are random clauses: whether they leave a case open is the hard question of logic."""
    rng = np.random.default_rng(0)
    children = []
    for _ in range(250):
        some = rng.permutation(60)[:3].tolist()
        on = [d for d in some if rng.random() < 0.5]
        children.append(gl.Branch(on=on, off=[d for d in some if d not in on]))
    tree = gl.TreeCertificate((-1, *[0] * len(children)), (gl.Branch(), *children), {})
    return random_selection(rng, 60), tree


def deep_tree() -> Crafted:
    """Nodes that decide nothing, one below the other."""
    chain = ChainProblem(np.eye(3), np.zeros((3, 3)))
    leaf = gl.solve(chain).certificate
    return chain, gl.TreeCertificate(tuple(range(-1, 19_999)), (gl.Branch(),) * 20_000, {"19999": leaf})


def labels() -> Crafted:
    """A set of remembered classes for each walk, of which there are 2 to the power 30."""
    rng = np.random.default_rng(0)
    problem = OrderingProblem(np.zeros(30), rng.random((30, 30)), np.zeros(30), length=15)
    return problem, WalkCertificate(-math.inf, -math.inf, [0, 0], [], [], None, True)


def enumerations() -> Crafted:
    """A leaf is allowed 65536 choices of heads; thousands of them look at the same."""
    problem = ParsingProblem(np.random.default_rng(0).normal(size=(7, 7)))
    leaves = {str(node): EnumeratedTrees() for node in range(1, 3001)}
    return problem, gl.TreeCertificate((-1, *[0] * 3000), (gl.Branch(),) * 3001, leaves)


def each() -> Iterator[tuple[str, Crafted]]:
    """Their names, and what they are."""
    for craft in (nested_searches, dead_ends, clauses, deep_tree, labels, enumerations):
        yield craft.__name__, craft()


CRAFTED = dict(each())
SHORT = ("nested_searches", "clauses", "labels")
"""Those whose files are."""
