"""The readable search takes the steps of the compiled one: the same bounds, fixings and branchings, node by node.

Scores are drawn from a continuous distribution. Where a step may make two configurations of a factor exactly equal,
rounding decides between them, and the two may part; then their answers still agree.
"""

import os

import numpy as np
import pytest
from drawn import mostly_long
from listed import Listed, Table, blocks_of_any_width, draw_groups, draw_tables

if os.environ.get("GAPLESS_PURE") == "1":
    pytest.skip("without the compiled search there is nothing to compare", allow_module_level=True)

from gapless.decisions.decisions import OFF, Fixings
from gapless.search.reference_search import PROVED, ReferenceSearch
from gapless.testing import ConformanceError
from gapless.testing.search import compare_searches
from gapless_dependency import TreeMaximiser, backbone_for
from gapless_dependency.random_problems import FAMILIES, random_problem
from gapless_kernels.search._search import CompiledSearch
from gapless_kernels.search._trees import Trees
from gapless_kernels.search.python_roles import PythonFactor, PythonMaximiser

ORDERS = ("best-first", "depth-first", "breadth-first")


def options(rng, *, factors):
    paper = not factors and rng.random() < 0.2
    return {
        "variant": "paper" if paper else "default",
        "order": ORDERS[int(rng.integers(3))],
        "choices": int(rng.choice([0, 30, 1 << 14])),
        "keep_proof": bool(rng.random() < 0.7),
    }


def blocks_of(problem):
    blocks = [(scored.scopes, scored.all_scores()) for scored in problem.conjunctions if scored.scopes.size]
    return [(scopes, np.maximum(scores, -500.0)) for scopes, scores in blocks]


def trees(rng, number, factors):
    families = (("sibling", "grandchild"), FAMILIES, ("grandchild",))[number % 3]
    while True:
        problem = random_problem(
            rng,
            int(rng.integers(2, 8)),
            projective=bool(rng.integers(2)),
            single_root=bool(rng.integers(2)),
            families=families,
            strength=float(rng.choice([0.5, 1.5, 3.0])),
            forbidden=0.1 * (number % 4 == 1),
            forbidden_parts=0.1 * (number % 4 == 2),
        )
        if not problem.infeasibility():
            break
    arcs = problem.decisions
    kernel = Trees(
        arcs.heads, arcs.modifiers, problem.length, projective=problem.projective, single_root=problem.single_root
    )
    first, members = arcs.choice_groups_csr()
    maximiser = TreeMaximiser(problem, backbone_for(problem, "first"))
    how = {"group_first": first, "groups": members, "lifted": number % 2 == 0, **options(rng, factors=factors)}
    return kernel, maximiser, problem.arc_weights, blocks_of(problem), how, bool(factors)


def choice_groups(rng, number, factors):
    count, first, members = draw_groups(rng)
    maximiser = Listed(count, first, members)
    if number % 2:
        maximiser.own = rng.normal(size=len(maximiser.rows))
    blocks = blocks_of_any_width(rng, count)
    kernel = PythonMaximiser(maximiser, count, Fixings)
    how = {"group_first": first, "groups": members, **options(rng, factors=factors)}
    return kernel, maximiser, rng.normal(size=count), blocks, how, True


def both(case, rng, number, factors):
    kernel, maximiser, base, blocks, how, costly = case(rng, number, factors)
    parts = draw_tables(rng, len(base)) if factors else []
    compiled = CompiledSearch(kernel, base, blocks, factors=[PythonFactor(*part) for part in parts], **how)
    return compiled, ReferenceSearch(maximiser, base, blocks, factors=parts, costly=costly, **how)


def together(compiled, readable, name):
    """Whether both take the same steps. After hundreds a tie may end otherwise by rounding; then answers agree."""
    try:
        compare_searches(compiled, readable, name=name)
    except ConformanceError:
        while readable.advance() != PROVED or compiled.advance() != PROVED:
            pass
        assert readable.value == pytest.approx(compiled.value, abs=1e-8)
        assert readable.bound == pytest.approx(compiled.bound, abs=1e-6)
        return False
    return True


@pytest.mark.parametrize("case", [trees, choice_groups])
@pytest.mark.parametrize("seeds", [[0], pytest.param(range(12), marks=pytest.mark.long)], ids=["quick", "long"])
def test_conjunctions(case, seeds):
    steps = parted = total = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        for number in range(9 if len(seeds) == 1 else 30):
            compiled, readable = both(case, rng, number, factors=False)
            same = together(compiled, readable, f"{case.__name__} {seed}, {number}")
            parted += not same
            assert same or readable.steps > 200  # rounding takes long to decide a tie
            steps, total = steps + readable.steps, total + 1
    assert steps > 100
    assert parted <= 0.01 * total


@pytest.mark.parametrize("case", [trees, choice_groups])
@pytest.mark.parametrize("seeds", [[0], pytest.param(range(8), marks=pytest.mark.long)], ids=["quick", "long"])
def test_factors(case, seeds):
    parted = total = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        for number in range({trees: 4, choice_groups: 12}[case] if len(seeds) == 1 else 30):
            compiled, readable = both(case, rng, number, factors=True)
            total += 1
            parted += not together(compiled, readable, f"{case.__name__} {seed}, {number}")
    assert parted <= 0.05 * total


@pytest.mark.parametrize("case", [trees, choice_groups])
def test_a_kernel_that_is_wrong_inside_the_search_is_found(case):
    """One that answers well where nothing is fixed, and gives second best structures deep in the search."""

    class Second(Listed):
        def __init__(self, right):
            self.right, self.has_internal_scores = right, right.has_internal_scores

        def solve(self, weights, fixings):
            found = self.right.solve(weights, fixings)
            if np.count_nonzero(fixings.state == OFF) < 2 or not found.on_ids.size:
                return found
            place = int(found.on_ids[np.argmin(fixings.state[found.on_ids])])
            other = (
                self.right.solve(weights, fixings.fix(off=[place]) or fixings)
                if fixings.state[place] < 0
                else found
            )
            return other if other.on_ids.size else found

        def max_marginals(self, weights, fixings):
            return self.right.max_marginals(weights, fixings)

    rng, found = np.random.default_rng(5), 0
    for number in range(30):
        _, maximiser, base, blocks, how, _ = case(rng, number, False)
        how = {**how, "choices": 0, "variant": "default"}
        compiled = CompiledSearch(PythonMaximiser(Second(maximiser), len(base), Fixings), base, blocks, **how)
        try:
            compare_searches(compiled, ReferenceSearch(maximiser, base, blocks, **how), name="Second")
        except ConformanceError as error:
            found += error.rule in ("the same steps", "the same record")
    assert found >= 3


@pytest.mark.parametrize(("seed", "count"), mostly_long([(0, 8), *((seed, 20) for seed in range(6))], quick=[0]))
def test_answers_agree_under_ties(seed, count):
    rng = np.random.default_rng(seed)
    for number in range(count):
        kernel, maximiser, base, blocks, how, _ = (trees, choice_groups)[number % 2](rng, number, False)
        base = rng.integers(-2, 3, len(base)).astype(float)
        blocks = [(scopes, rng.integers(-2, 3, len(scopes)).astype(float)) for scopes, _ in blocks]
        if isinstance(maximiser, Listed):
            maximiser.own = np.round(maximiser.own)
        compiled = CompiledSearch(kernel, base, blocks, **how)
        readable = ReferenceSearch(maximiser, base, blocks, **how)
        assert compiled.advance() == readable.advance() == PROVED
        assert compiled.value == readable.value
        assert compiled.bound == pytest.approx(readable.bound, abs=1e-7)


@pytest.mark.parametrize(("seed", "count"), mostly_long([(0, 6), (0, 12), (3, 12)], quick=[0]))
def test_scores_asked_for_late(seed, count):
    """Both ask for the same scores, in the same steps."""
    rng = np.random.default_rng(seed)
    asked = 0
    for number in range(count):
        kernel, maximiser, base, blocks, how, _ = trees(rng, number, False)
        scores = np.concatenate([np.zeros(0), *(given for _, given in blocks)])
        widths = np.concatenate([np.zeros(0), *(np.full(len(scopes), scopes.shape[1]) for scopes, _ in blocks)])
        unknown = (rng.random(len(scores)) < rng.choice([0.3, 0.7, 1.0])) & (widths > 1)
        higher = np.split(
            scores + unknown * np.abs(rng.normal(size=len(scores))), np.cumsum([len(b) for _, b in blocks])
        )
        both = []
        for kind, role in ((CompiledSearch, kernel), (ReferenceSearch, maximiser)):
            bounds = [(scopes, more.copy()) for (scopes, _), more in zip(blocks, higher, strict=False)]
            lazy = {**how, "variant": "default", "unknown": unknown, "ask": lambda places, s=scores: s[places]}
            both.append(kind(role, base, bounds, **lazy))
        compare_searches(*both, name=f"trees {number}")
        assert both[0].scored == both[1].scored
        asked += both[1].scored
    assert asked > 50


def test_values_far_apart_beside_what_is_on():
    """A reward for a decision that is already on must not hide which configuration of the factor is best."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        groups = {"group_first": np.array([0, 1]), "groups": np.array([0])}  # decision 0 is on
        maximiser = Listed(4, *groups.values())
        base = rng.normal(size=4) * 1e4
        factor = Table(np.arange(4), np.append(1e9 + rng.normal(size=8), rng.normal(size=8) * 1e4))
        best = max(base[row].sum() + factor.value(row) for row in maximiser.rows)
        compiled = CompiledSearch(
            PythonMaximiser(maximiser, 4, Fixings), base, [], factors=[PythonFactor(np.arange(4), factor)], **groups
        )
        readable = ReferenceSearch(maximiser, base, [], factors=[(np.arange(4), factor)], **groups)
        for search in (compiled, readable):
            assert search.advance() == PROVED
            assert search.value == pytest.approx(best, rel=1e-8)
            assert search.bound >= best - 1e-3
