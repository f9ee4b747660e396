# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Branch and bound with split scores in compiled code; the headers ``_split_bound_*.h`` say what they do."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

import numpy as np
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "search/tree.h" nogil:
    int SB_IN_STAR, SB_REPEATED
    int SB_CHOICES, SB_PROVED, SB_TIME, SB_NODES, SB_NO_MEMORY, SB_FAILED, SB_STEPS

    ctypedef int (*sb_asks)(void *, const int32_t *, Py_ssize_t, double *) noexcept nogil

    ctypedef struct sb_snapshot:
        double *split
        int32_t *place
        Py_ssize_t count

    ctypedef struct sb_record:
        int64_t parent
        int32_t arc, on, leaf_snapshot

    ctypedef struct sb_fixing:
        int64_t record
        int32_t snapshot
        int64_t first_off

    ctypedef struct sb_block:
        Py_ssize_t count, width, first
        const int64_t *arcs
        const double *scores

    ctypedef struct sb_node:
        double bound
        int64_t record
        int32_t snapshot

    ctypedef struct sb_search:
        Py_ssize_t n, N, arcs, scopes, slots, star_cells, shared
        int projective, single_root, paper, order, keep_proof, compact, choices, root_steps, root_trend, root_closed, proof_dropped, working
        double granularity, proof_limit, memory_limit, snapshot_bytes, value, excluded, saved_psi
        int32_t *head
        int32_t *modifier
        int32_t *index
        int32_t *best_heads
        int32_t *star_scope
        int32_t *shared_scope
        Py_ssize_t *shared_first
        double *shared_score
        double *base
        unsigned char *unknown
        unsigned char *form
        int32_t *side
        unsigned char *root_alive
        sb_asks ask
        void *asker
        int64_t dp_calls, nodes, steps, fixed, enumerated, scored
        int failed
        sb_snapshot *snapshots
        Py_ssize_t snapshot_count
        sb_record *records
        Py_ssize_t record_count
        sb_fixing *fixings
        Py_ssize_t fixing_count
        int32_t *offs
        Py_ssize_t off_count
        sb_node *open
        Py_ssize_t open_count
        sb_node *survivors
        Py_ssize_t survivor_count
        sb_node node
        int32_t saved, root_snapshot

    int sb_reserve(sb_search *, Py_ssize_t, Py_ssize_t, Py_ssize_t)
    void sb_number_arcs(sb_search *)
    int sb_take_blocks(sb_search *, const sb_block *, Py_ssize_t)
    int sb_start(sb_search *, const int32_t *)
    int sb_advance(sb_search *, double, int64_t, int64_t)
    double sb_bound(const sb_search *)
    double sb_step_bound(const sb_search *)
    Py_ssize_t sb_free_arcs(const sb_search *)
    double sb_open_bytes(const sb_search *)
    double sb_proof_bytes(const sb_search *)
    int sb_rough(const sb_search *)
    void sb_settle(sb_search *)
    void sb_hold(sb_search *, const int32_t *)
    int sb_restart(sb_search *, const double *, const int32_t *)
    void sb_free(sb_search *)

ORDERS = ("best-first", "depth-first", "breadth-first")
VARIANTS = ("default", "paper")
PROVED, TIME, NODES, STEPS = SB_PROVED, SB_TIME, SB_NODES, SB_STEPS


cdef int ask_scores(void *asker, const int32_t *scopes, Py_ssize_t count, double *scores) noexcept with gil:
    """Ask the search's callable; what it raises is kept for `advance` to raise."""
    cdef SplitBoundSearch search = <SplitBoundSearch>asker
    cdef const double[::1] given
    try:
        answers = search.asks(np.array(<const int32_t[:count]>scopes, np.int64))
        given = np.ascontiguousarray(answers, np.float64)
        if given.shape[0] != count or not np.isfinite(answers).all():
            raise ValueError(f"ask gave {np.shape(answers)} for {count} scopes, expected as many finite scores")
    except BaseException as error:
        search.error = error
        return 1
    memcpy(scores, &given[0], count * sizeof(double))
    return 0


cdef class SplitBoundSearch:
    """The best tree under arc scores and scores of sets of arcs; see the stub for parameters and attributes."""

    cdef sb_search s
    cdef int status
    cdef list blocks
    cdef object asks, error

    def __cinit__(self):
        self.status = -1

    def __init__(
        self,
        weights,
        blocks,
        heads,
        modifiers,
        *,
        projective,
        single_root,
        variant="default",
        order="best-first",
        incumbent_heads=None,
        keep_proof=True,
        granularity=0.0,
        proof_limit=2.0**28,
        memory_limit=2.0**30,
        choices=SB_CHOICES,
        root_steps=120,
        root_trend=7,
        compact=False,
        checked=False,
        ask=None,
        unknown=None,
    ):
        if self.s.head != NULL:
            raise RuntimeError("this search was set up before; make another")
        if variant not in VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}")
        if order not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(ORDERS)}, got {order!r}")
        if not (0.0 <= granularity < float("inf")):
            raise ValueError(f"granularity must be a number >= 0, got {granularity}")
        if not (0 <= choices <= SB_CHOICES):
            raise ValueError(f"choices must be in 0..{SB_CHOICES}, got {choices}")
        if root_steps < 1 or root_trend < 1:
            raise ValueError(f"root_steps and root_trend must be at least 1, got {root_steps} and {root_trend}")
        if not memory_limit >= 0:
            raise ValueError(f"memory_limit must be a number of bytes >= 0, got {memory_limit}")
        cdef const double[:, ::1] w = np.ascontiguousarray(weights, np.float64)
        cdef const int64_t[::1] h = np.ascontiguousarray(heads, np.int64)
        cdef const int64_t[::1] m = np.ascontiguousarray(modifiers, np.int64)
        cdef Py_ssize_t size = w.shape[0], arcs = h.shape[0], e, b, total = 0, count = len(blocks)
        if size < 2 or w.shape[1] != size or size > 30000:
            raise ValueError(f"weights must have shape (n + 1, n + 1) with 1 <= n < 30000, got {np.shape(weights)}")
        if m.shape[0] != arcs:
            raise ValueError(f"heads holds {arcs} arcs, modifiers {m.shape[0]}")
        for e in range(arcs):
            if not (0 <= h[e] < size and 1 <= m[e] < size and h[e] != m[e]):
                raise ValueError(f"arc {e} is {h[e]} -> {m[e]}, expected a head in 0..{size - 1} and another word")
            if not (-1e300 < w[h[e], m[e]] < 1e300):
                raise ValueError(f"weights[{h[e]}, {m[e]}] is {w[h[e], m[e]]}, but arc {e} needs a finite score")
        seen = np.zeros((size, size), bool)
        seen[np.asarray(h), np.asarray(m)] = True
        if np.count_nonzero(seen) != arcs:
            raise ValueError("an arc is listed twice")
        self.blocks = list(blocks) if checked else [checked_block(k, *block, arcs) for k, block in enumerate(blocks)]
        total = sum(len(scores) for _, scores in self.blocks)
        if max(arcs * size, sum(scopes.size for scopes, _ in self.blocks)) >= 2**31:
            raise ValueError(f"{total} scopes over {arcs} arcs are more than 32-bit numbers can count")
        self.s.projective, self.s.single_root = bool(projective), bool(single_root)
        self.s.paper, self.s.order = variant == "paper", ORDERS.index(order)
        if self.s.paper:
            self.s.order = ORDERS.index("breadth-first")
        self.s.choices = 0 if self.s.paper else choices
        self.s.compact = bool(compact)
        self.s.root_steps, self.s.root_trend = root_steps, root_trend
        self.s.keep_proof, self.s.granularity = bool(keep_proof), granularity
        # Half is for multipliers, the proof's among them, half for open nodes.
        self.s.memory_limit, self.s.proof_limit = memory_limit, min(proof_limit, 0.5 * memory_limit)
        if not sb_reserve(&self.s, size - 1, arcs, total):
            raise MemoryError("no memory for the charts of this sentence")
        for e in range(arcs):
            self.s.head[e], self.s.modifier[e], self.s.base[e] = <int32_t>h[e], <int32_t>m[e], w[h[e], m[e]]
        sb_number_arcs(&self.s)
        cdef const unsigned char[::1] unasked
        if unknown is not None:
            unasked = np.ascontiguousarray(unknown, np.bool_).view(np.uint8)
            if unasked.shape[0] != total or self.s.paper or ask is None:
                raise ValueError(f"unknown must hold {total} booleans, beside ask, for the default variant")
            if not self.mark_unknown(unasked):
                raise MemoryError("no memory for the scopes")
        self.asks = ask
        self.s.ask, self.s.asker = ask_scores, <void *>self
        self.take_blocks()
        cdef const int32_t[::1] known = self.checked_heads(incumbent_heads)
        if not sb_start(&self.s, NULL if known is None else &known[0]):
            raise MemoryError("no memory for the root")
        if self.s.failed:
            raise self.error

    cdef const int32_t[::1] checked_heads(self, heads):
        """Heads of a tree as an array of candidate arcs; None for None."""
        if heads is None:
            return None
        cdef const int32_t[::1] known = np.ascontiguousarray(heads, np.int32)
        cdef Py_ssize_t m
        if known.shape[0] != self.s.N:
            raise ValueError(f"incumbent_heads must have shape ({self.s.N},), got ({known.shape[0]},)")
        for m in range(1, self.s.N):
            if not (0 <= known[m] < self.s.N) or self.s.index[known[m] * self.s.N + m] < 0:
                raise ValueError(f"incumbent_heads[{m}] is {known[m]}, which is no candidate arc")
        return known

    cdef bint mark_unknown(self, const unsigned char[::1] unasked):
        """Single arcs are weights from the start, so that they must be known."""
        cdef Py_ssize_t c, first = 0
        self.s.unknown = <unsigned char *>calloc(unasked.shape[0] + 1, 1)
        if self.s.unknown == NULL:
            return False
        for scopes, scores in self.blocks:
            if len(scores) and scopes.shape[1] == 1 and np.asarray(unasked[first : first + len(scores)]).any():
                raise ValueError("a scope of one arc must be known")
            first += len(scores)
        for c in range(unasked.shape[0]):
            self.s.unknown[c] = unasked[c] != 0
        return True

    cdef take_blocks(self):
        cdef Py_ssize_t b, count = len(self.blocks), first = 0
        cdef const int64_t[:, ::1] scopes
        cdef const double[::1] scores
        cdef int done
        cdef sb_block *list_ = <sb_block *>malloc((count + 1) * sizeof(sb_block))
        if list_ == NULL:
            raise MemoryError("no memory for the scopes")
        for b in range(count):
            scopes, scores = self.blocks[b]
            list_[b].count, list_[b].width, list_[b].first = scopes.shape[0], scopes.shape[1], first
            list_[b].arcs = &scopes[0, 0] if scopes.shape[0] else NULL
            list_[b].scores = &scores[0] if scopes.shape[0] else NULL
            first += scopes.shape[0]
        with nogil:
            done = sb_take_blocks(&self.s, list_, count)
        free(list_)
        if not done:
            raise MemoryError("no memory for the scopes")

    def __dealloc__(self):
        sb_free(&self.s)

    def advance(self, double seconds=1e9, int64_t nodes=2**62, int64_t steps=2**62):
        """Work on for `seconds` or `steps`, or until `nodes` nodes were worked on in all; the status."""
        if self.s.head == NULL:
            raise RuntimeError("this search was not set up")
        with nogil:
            self.status = sb_advance(&self.s, seconds, nodes, steps)
        if self.status == SB_NO_MEMORY:
            raise MemoryError("no memory for the search tree")
        if self.status == SB_FAILED:
            raise self.error
        return self.status

    def slots(self):
        """Scope of each multiplier of the search; see the stub."""
        cdef Py_ssize_t k, c
        scopes, places = np.full(self.s.slots, -1, np.int64), np.zeros(self.s.slots, np.int64)
        cdef int64_t[::1] scope = scopes, place = places
        for k in range(self.s.star_cells):
            scope[k] = max(self.s.star_scope[k], -1)
        for c in range(self.s.shared):
            for k in range(self.s.shared_first[c], self.s.shared_first[c + 1]):
                scope[self.s.star_cells + k] = self.s.shared_scope[c]
                place[self.s.star_cells + k] = k - self.s.shared_first[c]
        return scopes, places

    def hold(self, incumbent_heads):
        """Keep a tree from outside if it is the best so far; see the stub."""
        cdef const int32_t[::1] known = self.checked_heads(incumbent_heads)
        if known is None:
            return
        with nogil:
            sb_hold(&self.s, &known[0])
        if self.s.failed:
            raise self.error

    def restart(self, multipliers, incumbent_heads=None):
        """Begin again at the root with other multipliers; see the stub."""
        cdef const double[::1] split = np.ascontiguousarray(multipliers, np.float64)
        cdef const int32_t[::1] known = self.checked_heads(incumbent_heads)
        cdef const int32_t *begin = NULL if known is None else &known[0]
        cdef int done
        if split.shape[0] != self.s.slots or not np.isfinite(multipliers).all():
            raise ValueError(f"multipliers must be {self.s.slots} finite numbers, got shape {np.shape(multipliers)}")
        if not self.s.slots:
            return
        with nogil:
            done = sb_restart(&self.s, &split[0], begin)
        if not done:
            raise MemoryError("no memory for the root")
        if self.s.failed:
            raise self.error

    @property
    def root_arcs(self):
        cdef Py_ssize_t e
        return np.array([self.s.root_alive[e >> 3] >> (e & 7) & 1 for e in range(self.s.arcs)], bool)

    @property
    def scored(self):
        return self.s.scored

    def settle(self):
        """Bound the node in work by its latest multipliers, where a proof is kept."""
        if self.s.head == NULL:
            raise RuntimeError("this search was not set up")
        with nogil:
            sb_settle(&self.s)

    @property
    def value(self):
        return self.s.value

    @property
    def bound(self):
        return sb_bound(&self.s)

    @property
    def working(self):
        return bool(self.s.working)

    @property
    def step_bound(self):
        return sb_step_bound(&self.s)

    @property
    def free(self):
        return sb_free_arcs(&self.s)

    @property
    def heads(self):
        return np.array([self.s.best_heads[i] for i in range(self.s.N)], np.int64)

    @property
    def dp_calls(self):
        return self.s.dp_calls

    @property
    def nodes(self):
        return self.s.nodes

    @property
    def steps(self):
        return self.s.steps

    @property
    def fixed(self):
        return self.s.fixed

    @property
    def enumerated(self):
        return self.s.enumerated

    @property
    def root_closed(self):
        return bool(self.s.root_closed)

    @property
    def infeasible(self):
        return self.status == SB_PROVED and self.s.value == -float("inf")

    @property
    def proof_dropped(self):
        return bool(self.s.proof_dropped)

    @property
    def memory(self):
        return sb_open_bytes(&self.s) + sb_proof_bytes(&self.s)

    @property
    def order(self):
        return ORDERS[self.s.order]

    @property
    def rough(self):
        return bool(sb_rough(&self.s))

    def record(self, bint shares=True):
        """Nodes, fixing steps and multipliers as flat arrays; see the stub."""
        if not (self.s.keep_proof or self.s.proof_dropped):
            raise ValueError("no proof was kept: it was not asked for")
        if self.s.compact and shares:
            raise ValueError("this search counted on multipliers in units of scores")
        cdef Py_ssize_t k, count = self.s.snapshot_count
        rows = np.empty(count + 2, np.int64)
        cdef int64_t[::1] row = rows
        cdef int64_t held = 0
        row[count], row[count + 1] = -2, -1  # which stand for themselves at the places -2 and -1
        for k in range(count):
            row[k] = held
            held += self.s.snapshots[k].split != NULL
        return {**self.nodes_and_steps(row), **self.forms(shares), **self.multipliers(held, shares)}

    cdef forms(self, bint shares):
        """What became of the scopes."""
        cdef Py_ssize_t b, c, first = 0, at
        cdef const double[::1] scores
        cdef const unsigned char[::1] forms = np.empty(0, np.uint8)
        orientation, alone = np.zeros(len(self.blocks), np.int64), []
        flags = np.zeros(self.s.scopes if shares else 0, np.uint8)
        cdef unsigned char[::1] flag = flags
        for b in range(len(self.blocks)):
            scores = self.blocks[b][1]
            if scores.shape[0]:
                forms = <unsigned char[:scores.shape[0]]>(self.s.form + first)
            for c in range(scores.shape[0]):
                at = first + c
                if forms[c] == SB_IN_STAR:
                    orientation[b] = 2 - self.s.side[b]
                    break
            for c in range(scores.shape[0]):
                if forms[c] == SB_REPEATED:
                    alone.append(first + c)
                if shares:
                    flag[first + c] = 1 if forms[c] == SB_IN_STAR else 3 if scores[c] < 0.0 else 0
            first += scores.shape[0]
        if shares:
            for c in range(self.s.shared):
                if not flag[self.s.shared_scope[c]]:
                    flag[self.s.shared_scope[c]] = 2
        return {"orientation": orientation, "alone": np.array(alone, np.int64), "forms": flags}

    cdef multipliers(self, Py_ssize_t held, bint shares):
        """The sets of multipliers that are remembered, without those that are 0."""
        cdef Py_ssize_t k, i, n, slot, total = 0, at = 0, r = 0, c
        for k in range(self.s.snapshot_count):
            total += self.s.snapshots[k].count if self.s.snapshots[k].split != NULL else 0
        first, scopes, places = np.zeros(held + 1, np.int64), np.empty(total, np.int32), np.zeros(total, np.int32)
        values = np.empty(total)
        cdef int64_t[::1] begin = first
        cdef int32_t[::1] scope = scopes, place = places
        cdef double[::1] value = values
        cdef double held_value
        owners = np.zeros(self.s.slots - self.s.star_cells if self.s.slots else 0, np.int32)
        cdef int32_t[::1] owner = owners
        for c in range(self.s.shared):
            for i in range(self.s.shared_first[c], self.s.shared_first[c + 1]):
                owner[i] = <int32_t>c
        for k in range(self.s.snapshot_count):
            if self.s.snapshots[k].split == NULL:
                continue
            for i in range(self.s.snapshots[k].count):
                held_value = self.s.snapshots[k].split[i]
                slot = i if self.s.snapshots[k].place == NULL else self.s.snapshots[k].place[i]
                if held_value == 0.0:
                    continue
                if slot < self.s.star_cells:
                    if self.s.star_scope[slot] < 0:
                        continue
                    scope[at], value[at] = self.s.star_scope[slot], held_value
                    at += 1
                    continue
                c = owner[slot - self.s.star_cells]
                n = slot - self.s.star_cells - self.s.shared_first[c]
                if self.s.shared_score[c] < 0.0:
                    if n:
                        continue
                    held_value = -held_value
                scope[at], place[at] = self.s.shared_scope[c], <int32_t>n
                value[at] = held_value / self.s.shared_score[c] if shares else held_value
                at += 1
            r += 1
            begin[r] = at
        return {"row_first": first, "scopes": scopes[:at].copy(), "places": places[:at].copy(), "values": values[:at].copy()}

    cdef nodes_and_steps(self, const int64_t[::1] row):
        """The nodes, and what was fixed in them."""
        cdef Py_ssize_t k, total = self.s.record_count, steps = self.s.fixing_count, missing = row.shape[0]
        parents, arcs, on, leaves = np.empty((4, total), np.int64)
        cdef int64_t[::1] parent = parents, arc = arcs, is_on = on, leaf = leaves
        for k in range(total):
            parent[k], arc[k] = self.s.records[k].parent, self.s.records[k].arc
            is_on[k], leaf[k] = self.s.records[k].on, self.s.records[k].leaf_snapshot
        for k in range(self.s.open_count if self.s.keep_proof else 0):
            leaf[self.s.open[k].record] = self.s.open[k].snapshot
        for k in range(self.s.survivor_count if self.s.keep_proof else 0):
            leaf[self.s.survivors[k].record] = self.s.survivors[k].snapshot
        if self.s.proof_dropped and self.s.root_snapshot >= 0:
            leaf[0] = self.s.root_snapshot
        elif self.s.working and (self.s.keep_proof or self.s.node.snapshot < 0):
            # Of its own and the inherited multipliers, those that prove more.
            own = self.s.saved >= 0 and (self.s.node.snapshot < 0 or self.s.saved_psi <= self.s.node.bound)
            leaf[self.s.node.record] = self.s.saved if own else self.s.node.snapshot
        nodes, fixings, firsts = np.empty(steps, np.int64), np.empty(steps, np.int64), np.empty(steps + 1, np.int64)
        cdef int64_t[::1] node = nodes, fixing = fixings, first = firsts
        for k in range(steps):
            node[k], first[k] = self.s.fixings[k].record, self.s.fixings[k].first_off
            fixing[k] = row[self.s.fixings[k].snapshot + (missing if self.s.fixings[k].snapshot < 0 else 0)]
        first[steps] = self.s.off_count
        for k in range(total):
            leaf[k] = row[leaf[k] + (missing if leaf[k] < 0 else 0)]
        offs = np.empty(self.s.off_count, np.int64)
        cdef int64_t[::1] off = offs
        for k in range(self.s.off_count):
            off[k] = self.s.offs[k]
        return {
            "parent": parents,
            "arc": arcs,
            "on": on.astype(bool),
            "multipliers_at": leaves,
            "step_node": nodes,
            "step_multipliers": fixings,
            "step_first": firsts,
            "off": offs,
        }


def checked_block(number, scopes, scores, Py_ssize_t arcs):
    """Scopes and scores as contiguous arrays that name arcs; ValueError with the place otherwise."""
    scopes, scores = np.ascontiguousarray(scopes, np.int64), np.ascontiguousarray(scores, np.float64)
    if scopes.ndim != 2 or scopes.shape[1] < 1:
        raise ValueError(f"block {number}: scopes must have shape (m, width) with width >= 1, got {scopes.shape}")
    if scores.shape != (len(scopes),):
        raise ValueError(f"block {number}: scores must have shape ({len(scopes)},), got {scores.shape}")
    cdef const int64_t[:, ::1] each = scopes
    cdef const double[::1] values = scores
    cdef Py_ssize_t c, a, b, width = each.shape[1]
    cdef int64_t least = 0, most = 0
    cdef bint twice = False, finite = True
    with nogil:
        for c in range(each.shape[0]):
            for a in range(width):
                least, most = min(least, each[c, a]), max(most, each[c, a])
                for b in range(a):
                    twice |= each[c, a] == each[c, b]
            finite &= isfinite(values[c])
    if least < 0 or most >= max(arcs, 1):
        raise ValueError(f"block {number}: scopes must name arcs in 0..{arcs - 1}")
    if twice:
        raise ValueError(f"block {number}: a scope holds one arc twice")
    if not finite:
        place = int(np.argmin(np.isfinite(scores)))
        raise ValueError(f"block {number}: scores[{place}] is {scores[place]}, expected a finite number")
    return scopes, scores
