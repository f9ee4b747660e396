"""Random cases of the compiled search: any maximiser, conjunctions and factors, and their values by enumeration."""

import itertools
from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
from split_bound_search import arcs_into

from gapless_kernels.choices._choice_groups import ChoiceGroups
from gapless_kernels.search._search import CompiledSearch
from gapless_kernels.search._trees import Trees
from gapless_kernels.search.python_roles import PythonFactor, PythonMaximiser

INF = np.inf


def draw(rng, *shape):
    """Scores with ties and zeros, or without; some that cancel."""
    kind = rng.integers(0, 4)
    if kind == 0:
        return rng.integers(-2, 3, shape).astype(float)
    if kind == 1:
        return np.zeros(shape)
    values = rng.normal(0, 1.0, shape)
    return values * 1e6 if kind == 2 and rng.random() < 0.2 else values


@attrs.frozen
class Case:
    """A family of structures: each a row of booleans, with its own score."""

    maximiser: Any
    base: np.ndarray
    first: np.ndarray
    groups: np.ndarray
    rows: np.ndarray
    own: np.ndarray
    blocks: Any = ()
    factors: Any = ()
    marginals: bool = False

    def values(self) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            total = self.own + np.array([self.base[row].sum() for row in self.rows])
        for scopes, scores in self.blocks:
            total = total + self.rows[:, scopes].all(axis=2) @ scores
        for scope, factor in self.factors:
            total = total + np.array([factor.value(row[scope]) for row in self.rows])
        return total

    def search(self, **options: Any) -> CompiledSearch:
        return CompiledSearch(
            self.maximiser(),
            self.base,
            self.blocks,
            group_first=self.first,
            groups=self.groups,
            factors=[PythonFactor(scope, factor, self.marginals) for scope, factor in self.factors],
            **options,
        )

    def value_of(self, on: np.ndarray) -> float:
        row = np.zeros(len(self.base), bool)
        row[on] = True
        same = np.flatnonzero((self.rows == row).all(axis=1))
        return float(self.values()[same[0]]) if same.size else -INF


def trees_case(rng, projective, single_root):
    n = int(rng.integers(1, 5))
    arcs = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m and rng.random() < 0.9]
    heads, modifiers = np.array(arcs, np.int64).reshape(-1, 2).T
    rows = []
    into = [[e for e, (_, m) in enumerate(arcs) if m == word] for word in range(1, n + 1)]
    for chosen in itertools.product(*into):
        above = {arcs[e][1]: arcs[e][0] for e in chosen}
        if all(reaches_root(above, m) for m in above) and (not single_root or [*above.values()].count(0) == 1):
            spans = [sorted(pair) for pair in above.items()]
            if not projective or not any(a < c < b < d for a, b in spans for c, d in spans):
                rows.append([e in chosen for e in range(len(arcs))])
    base = draw(rng, len(arcs))
    if rng.random() < 0.3:
        base[rng.random(len(arcs)) < 0.2] = -INF

    def maximiser() -> Trees:
        return Trees(heads, modifiers, n, projective=projective, single_root=single_root)

    first, groups = arcs_into(modifiers, n)
    table = np.array(rows, bool).reshape(len(rows), len(arcs))
    return Case(maximiser, base, first, groups, table, np.zeros(len(table)))


def reaches_root(above, word):
    for _ in range(len(above) + 1):
        if word == 0:
            return True
        word = above[word]
    return False


def drawn_groups(rng, decisions):
    sizes = []
    while rng.random() < 0.8 and sum(sizes) < decisions:
        sizes.append(min(int(rng.integers(1, 4)), decisions - sum(sizes)))
    return np.append(0, np.cumsum(sizes)).astype(np.int64), rng.permutation(decisions)[: sum(sizes)].astype(
        np.int64
    )


def agreeing(decisions, first, groups):
    rows = np.array(list(itertools.product([False, True], repeat=decisions))).reshape(-1, decisions)
    for begin, end in itertools.pairwise(first):
        rows = rows[rows[:, groups[begin:end]].sum(axis=1) == 1]
    return rows


def groups_case(rng):
    decisions = int(rng.integers(1, 8))
    first, groups = drawn_groups(rng, decisions)
    rows = agreeing(decisions, first, groups)
    base = draw(rng, decisions)
    if rng.random() < 0.3:
        base[rng.random(decisions) < 0.2] = -INF

    def maximiser() -> ChoiceGroups:
        return ChoiceGroups(decisions, first, groups)

    return Case(maximiser, base, first, groups, rows, np.zeros(len(rows)))


class Listed:
    """A maximiser in Python over a list of structures, with scores of its own."""

    def __init__(self, rows: np.ndarray, own: np.ndarray) -> None:
        self.rows, self.own_scores = rows, own

    def worths(self, weights: np.ndarray, state: np.ndarray) -> np.ndarray:
        worth = self.own_scores + np.array([weights[row].sum() for row in self.rows])
        return np.where(((self.rows | (state != 1)) & (~self.rows | (state != 0))).all(axis=1), worth, -INF)

    def solve(self, weights: np.ndarray, state: np.ndarray) -> Any:
        worth = self.worths(weights, state)
        if not worth.size or worth.max() == -INF:
            return SimpleNamespace(value=-INF, on_ids=np.zeros(0, np.int64), internal_score=0.0)
        best = int(worth.argmax())
        return SimpleNamespace(
            value=worth[best], on_ids=np.flatnonzero(self.rows[best]), internal_score=self.own_scores[best]
        )

    def max_marginals(self, weights: np.ndarray, state: np.ndarray) -> Any:
        worth = self.worths(weights, state)
        on = [worth.max() - max(worth[self.rows[:, e]], default=-INF) for e in range(len(weights))]
        off = [worth.max() - max(worth[~self.rows[:, e]], default=-INF) for e in range(len(weights))]
        return SimpleNamespace(on=np.array(on), off=np.array(off))


def listed_case(rng):
    """A knapsack, loose decisions and some in groups, and own scores of whole structures."""
    decisions = int(rng.integers(1, 7))
    first, groups = (
        drawn_groups(rng, decisions) if rng.random() < 0.5 else (np.zeros(1, np.int64), np.zeros(0, int))
    )
    rows = agreeing(decisions, first, groups)
    sizes = rng.integers(1, 5, decisions)
    rows = rows[rows @ sizes <= rng.integers(1, 12)]
    own = draw(rng, len(rows))

    def maximiser() -> PythonMaximiser:
        return PythonMaximiser(Listed(rows, own), decisions, lambda state: state)

    return Case(maximiser, draw(rng, decisions), first, groups, rows, own)


CASES = {
    "projective trees": lambda rng: trees_case(rng, True, True),
    "projective trees of several roots": lambda rng: trees_case(rng, True, False),
    "crossing trees": lambda rng: trees_case(rng, False, True),
    "crossing trees of several roots": lambda rng: trees_case(rng, False, False),
    "choice groups": groups_case,
    "a knapsack in Python": listed_case,
}


def with_conjunctions(rng, case):
    decisions, blocks = len(case.base), []
    for width in (1, 2, 2, 3):
        if decisions >= width and rng.random() < 0.7:
            scopes = [rng.permutation(decisions)[:width] for _ in range(int(rng.integers(1, 12)))]
            blocks.append((np.array(scopes, np.int64), draw(rng, len(scopes))))
    return attrs.evolve(case, blocks=blocks)


class Table:
    """A factor in Python: a value for each configuration, -inf where it is forbidden."""

    def __init__(self, rows: np.ndarray, values: np.ndarray) -> None:
        self.rows, self.values = rows, values

    def value(self, on: np.ndarray) -> float:
        return float(self.values[int(np.flatnonzero((self.rows == on).all(axis=1))[0])])

    def best(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        worth = self.values + np.array([weights[row].sum() for row in self.rows])
        return float(worth.max()), self.rows[int(worth.argmax())]


def drawn_factor(rng, decisions, hard):
    count = int(rng.integers(0, min(decisions, 4) + 1))
    rows = np.array(list(itertools.product([False, True], repeat=count)), bool).reshape(2**count, count)
    values = draw(rng, len(rows))
    if rng.random() < 0.3:
        values = draw(rng, count + 1)[rows.sum(axis=1)]
    if hard:
        values[rng.random(len(rows)) < 0.4] = -INF
    return rng.permutation(decisions)[:count], Table(rows, values)


def with_factors(rng, case):
    count, hard = int(rng.integers(1, 4)), rng.random() < 0.6
    factors = [drawn_factor(rng, len(case.base), hard) for _ in range(count)]
    return attrs.evolve(case, factors=factors, marginals=rng.random() < 0.5)


DRAWN = {
    "nothing": lambda rng, case: case,
    "conjunctions": with_conjunctions,
    "factors": with_factors,
    "both": lambda rng, case: with_factors(rng, with_conjunctions(rng, case)),
}


def close(a, b, size=1.0):
    return a == b or abs(a - b) <= 1e-7 * max(1.0, abs(b), size)


def check_optimum(case, found):
    values = case.values()
    best = float(values.max(initial=-INF))
    size = 1e-3 * float(np.abs(case.base[np.isfinite(case.base)]).max(initial=0.0))
    assert close(found.value, best, size)
    assert close(found.bound, best, size)
    assert found.infeasible == (best == -INF)
    if best > -INF:
        assert close(case.value_of(found.on), best, size)
