"""The readable search takes the steps of the compiled one: the same bounds, fixings and branchings, node by node.

Scores are drawn from a continuous distribution. Where a step may make two configurations of a factor exactly equal,
rounding decides between them, and the two may part; then their answers still agree.
"""

import itertools
import os

import numpy as np
import pytest

if os.environ.get("GAPLESS_PURE") == "1":
    pytest.skip("without the compiled search there is nothing to compare", allow_module_level=True)

from gapless_kernels.search._search import Search as CompiledSearch
from gapless_kernels.search._trees import Trees
from gapless_kernels.search.python_roles import PythonFactor, PythonMaximiser

from gapless.core.decisions import OFF, ON, Fixings
from gapless.engine.search import PROVED, Search
from gapless.roles import ConfigurationFactor, Maximised, Maximiser, Slacks
from gapless.testing import ConformanceError
from gapless.testing.search import compare_searches
from gapless_dependency import TreeMaximiser, backbone_for
from gapless_dependency.random_problems import FAMILIES, random_problem

ORDERS = ("best-first", "depth-first", "breadth-first")


class Listed(Maximiser):
    """All sets with one decision of each group and any of the others, with own scores."""

    def __init__(self, count, first, members):
        groups = [members[first[g] : first[g + 1]] for g in range(len(first) - 1)]
        loose = [[-1, d] for d in np.setdiff1d(np.arange(count), members)]
        rows = np.zeros((0, count), bool)
        for chosen in itertools.product(*groups, *loose):
            rows = np.vstack([rows, np.isin(np.arange(count), chosen)])
        self.rows, self.own = rows, np.zeros(len(rows))

    def values(self, weights, fixings):
        fits = ~(self.rows & (fixings.state == OFF)).any(axis=1) & ~(~self.rows & (fixings.state == ON)).any(axis=1)
        sums = [weights[row].sum() for row in self.rows]
        return np.where(fits, self.own + sums, -np.inf)

    def solve(self, weights, fixings):
        values = self.values(weights, fixings)
        best = int(np.argmax(values))
        if values[best] == -np.inf:
            return Maximised(-np.inf, np.zeros(0, np.int64))
        return Maximised(float(values[best]), np.flatnonzero(self.rows[best]), None, float(self.own[best]))

    def slacks(self, weights, fixings):
        values = self.values(weights, fixings)
        on = [values.max() - values[row].max(initial=-np.inf) for row in self.rows.T]
        off = [values.max() - values[~row].max(initial=-np.inf) for row in self.rows.T]
        return Slacks(np.array(on), np.array(off))


class Table(ConfigurationFactor):
    name = "table"

    def __init__(self, places, values):
        self.places, self.values = places, values
        self.rows = np.array([*itertools.product([False, True], repeat=len(places))])

    def scope(self, decisions):
        return self.places

    def value(self, on):
        return float(self.values[(self.rows == on).all(axis=1)][0])

    def best(self, weights):
        values = np.array([v + weights[row].sum() for v, row in zip(self.values, self.rows, strict=True)])
        best = int(np.argmax(values))
        return float(values[best]), self.rows[best].copy()


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
    first, members = kernel.groups()
    maximiser = TreeMaximiser(problem, backbone_for(problem, "first"))
    how = {"group_first": first, "groups": members, **options(rng, factors=factors)}
    return kernel, maximiser, problem.arc_weights, blocks_of(problem), how, bool(factors)


def choice_groups(rng, number, factors):
    sizes = rng.integers(1, 4, size=rng.integers(1, 4))
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    count = int(first[-1]) + int(rng.integers(0, 4))
    shuffled = rng.permutation(count)
    members = np.concatenate([np.sort(shuffled[first[g] : first[g + 1]]) for g in range(len(sizes))])
    maximiser = Listed(count, first, members)
    if number % 2:
        maximiser.own = rng.normal(size=len(maximiser.rows))
    blocks = []
    for width in (1, 2, 2, 3):
        if count >= width and rng.random() < 0.7:
            scopes = np.array([rng.permutation(count)[:width] for _ in range(rng.integers(1, 12))], np.int64)
            blocks.append((scopes, rng.normal(size=len(scopes)) * 2))
    kernel = PythonMaximiser(maximiser, count, Fixings)
    how = {"group_first": first, "groups": members, **options(rng, factors=factors)}
    return kernel, maximiser, rng.normal(size=count), blocks, how, True


def tables(rng, count):
    made = []
    for _ in range(rng.integers(1, 3)):
        places = np.sort(rng.permutation(count)[: rng.integers(1, min(count, 5) + 1)]).astype(np.int64)
        values = rng.normal(size=1 << len(places)) * 2
        values[rng.random(len(values)) < rng.choice([0.0, 0.3])] = -np.inf
        made.append((places, Table(places, values)))
    return made


def both(case, rng, number, factors):
    kernel, maximiser, base, blocks, how, costly = case(rng, number, factors)
    parts = tables(rng, len(base)) if factors else []
    compiled = CompiledSearch(kernel, base, blocks, factors=[PythonFactor(*part) for part in parts], **how)
    return compiled, Search(maximiser, base, blocks, factors=parts, costly=costly, **how)


@pytest.mark.parametrize("case", [trees, choice_groups])
@pytest.mark.parametrize("seed", [0, pytest.param(range(1, 12), marks=pytest.mark.long)], ids=["quick", "long"])
def test_conjunctions(case, seed):
    steps = 0
    for one in [seed] if isinstance(seed, int) else seed:
        rng = np.random.default_rng(one)
        for number in range(30):
            compiled, readable = both(case, rng, number, factors=False)
            compare_searches(compiled, readable, name=f"{case.__name__} {one}, {number}")
            steps += readable.steps
    assert steps > 100


@pytest.mark.parametrize("case", [trees, choice_groups])
@pytest.mark.parametrize("seed", [0, pytest.param(range(1, 8), marks=pytest.mark.long)], ids=["quick", "long"])
def test_factors(case, seed):
    parted = total = 0
    for one in [seed] if isinstance(seed, int) else seed:
        rng = np.random.default_rng(one)
        for number in range(30):
            compiled, readable = both(case, rng, number, factors=True)
            total += 1
            try:
                compare_searches(compiled, readable, name=f"{case.__name__} {one}, {number}")
            except ConformanceError:
                parted += 1
                while readable.advance() != PROVED or compiled.advance() != PROVED:
                    pass
                assert readable.value == pytest.approx(compiled.value, abs=1e-8)
                assert readable.bound == pytest.approx(compiled.bound, abs=1e-6)
    assert parted <= 0.05 * total


@pytest.mark.parametrize("case", [trees, choice_groups])
def test_a_kernel_that_is_wrong_inside_the_search_is_found(case):
    """One that answers well where nothing is fixed, and gives second best structures deep in the search."""

    class Second(Listed):
        def __init__(self, right):
            self.right, self.has_own = right, right.has_own

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

        def slacks(self, weights, fixings):
            return self.right.slacks(weights, fixings)

    rng, found = np.random.default_rng(5), 0
    for number in range(30):
        _, maximiser, base, blocks, how, _ = case(rng, number, False)
        how = {**how, "choices": 0, "variant": "default"}
        compiled = CompiledSearch(PythonMaximiser(Second(maximiser), len(base), Fixings), base, blocks, **how)
        try:
            compare_searches(compiled, Search(maximiser, base, blocks, **how), name="Second")
        except ConformanceError as error:
            found += error.rule in ("the same steps", "the same record")
    assert found >= 3


@pytest.mark.parametrize("seed", range(6))
def test_answers_agree_under_ties(seed):
    rng = np.random.default_rng(seed)
    for number in range(20):
        kernel, maximiser, base, blocks, how, _ = (trees, choice_groups)[number % 2](rng, number, False)
        base = rng.integers(-2, 3, len(base)).astype(float)
        blocks = [(scopes, rng.integers(-2, 3, len(scopes)).astype(float)) for scopes, _ in blocks]
        if isinstance(maximiser, Listed):
            maximiser.own = np.round(maximiser.own)
        compiled = CompiledSearch(kernel, base, blocks, **how)
        readable = Search(maximiser, base, blocks, **how)
        assert compiled.advance() == readable.advance() == PROVED
        assert compiled.value == readable.value
        assert compiled.bound == pytest.approx(readable.bound, abs=1e-7)
