"""Random short sentences with conjunctive factors only, and an independent linear relaxation of each."""

from typing import Any

import numpy as np
import pytest
from neighbours import Neighbours
from parsing_cases import BoundedScorer, bounds_alone, random_case
from scipy import sparse
from scipy.optimize import linprog

from gapless_dependency import ParsingProblem
from gapless_dependency.random_problems import CONJUNCTIVE

__all__ = ["bounds_alone"]

LENGTHS = ([1, 2, 3, 4, 5, 6], [0.04, 0.1, 0.2, 0.3, 0.26, 0.1])


def one_sentence(rng):
    """Ties or floats, projective or not, one root or several, forbidden arcs and parts, masks, lazy scorers."""
    n = int(rng.choice(LENGTHS[0], p=LENGTHS[1]))
    families = [*CONJUNCTIVE, "neighbours"]
    chosen = [families[f] for f in rng.choice(len(families), size=int(rng.integers(0, 4)), replace=False)]
    if rng.random() < 0.5 and "grandchild" not in chosen:
        chosen.append("grandchild")
    ties, parts = bool(rng.integers(2)), float(rng.choice([0.0, 0.0, 0.2]))
    strength = float(rng.choice([0.5, 1.0, 2.0]))
    families = [name for name in chosen if name in CONJUNCTIVE]
    shares = {"forbidden": [0.0, 0.0, 0.0, 0.2, 0.5], "forbidden_parts": [parts]}
    problem = random_case(rng, n, families, ties=ties, strength=strength, **shares)
    factors = [_lazily(factor, rng) for factor in problem.factors]
    if "neighbours" in chosen:
        table = rng.integers(-2, 3, (5, 5)).astype(float) if ties else rng.normal(0, strength, (5, 5))
        factors.append(Neighbours(np.where(rng.random((5, 5)) < parts, -np.inf, table)))
    heads = np.ones((n + 1, n + 1), bool)
    if rng.random() < 0.2:
        # A word is forced to one of its heads.
        word, head = int(rng.integers(1, n + 1)), int(rng.integers(n + 1))
        heads[:, word] = np.arange(n + 1) == head
    return ParsingProblem(
        problem.scores,
        factors=factors,
        projective=problem.projective,
        single_root=problem.single_root,
        heads=heads,
        granularity=problem.granularity if rng.integers(2) else None,
    )


def _lazily(factor, rng):
    """Sometimes the same factor with a scorer that brings bounds."""
    table = getattr(getattr(factor, "scores", None), "given", None)
    if not isinstance(table, np.ndarray) or rng.random() < 0.5:
        return factor
    return type(factor)(BoundedScorer(table, np.abs(rng.normal(0, 0.5, table.shape)) * rng.integers(2)))


@pytest.fixture(scope="session")
def random_sentence():
    """From a generator to a problem."""
    return one_sentence


class WholeProgram:
    """The relaxation written plainly, all at once, and solved by HiGHS.

    Parameters
    ----------
    problem : ParsingProblem
    rows : {"lean", "all", "arcgp-gparc", "onegp-nogp"}
    tree : {"cut-sets", "flow"}
        Cut-sets of all sets of words.
    """

    def __init__(self, problem: Any, rows: str, tree: str) -> None:
        self.problem, self.arcs = problem, problem.decisions
        self.objective: list[float] = list(problem.arc_weights)
        self.rows: list[dict[int, float]] = []
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.groups: dict[tuple[int, int], dict[int, float]] = {}
        self._tree(tree)
        for scored in problem.conjunctions:
            self._conjunctions(scored)
        self._groups(rows)

    def row(self, entries: dict[int, float], lower: float, upper: float) -> None:
        self.rows.append(entries)
        self.lower.append(lower)
        self.upper.append(upper)

    def column(self, score: float) -> int:
        self.objective.append(score)
        return len(self.objective) - 1

    def _tree(self, tree: str) -> None:
        arcs, n = self.arcs, self.arcs.length
        pairs = list(zip(arcs.heads.tolist(), arcs.modifiers.tolist(), strict=True))
        for word in range(1, n + 1):
            self.row({a: 1.0 for a, (_, m) in enumerate(pairs) if m == word}, 1.0, 1.0)
        most = 1.0 if self.problem.single_root else np.inf
        self.row({a: 1.0 for a, (h, _) in enumerate(pairs) if h == 0}, 1.0, most)
        if tree == "cut-sets":
            for mask in range(1, 2**n):
                inside = {w for w in range(1, n + 1) if mask >> (w - 1) & 1}
                self.row({a: 1.0 for a, (h, m) in enumerate(pairs) if m in inside and h not in inside}, 1.0, np.inf)
        else:
            flow = [self.column(0.0) for _ in pairs]
            for word in range(1, n + 1):
                net = {flow[a]: 1.0 for a, (_, m) in enumerate(pairs) if m == word}
                net |= {flow[a]: -1.0 for a, (h, _) in enumerate(pairs) if h == word}
                self.row(net, 1.0, 1.0)
            for a in range(arcs.count):
                self.row({flow[a]: 1.0, a: -float(n)}, -np.inf, 0.0)
        if self.problem.projective:
            for a, (h, m) in enumerate(pairs):
                start, stop = min(h, m), max(h, m)
                for word in range(start + 1, stop):
                    over = {b: 1.0 for b, (g, w) in enumerate(pairs) if w == word and not start <= g <= stop}
                    self.row({**over, a: 1.0}, -np.inf, 1.0)

    def _conjunctions(self, scored: Any) -> None:
        """Scopes outside of groups; pairs in groups are collected."""
        arcs = self.arcs
        scopes, scores = scored.scopes.tolist(), scored.all_scores().tolist()
        fine = [self._possible(scope) for scope in scopes]
        best: dict[int, Any] = {}
        for lower in (1, 0):
            sizes: dict[tuple[int, int], int] = {}
            for scope, ok in zip(scopes, fine, strict=True):
                if ok and len(scope) == 2:
                    key = scope[lower], int(arcs.modifiers[scope[1 - lower]])
                    sizes[key] = sizes.get(key, 0) + 1
            best[lower] = sizes
        lower = 1 if len(best[1]) <= len(best[0]) else 0
        for scope, score, ok in zip(scopes, scores, fine, strict=True):
            if not ok:
                continue
            if len(scope) == 2:
                key = scope[lower], int(arcs.modifiers[scope[1 - lower]])
                if best[lower][key] > 1:
                    group = self.groups.setdefault(key, {})
                    group[scope[1 - lower]] = group.get(scope[1 - lower], 0.0) + score
                    continue
            if score == -np.inf:
                self.row(dict.fromkeys(scope, 1.0), -np.inf, len(scope) - 1.0)
            elif score > 0:
                column = self.column(score)
                for arc in scope:
                    self.row({column: 1.0, arc: -1.0}, -np.inf, 0.0)
            elif score < 0:
                self.row({**dict.fromkeys(scope, 1.0), self.column(score): -1.0}, -np.inf, len(scope) - 1.0)

    def _possible(self, scope: list[int]) -> bool:
        heads, words = self.arcs.heads[scope].tolist(), self.arcs.modifiers[scope].tolist()
        ends = list(zip(heads, words, strict=True))
        return len(set(words)) == len(words) and not any((m, h) in ends for h, m in ends)

    @property
    def complete(self) -> bool:
        """Whether in all groups every arc into the word is in a pair."""
        return all(self._covered(*key) for key in self.groups)

    def _covered(self, lower: int, word: int) -> bool:
        arcs = self.arcs
        into = set(range(arcs.first[word], arcs.first[word + 1]))
        into.discard(int(arcs.index[arcs.modifiers[lower], arcs.heads[lower]]))
        return into <= set(self.groups[lower, word])

    def _groups(self, rows: str) -> None:
        n = self.arcs.length
        through: dict[int, list[int]] = {}
        for (lower, word), group in self.groups.items():
            columns = {u: self.column(score) for u, score in group.items() if score > -np.inf}
            if rows != "arcgp-gparc":
                one = dict.fromkeys(columns.values(), 1.0)
                self.row({**one, lower: -1.0}, 0.0 if self._covered(lower, word) else -np.inf, 0.0)
            for upper, score in group.items():
                if score == -np.inf:
                    if rows in ("all", "arcgp-gparc"):
                        self.row({upper: 1.0, lower: 1.0}, -np.inf, 1.0)
                    continue
                column = columns[upper]
                through.setdefault(upper, []).append(column)
                if rows != "onegp-nogp":
                    self.row({column: 1.0, upper: -1.0}, -np.inf, 0.0)
                if rows in ("all", "arcgp-gparc"):
                    self.row({column: 1.0, lower: -1.0}, -np.inf, 0.0)
                    self.row({upper: 1.0, lower: 1.0, column: -1.0}, -np.inf, 1.0)
        if rows == "onegp-nogp":
            for upper, columns in through.items():
                self.row({**dict.fromkeys(columns, 1.0), upper: -float(n)}, -np.inf, 0.0)

    def optimum(self) -> float:
        """The value; -inf when nothing is feasible."""
        if not self.objective:
            return -np.inf
        entries = [(r, c, v) for r, row in enumerate(self.rows) for c, v in row.items()]
        r, c, v = zip(*entries, strict=True)
        matrix = sparse.csr_matrix((v, (r, c)), (len(self.rows), len(self.objective)))
        lower, upper = np.array(self.lower), np.array(self.upper)
        above, below = np.isfinite(upper), np.isfinite(lower)
        answer = linprog(
            -np.array(self.objective),
            A_ub=sparse.vstack([matrix[above], -matrix[below]]),
            b_ub=np.concatenate([upper[above], -lower[below]]),
            method="highs",
        )
        if answer.status == 2:
            return -np.inf
        assert answer.status == 0, answer.message
        return -float(answer.fun)


@pytest.fixture(scope="session")
def whole_program():
    return WholeProgram
