"""The kit on everything that is registered: every problem type has small examples, every method solves them."""

import importlib
import math

import numpy as np
import pytest

from gapless.plugins import load_plugins
from gapless.roles import ConfigurationFactor, Decisions, Factor
from gapless.testing import check_factor, check_method, check_problem, enumerate_best

REGISTRY = load_plugins().registry
NONE = -math.inf
INF = math.inf


def chains():
    """Ties, forbidden labels and transitions, per-edge scores, one label, one position, no allowed path."""
    chain = importlib.import_module("gapless_chains").ChainProblem
    rng = np.random.default_rng(9)
    tied = rng.integers(-1, 2, (4, 3)).astype(float)
    forbidden = np.where(rng.random((3, 3)) < 0.4, NONE, rng.normal(size=(3, 3)))
    return [
        chain([[1.0, 2.0]], np.zeros((2, 2))),
        chain(np.zeros((4, 1)), [[-1.0]]),
        chain(tied, np.zeros((3, 3))),
        chain(tied, forbidden, initial=[0.0, NONE, 1.0], final=[0.5, 0.5, 0.0]),
        chain(rng.normal(size=(5, 3)), rng.normal(size=(4, 3, 3)), labels=["DET", "NOUN", "VERB"]),
        chain(np.where(rng.random((4, 3)) < 0.3, NONE, 1e6 * rng.normal(size=(4, 3))), rng.normal(size=(3, 3))),
        chain(np.zeros((3, 2)), [[NONE, NONE], [NONE, NONE]]),
    ]


def trees():
    """Ties, a forest, forbidden labels and transitions, per-edge scores, one label, one node, nothing allowed."""
    tree = importlib.import_module("gapless_chains").TreeProblem
    rng = np.random.default_rng(9)
    tied = rng.integers(-1, 2, (4, 3)).astype(float)
    forbidden = np.where(rng.random((3, 3)) < 0.4, NONE, rng.normal(size=(3, 3)))
    return [
        tree([[1.0, 2.0]], np.zeros((2, 2)), [-1]),
        tree(np.zeros((4, 1)), [[-1.0]], [-1, 0, 0, 1]),
        tree(tied, np.zeros((3, 3)), [-1, 0, 0, 0]),
        tree(tied, forbidden, [-1, 0, -1, 2]),
        tree(rng.normal(size=(5, 3)), rng.normal(size=(5, 3, 3)), [-1, 0, 1, 1, 0], labels=["A", "B", "C"]),
        tree(1e6 * rng.normal(size=(4, 3)), rng.normal(size=(3, 3)), [-1, 0, 1, 1]),
        tree(np.zeros((3, 2)), [[NONE, NONE], [NONE, NONE]], [-1, 0, 0]),
    ]


def parsing():
    """Ties, forbidden arcs and parts, one word, no tree, one root or several, crossing or not, every factor."""
    tests = importlib.import_module("gapless_dependency.random_problems")
    rng = np.random.default_rng(9)
    return [
        tests.random_problem(rng, 1),
        tests.random_problem(rng, 2, forbidden=1.0),
        tests.random_problem(rng, 3, projective=True, ties=True),
        tests.random_problem(rng, 4, single_root=False, ties=True, forbidden=0.2),
        tests.random_problem(rng, 4, families=("grandchild", "sibling"), ties=True, forbidden=0.1),
        tests.random_problem(rng, 4, projective=True, families=tests.FAMILIES, forbidden_parts=0.05),
        tests.random_problem(rng, 3, projective=True, single_root=False, families=tests.CONJUNCTIVE, strength=2.0),
    ]


def labelled_parsing():
    """Ties, forbidden labels, one word, no tree, one root or several, crossing or not, factors."""
    problem = importlib.import_module("gapless_dependency").LabelledParsingProblem
    sibling = importlib.import_module("gapless_dependency").Sibling
    table = importlib.import_module("gapless.factors")
    rng = np.random.default_rng(9)
    tied = rng.integers(-1, 2, (4, 4, 2)).astype(float)
    forbidden = np.where(rng.random((4, 4, 2)) < 0.4, NONE, rng.normal(size=(4, 4, 2)))
    return [
        problem(np.ones((2, 2, 1))),
        problem(tied, projective=True, labels=["subject", "object"]),
        problem(forbidden, single_root=False),
        problem(np.where(np.arange(4)[:, None, None] == 0, NONE, tied)),
        problem(tied, factors=[table.AtMostOne([0, 2, 5], -1.0), table.Or([1, 3], 0.5)]),
        problem(tied, arc_factors=[sibling(rng.integers(-2, 3, (4, 4, 4)).astype(float))], projective=True),
    ]


def orderings():
    """Ties, classes, forbidden edges, one vertex, all vertices, more than there are, layers without a path."""
    ordering = importlib.import_module("gapless_ordering").OrderingProblem
    rng = np.random.default_rng(9)
    tied = rng.integers(-1, 2, (3, 3)).astype(float)
    forbidden = np.where(rng.random((3, 3)) < 0.4, NONE, rng.normal(size=(3, 3)))
    chain = [[NONE, 1.0, NONE], [NONE, NONE, 1.0], [NONE] * 3]
    return [
        ordering([1.5], [[0.0]], [-1.0], 1),
        ordering(tied[0], tied, tied[1], 2),
        ordering(tied[0], tied, tied[1], 3),
        ordering(rng.normal(size=3), forbidden, [0.0, NONE, 1.0], 2, classes=["a", "b", "a"]),
        ordering(rng.normal(size=3), 1e6 * rng.normal(size=(3, 3)), rng.normal(size=3), 3, names=["x", "y", "z"]),
        ordering(np.zeros(2), np.zeros((2, 2)), np.zeros(2), 3),
        ordering([0.0, NONE, NONE], chain, [0.0, 0.0, NONE], 3),
    ]


def linkings():
    """A graph with either connection, lengths, overlaps, equal sets, anchors, priors, zeros, nothing allowed."""
    linking = importlib.import_module("gapless_linking")
    given = linking.LinkingProblem.from_distances
    path = linking.Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [1, 4], [4, 5]])
    sets = [[0, 3], [1, 5, 2], [4]]
    plain = linking.LinkingProblem(path, sets, mentions=["jaguar", "jungle", "river"])
    far = [[0, 1, INF], [1, 0, INF], [INF, INF, 0]]
    return [
        plain,
        plain.maximal_connection(),
        plain.minimal_connection(),
        linking.LinkingProblem(
            linking.Graph.from_edges([[0, 1], [1, 2], [0, 2]], [0.5, 0.5, 3.0]),
            [[0, 1], [1, 2]],
            anchors=[(2, 1.5), (2, -1.0), (0, 0.0)],
            prior=[[0.0, NONE], [1.0, 1.0]],
        ),
        given(np.ones((4, 4)) - np.eye(4), [[0, 1, 2], [0, 1, 2], [0, 1, 2]], anchors={3: 1}),
        given([[0, 0, 2], [0, 0, 1], [2, 1, 0]], [[0, 1, 2], [2, 0]], prior=[[1, 1, 5], [0, 0]], prior_weight=2),
        given(far, [[0, 1], [1, 2], [0]]),
        given(far, [[0, 1], [2]]),
        given([[0, 3], [3, 0]], [[1, 0]], prior=[[0.5, 0.25]]),
        linking.LinkingProblem(path, [[0], [2, 3, 4], [5]], anchors={1: -1}, prior=[[0], [NONE, 0, 0], [1]]),
    ]


EXAMPLES = {
    "chain": chains,
    "tree": trees,
    "parsing": parsing,
    "labelled-parsing": labelled_parsing,
    "ordering": orderings,
    "linking": linkings,
}


def no_conjunction(problem):
    """Whether a factor is more than a set of arcs with a score."""
    return bool(problem.configurations or problem.backbone_factors)


def not_decomposable(problem):
    """Whether no bridges part the sets; this one goes by the example, whose sets are made for it."""
    return problem.graph is None or [members.tolist() for members in problem.candidates] != [[0], [2, 3, 4], [5]]


def no_graph(problem):
    """Whether there are distances alone."""
    return problem.graph is None


REFUSED = {
    ("linking", "decomposable"): not_decomposable,
    ("linking", "degree"): no_graph,
    ("linking", "pagerank"): no_graph,
    ("linking", "spanning-tree"): lambda problem: problem.connection is None,
    ("parsing", "first-order"): lambda problem: bool(problem.factors),
    ("parsing", "lp-full"): no_conjunction,
    ("parsing", "price-and-cut"): no_conjunction,
    ("parsing", "branch-price-and-cut"): no_conjunction,
}
"""Examples that a method says it is not for; its own tests check that it does."""


def owner(kind, key):
    """Distribution that registered something."""
    return REGISTRY.owners[kind, key].rpartition("(")[2].rstrip(")")


def examples(name):
    """The instances of a problem type; our own types must have some."""
    if name in EXAMPLES:
        return EXAMPLES[name]()
    distribution = owner("problem", name)
    if distribution == "gapless":
        pytest.fail(f"problem {name!r} is ours and has no examples: add some to EXAMPLES")
    pytest.skip(f"problem {name!r} of {distribution} has no examples here; its own tests run the kit")


METHODS = [
    (name, method)
    for name, cls in sorted(REGISTRY.problems.items())
    for method in sorted(REGISTRY.methods_for(cls))
]


@pytest.mark.parametrize("name", sorted(REGISTRY.problems))
def test_problem(name):
    instances = examples(name)
    assert any(enumerate_best(problem) for problem in instances)
    for problem in instances:
        assert type(problem) is REGISTRY.problems[name]
        check_problem(problem)


@pytest.mark.parametrize(("name", "method"), METHODS, ids=["/".join(pair) for pair in METHODS])
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_method(name, method, every):
    refused = REFUSED.get((name, method), lambda _: False)
    chosen = [problem for problem in examples(name) if not refused(problem)]
    check_method(REGISTRY.find_method(REGISTRY.problems[name], method), chosen[::every])


@pytest.mark.parametrize("name", sorted(REGISTRY.factors))
def test_factor(name):
    cls = REGISTRY.factors[name]
    assert issubclass(cls, (Factor, ConfigurationFactor))
    try:
        factor = cls()
    except TypeError:
        pytest.skip(f"factor {name!r} needs arguments; the tests of its plug-in run the kit")
    check_factor(factor, Decisions(8))


def test_every_registered_problem_has_a_method_and_every_default_one_name():
    for name, cls in REGISTRY.problems.items():
        methods = REGISTRY.methods_for(cls)
        assert methods, f"problem {name!r} has no method"
        assert sum(method.default for method in methods.values() if method.problem is cls) <= 1
        for method in methods.values():
            assert method.summary, f"method {method.name!r} has no summary for `gapless methods`"


def test_the_table_names_only_problem_types_that_exist():
    """A renamed problem must not leave its examples unused."""
    if not any(entry.distribution == "gapless" for entry in load_plugins().loaded):
        pytest.skip("the gapless distribution is not installed, so nothing is registered")
    assert set(EXAMPLES) <= set(REGISTRY.problems)
