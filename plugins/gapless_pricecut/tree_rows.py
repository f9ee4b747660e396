"""Rows that make arcs a tree: one head for each word, cut-sets found when they are violated, or a flow."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import INTEGRAL
from gapless.column_generation.master import LinearProgram
from gapless_dependency import Arcs, ParsingProblem

UNIT = 1e9
"""Denominator to which points are rounded before minimum cuts are computed."""


def violated_sets(arcs: Arcs, point: FloatArray) -> BoolArray:
    """Find sets of words that arcs enter less than once, bool (sets, n + 1); none for points in the polytope.

    Words that one arc enters with weight 1 are contracted into its head: a violated set that held the word but not
    the head would be entered once, and one that holds the head may as well hold the word. Words that the root does
    not reach at all are taken first; otherwise minimum cuts from the root to each remaining word (networkx).
    `point` (float64 (arcs,)): every word has one head.
    """
    size = arcs.length + 1
    support = np.flatnonzero(point > INTEGRAL)
    leader = _contracted(arcs, support[point[support] > 1.0 - INTEGRAL], size)
    heads, words = leader[arcs.heads[support]], leader[arcs.modifiers[support]]
    kept = heads != words
    heads, words, weights = heads[kept], words[kept], point[support][kept]
    nodes = np.unique(leader)
    if nodes.size == 1:
        return np.zeros((0, size), bool)
    import networkx as nx  # noqa: PLC0415  takes a tenth of a second, and few points need it

    unreached = _unreached(heads, words, nodes, size)
    if unreached:
        # Entered by weight 0: the most violated sets there are, and found without a minimum cut.
        return np.array([np.isin(leader, list(component)) for component in unreached])
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes.tolist())
    # Integer capacities: with floating ones networkx may return a cut whose value is not the reported minimum.
    capacities = np.rint(weights * UNIT).astype(np.int64).tolist()
    for head, word, capacity in zip(heads.tolist(), words.tolist(), capacities, strict=True):
        # Contraction makes parallel edges, which a DiGraph would overwrite.
        parallel = graph.get_edge_data(head, word, {"capacity": 0})["capacity"]
        graph.add_edge(head, word, capacity=parallel + capacity)
    sets: list[BoolArray] = []
    covered = np.zeros(size, bool)
    for node in nodes.tolist():
        if node == leader[0] or covered[node]:
            continue
        _, (_, beyond) = nx.minimum_cut(graph, int(leader[0]), node)
        inside: BoolArray = np.isin(leader, list(beyond))
        if point[inside[arcs.modifiers] & ~inside[arcs.heads]].sum() < 1.0 - INTEGRAL:
            # Its words need no cut of their own in this round: one violated set for each is enough to go on.
            sets.append(inside)
            covered |= inside
    return np.array(sets, bool).reshape(-1, size)


def _contracted(arcs: Arcs, certain: IntArray, size: int) -> IntArray:
    """Map each position to its representative: the topmost one above it by certain arcs, or one of a cycle."""
    above = np.arange(size)
    above[arcs.modifiers[certain]] = arcs.heads[certain]
    leader = above
    # Pointer doubling: after k rounds a position points 2^k arcs up.
    for _ in range(max(1, size.bit_length())):
        leader = leader[leader]
    # On a cycle of certain arcs the walk never ends: its smallest member represents it.
    on_cycle = np.flatnonzero(above[leader] != leader)
    for position in np.unique(leader[on_cycle]).tolist():
        loop, node = [position], int(above[position])
        while node != position:
            loop.append(node)
            node = int(above[node])
        leader[np.isin(leader, loop)] = min(loop)
    return leader


def _unreached(heads: IntArray, words: IntArray, nodes: IntArray, size: int) -> list[set[int]]:
    """Return the components that no path from the root reaches and no other such component enters."""
    import networkx as nx  # noqa: PLC0415  see `violated_sets`

    graph = nx.DiGraph()
    graph.add_nodes_from(nodes.tolist())
    graph.add_edges_from(zip(heads.tolist(), words.tolist(), strict=True))
    visited = {0} | nx.descendants(graph, 0)
    rest = graph.subgraph([node for node in nodes.tolist() if node not in visited])
    # No arc enters such a component, so its cut-set row is violated by 1.
    condensed = nx.condensation(rest)
    return [set(condensed.nodes[c]["members"]) for c in condensed if condensed.in_degree(c) == 0]


def crossed_rows(arcs: Arcs, point: FloatArray) -> IntArray:
    """Find violated rows of projective trees, int64 (rows, 4): start, stop, word between, and the arc above it."""
    rows = []
    support = np.flatnonzero(point > INTEGRAL)
    heads, words = arcs.heads[support], arcs.modifiers[support]
    for arc in support.tolist():
        start, stop = sorted((int(arcs.heads[arc]), int(arcs.modifiers[arc])))
        # Arcs into a word strictly below the arc from outside of it: one of them and the arc would cross.
        outside = (words > start) & (words < stop) & ((heads < start) | (heads > stop))
        weight = np.bincount(words[outside], point[support][outside], arcs.length + 1)
        for word in np.flatnonzero(weight + point[arc] > 1.0 + INTEGRAL).tolist():
            rows.append((start, stop, word, arc))
    return np.array(rows, np.int64).reshape(-1, 4)


Entries = tuple[IntArray, IntArray, FloatArray]
"""Column, row and value of each."""


class TreeRows:
    """The rows of a linear program that make its arcs a tree; arcs may enter late.

    - Every word has one head (OneHead); the root has one modifier, or one or more.
    - Cut-sets: at least one arc enters any set of words without the root. With OneHead these describe the
      arborescence polytope (Martins et al. 2009).
    - Or, in their place, a flow: the root sends a unit to every word along arcs that are on (Source, Consume and
      NoFlow of section 3.1). This takes all arcs at once, and is looser.
    - Projective: a word strictly between the ends of an arc that is on has its head between them, see
      `gapless_dependency.integer_program`; found when violated.

    `program`: empty at first.
    """

    def __init__(self, program: LinearProgram, problem: ParsingProblem) -> None:
        self.program, self.arcs = program, problem.decisions
        self.projective = problem.projective
        n = self.arcs.length
        none = np.zeros(0, np.int64)
        sides = np.ones(n + 1)
        # The last row counts the modifiers of the root: one, or up to n.
        upper = np.append(np.ones(n), 1.0 if problem.single_root else float(n))
        program.add_rows(none, none, np.zeros(0), sides, upper)
        self.sets: BoolArray = np.zeros((0, n + 1), bool)
        self.set_rows = none
        self.spans: IntArray = np.zeros((0, 4), np.int64)
        self.span_rows = none
        self.flow_rows = none
        self.column: IntArray = np.full(self.arcs.count, -1)

    def add(self, arcs: IntArray, others: Entries, objective: FloatArray) -> None:
        """Add columns for arcs, with their entries here and `others` (columns counted from the first)."""
        own = self._entries(arcs)
        number = np.full(self.arcs.count, -1)
        number[arcs] = np.arange(arcs.size)
        first = self.program.add_columns(
            np.concatenate([number[own[0]], others[0]]),
            np.concatenate([own[1], others[1]]),
            np.concatenate([own[2], others[2]]),
            objective,
            np.full(arcs.size, np.inf),
        )
        self.column[arcs] = first + np.arange(arcs.size)

    def _entries(self, arcs: IntArray) -> Entries:
        """Return the entries of arcs in the existing rows: arc, row, value."""
        heads, words = self.arcs.heads[arcs], self.arcs.modifiers[arcs]
        root = arcs[heads == 0]
        in_set, entering = self._entering(self.sets, arcs)
        in_span, outside = _outside(self.spans, heads, words)
        arc = np.concatenate([arcs, root, arcs[entering], arcs[outside]])
        row = np.concatenate(
            [words - 1, np.full(root.size, self.arcs.length), self.set_rows[in_set], self.span_rows[in_span]]
        )
        return arc, row, np.ones(arc.size)

    def _entering(self, sets: BoolArray, arcs: IntArray) -> tuple[IntArray, IntArray]:
        """Return the arcs, by index in `arcs`, that enter each set, and the number of the set first."""
        enters = sets[:, self.arcs.modifiers[arcs]] & ~sets[:, self.arcs.heads[arcs]]
        which, index = np.nonzero(enters)
        return which, index

    def add_flow(self) -> None:
        """Add flow columns and rows for all arcs, which must be present."""
        arcs, n, program = self.arcs, self.arcs.length, self.program
        none, every = np.zeros(0, np.int64), np.arange(arcs.count)
        sides = np.append(np.ones(n), float(n))
        consume = program.add_rows(none, none, np.zeros(0), sides, sides)
        disabled = program.add_rows(
            every,
            self.column,
            np.full(arcs.count, -float(n)),
            np.full(arcs.count, -np.inf),
            np.zeros(arcs.count),
        )
        self.flow_rows = disabled + every
        inner = every[arcs.heads > 0]
        source = every[arcs.heads == 0]
        program.add_columns(
            np.concatenate([every, inner, source, every]),
            np.concatenate(
                [
                    consume + arcs.modifiers - 1,
                    consume + arcs.heads[inner] - 1,
                    np.full(source.size, consume + n),
                    self.flow_rows,
                ]
            ),
            np.concatenate([np.ones(arcs.count), -np.ones(inner.size), np.ones(source.size + arcs.count)]),
            np.zeros(arcs.count),
            np.full(arcs.count, np.inf),
        )

    def separate(self, point: FloatArray) -> int:
        """Add rows that a point violates; return their number."""
        count = 0
        if not self.flow_rows.size:
            count += self._add_sets(violated_sets(self.arcs, point))
        if self.projective and not count:
            count += self._add_spans(crossed_rows(self.arcs, point))
        return count

    def _add_sets(self, sets: BoolArray) -> int:
        count = len(sets)
        if not count:
            return 0
        present = np.flatnonzero(self.column >= 0)
        which, index = self._entering(sets, present)
        first = self.program.add_rows(
            which, self.column[present[index]], np.ones(which.size), np.ones(count), np.full(count, np.inf)
        )
        self.sets = np.concatenate([self.sets, sets])
        self.set_rows = np.append(self.set_rows, first + np.arange(count))
        return count

    def _add_spans(self, spans: IntArray) -> int:
        """Add rows for (start, stop, word, arc), where the arc's column is present."""
        count = len(spans)
        if not count:
            return 0
        present = np.flatnonzero(self.column >= 0)
        which, index = _outside(spans, self.arcs.heads[present], self.arcs.modifiers[present])
        first = self.program.add_rows(
            np.concatenate([which, np.arange(count)]),
            self.column[np.concatenate([present[index], spans[:, 3]])],
            np.ones(which.size + count),
            np.full(count, -np.inf),
            np.ones(count),
        )
        self.spans = np.concatenate([self.spans, spans])
        self.span_rows = np.append(self.span_rows, first + np.arange(count))
        return count

    def prices(self, price: FloatArray) -> FloatArray:
        """Return the sum of the prices of the rows of each arc, absent arcs included, float64 (arcs,)."""
        arcs, n = self.arcs, self.arcs.length
        price_sum: FloatArray = price[arcs.modifiers - 1] + np.where(arcs.heads == 0, price[n], 0.0)
        every = np.arange(arcs.count)
        priced = np.flatnonzero(price[self.set_rows])
        which, index = self._entering(self.sets[priced], every)
        price_sum += np.bincount(index, price[self.set_rows[priced]][which], arcs.count)
        priced = np.flatnonzero(price[self.span_rows])
        which, index = _outside(self.spans[priced], arcs.heads, arcs.modifiers)
        price_sum += np.bincount(index, price[self.span_rows[priced]][which], arcs.count)
        np.add.at(price_sum, self.spans[priced, 3], price[self.span_rows[priced]])
        if self.flow_rows.size:
            # NoFlow: the flow of an arc is at most n times the arc.
            price_sum -= n * price[self.flow_rows]
        return price_sum


def _outside(spans: IntArray, heads: IntArray, words: IntArray) -> tuple[IntArray, IntArray]:
    """Return the arcs, by index, that lead into the word of a span from outside of it, after the span's number."""
    start, stop, word = spans[:, 0, None], spans[:, 1, None], spans[:, 2, None]
    which, index = np.nonzero((words == word) & ((heads < start) | (heads > stop)))
    return which, index
