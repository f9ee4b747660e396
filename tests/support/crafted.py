"""Certificates that were crafted to keep their checker busy: each takes longer than anyone waits, and is short."""

import math
from typing import Any

import numpy as np

import gapless as gl
from gapless.roles import Branch, LinearDualCertificate, Tightening, TreeCertificate
from gapless.testing.examples import random_selection
from gapless_chains import ChainProblem, PotentialsCertificate
from gapless_dependency import ParsingProblem
from gapless_linking import LinkingProblem
from gapless_linking.certificate import DOMINATED, RUSSIAN_DOLL, STAGE, SearchCertificate
from gapless_linking.hitting_certificate import HittingCertificate
from gapless_ordering import OrderingProblem
from gapless_ordering.certificate import WalkCertificate
from gapless_ordering.cut_program import CutDual, base_rows
from gapless_splitbound.certificate import EnumeratedTrees

Crafted = tuple[gl.Problem[Any], gl.Certificate]


def claiming(problem, certificate):
    """A result that claims a bound by a certificate, and nothing else."""
    bound = problem.sense.sign * 1e6
    return gl.Result(gl.Status.NO_SOLUTION, gl.Stop.NODES, (), bound, certificate, problem.sense)


def _equal_distances(k, size):
    return LinkingProblem.from_distances(
        np.ones((k * size, k * size)) - np.eye(k * size), np.arange(k * size).reshape(k, size)
    )


def nested_searches():
    """All choices of ten sets of ten cost less than what is claimed: ten thousand million are gone through."""
    k = 10
    floors = [*np.linspace(1e6, 1e5, k), 0.0]
    return _equal_distances(k, 10), SearchCertificate(
        math.inf, 1.0, [STAGE, 0, 0, RUSSIAN_DOLL, k, *range(k)], np.zeros(0), floors
    )


def dead_ends():
    """One dead end, named again and again."""
    script = [DOMINATED, 30_000, *np.tile([0, 1], 30_000)]
    return _equal_distances(4, 10), SearchCertificate(math.inf, 1.0, script, np.zeros(0), np.zeros(0))


def clauses():
    """Children that are random clauses: whether they leave a case open is the hard question of logic."""
    rng = np.random.default_rng(0)
    children = []
    for _ in range(250):
        some = rng.permutation(60)[:3].tolist()
        on = [d for d in some if rng.random() < 0.5]
        children.append(Branch(on=on, off=[d for d in some if d not in on]))
    tree = TreeCertificate((-1, *[0] * len(children)), (Branch(), *children), {})
    return random_selection(rng, 60), tree


def deep_tree():
    """Nodes that decide nothing, one below the other."""
    chain = ChainProblem(np.eye(3), np.zeros((3, 3)))
    leaf = gl.solve(chain).certificate
    return chain, TreeCertificate(tuple(range(-1, 19_999)), (Branch(),) * 20_000, {"19999": leaf})


def labels():
    """A set of remembered classes for each walk, of which there are 2 to the power 30."""
    rng = np.random.default_rng(0)
    problem = OrderingProblem(np.zeros(30), rng.random((30, 30)), np.zeros(30), length=15)
    return problem, WalkCertificate(-math.inf, -math.inf, [0, 0], [], [], None, True)


def enumerations():
    """A leaf is allowed 65536 choices of heads; thousands of them look at the same."""
    problem = ParsingProblem(np.random.default_rng(0).normal(size=(7, 7)))
    leaves = {str(node): EnumeratedTrees() for node in range(1, 3001)}
    return problem, TreeCertificate((-1, *[0] * 3000), (Branch(),) * 3001, leaves)


def _flipped(problem, evidence):
    """One decision turned off, again and again, and the same evidence for each time."""
    step = Tightening((), (1,) * 50_000, evidence)
    return problem, TreeCertificate((-1,), (Branch(),), {"0": evidence}, {"0": [step]})


def pair_scores():
    """All pairs of 200 labels at each of 20 tokens, for each flip."""
    rng = np.random.default_rng(0)
    chain = ChainProblem(rng.normal(size=(20, 200)), rng.normal(size=(200, 200)))
    return _flipped(chain, gl.solve(chain, "viterbi").certificate)


def potentials():
    """The same by potentials."""
    rng = np.random.default_rng(0)
    chain = ChainProblem(rng.normal(size=(20, 200)), rng.normal(size=(200, 200)))
    return _flipped(chain, PotentialsCertificate(np.zeros((20, 200))))


def linear_models():
    """A linear model with a column for each pair of labels, written anew for each flip."""
    chain = ChainProblem(np.zeros((10, 60)), np.zeros((60, 60)))
    return _flipped(chain, LinearDualCertificate(np.zeros(len(chain.linear_model().rows))))


def cut_programs():
    """A program of 60 vertices, written anew for each flip."""
    problem = OrderingProblem(np.zeros(60), np.ones((60, 60)), np.zeros(60), length=4)
    none = np.zeros(0, np.int64)
    return _flipped(problem, CutDual(np.zeros(base_rows(problem)), none, none, none))


def given_distances():
    """Distances between 400 candidates, for each flip."""
    return _flipped(_equal_distances(20, 20), HittingCertificate())


def each():
    """Their names, and what they are."""
    for craft in (
        nested_searches, dead_ends, clauses, deep_tree, labels, enumerations,
        pair_scores, potentials, linear_models, cut_programs, given_distances,
    ):  # fmt: skip
        yield craft.__name__, craft()


CRAFTED = dict(each())
SHORT = ("nested_searches", "clauses", "labels")
"""Those whose files are."""
