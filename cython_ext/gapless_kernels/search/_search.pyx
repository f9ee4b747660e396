# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The compiled search: the object that checks arguments, owns the state of `search/tree.h`, and calls it."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.pythread cimport PyThread_get_thread_ident

import contextlib

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search cimport roles
from gapless_kernels.search._arguments import (
    ORDERS,
    check_options,
    check_scope,
    checked_block,
    checked_groups,
    checked_guide,
    checked_structure,
    checked_weights,
)

_sets.follow()

cdef extern from "search/tree.h" nogil:
    enum: GS_IN_STAR, GS_REPEATED
    enum: GS_CHOICES, GS_PROVED, GS_TIME, GS_NODES, GS_NO_MEMORY, GS_STOPPED
    enum: GS_STEPS, GS_TARGET, GS_GAP, GS_EVENTS
    enum: GS_EVENT_CAPACITY, GS_ERROR_STATE, GS_ERROR_VALUE, GS_ERROR_BOUND, GS_ERROR_RAISED

    ctypedef int (*gs_score_source)(void *, const int32_t *, Py_ssize_t, double *) noexcept nogil

    ctypedef struct gs_event:
        pass

    ctypedef struct gs_structure:
        int32_t *on
        Py_ssize_t count

    ctypedef struct gs_snapshot:
        double *multipliers
        int32_t *slot
        Py_ssize_t count

    ctypedef struct gs_proof_node:
        int64_t parent
        int32_t decision, on, leaf_snapshot

    ctypedef struct gs_fixing_step:
        int64_t record
        int32_t snapshot
        int64_t first_off

    ctypedef struct gs_block:
        Py_ssize_t count, width, first
        const int64_t *members
        const double *scores

    ctypedef struct gs_node:
        double bound
        int64_t record, proved_at
        int32_t snapshot

    ctypedef struct gs_options:
        int is_paper, is_lifted, max_choices, root_steps, root_trend
        double granularity, proof_limit, memory_limit, largest_term

    ctypedef struct gs_input:
        Py_ssize_t decisions, scopes
        int32_t *group
        double *base

    ctypedef struct gs_stars:
        Py_ssize_t cells
        int32_t *scope
        unsigned char *form
        int32_t *side

    ctypedef struct gs_shared:
        Py_ssize_t count, slots
        int32_t *scope
        Py_ssize_t *first
        double *score

    ctypedef struct gs_factors:
        Py_ssize_t slots

    ctypedef struct gs_lazy_scores:
        unsigned char *unknown
        gs_score_source source
        void *source_data

    ctypedef struct gs_fixings:
        unsigned char *root_alive

    ctypedef struct gs_ascent:
        Py_ssize_t slots
        double saved_bound
        int32_t saved_snapshot

    ctypedef struct gs_incumbent:
        double value
        gs_structure structure

    ctypedef struct gs_tree:
        int order, is_in_node, is_root_closed
        gs_node *open
        gs_node *survivor
        Py_ssize_t open_count, survivor_count

    ctypedef struct gs_snapshots:
        gs_snapshot *snapshot
        Py_ssize_t count

    ctypedef struct gs_proof:
        int is_kept, is_dropped
        gs_proof_node *node
        gs_fixing_step *step
        int32_t *fixed
        Py_ssize_t node_count, step_count, fixed_count
        int32_t root_snapshot

    ctypedef struct gs_log:
        gs_event *event
        Py_ssize_t count
        int has_steps

    ctypedef struct gs_counts:
        int64_t maximisations, nodes, steps, fixed, enumerated, scored

    ctypedef struct gs_search:
        gs_options options
        gs_input input
        gs_stars stars
        gs_shared shared
        gs_factors factors
        gs_lazy_scores lazy
        gs_fixings fixings
        gs_ascent ascent
        gs_incumbent incumbent
        gs_node node
        gs_tree tree
        gs_snapshots snapshots
        gs_proof proof
        gs_log log
        gs_counts counts
        int failure, no_memory
        Py_ssize_t failed_factor

    int gs_reserve(gs_search *, const roles.gs_maximiser *, Py_ssize_t, Py_ssize_t)
    int gs_reserve_log(gs_search *)
    int gs_reserve_unknown(gs_search *)
    int gs_number(gs_search *)
    int gs_reserve_factors(gs_search *, Py_ssize_t, Py_ssize_t, int)
    void gs_take_factor(gs_search *, Py_ssize_t, const roles.gs_factor *, const double *)
    int gs_take_blocks(gs_search *, const gs_block *, Py_ssize_t)
    int gs_start(gs_search *, const gs_structure *)
    void gs_turn_on(const gs_search *, unsigned char *, int32_t)
    int gs_advance(gs_search *, double, int64_t, int64_t, double, double)
    double gs_bound(const gs_search *)
    double gs_step_bound(const gs_search *)
    Py_ssize_t gs_free_decisions(const gs_search *)
    double gs_open_bytes(const gs_search *)
    double gs_proof_bytes(const gs_search *)
    double gs_rounding_bound(const gs_search *)
    void gs_bound_current_node(gs_search *)
    void gs_offer_external(gs_search *, const gs_structure *)
    int gs_restart(gs_search *, const double *, const gs_structure *)
    void gs_free(gs_search *)

PROVED, TIME, NODES, STEPS = GS_PROVED, GS_TIME, GS_NODES, GS_STEPS
TARGET, GAP, EVENTS = GS_TARGET, GS_GAP, GS_EVENTS
EVENT = np.dtype(
    [("nodes", "i8"), ("step", "?"), ("depth", "i4"), ("free", "i8"), ("bound", "f8"), ("value", "f8")]
)
# The structure gs_event of `search/model.h`.
LOGGED = np.dtype(
    [("nodes", "i8"), ("step", "i4"), ("depth", "i4"), ("free", "p"), ("bound", "f8"), ("value", "f8")],
    align=True,
)
assert LOGGED.itemsize == sizeof(gs_event)

# Failures for which the search itself finds words; a role that raised has its own.
BROKEN_RULES = {
    GS_ERROR_STATE: "gave a structure that breaks the state or {}",
    GS_ERROR_VALUE: "gave a value that its structure does not have",
    GS_ERROR_BOUND: "has a better structure than the one it called the best",
}


cdef int ask_scores(void *asker, const int32_t *scopes, Py_ssize_t count, double *scores) noexcept with gil:
    """Call the search's `ask`; its exception is stored for `advance` to raise."""
    cdef CompiledSearch search = <CompiledSearch>asker
    cdef const double[::1] values
    try:
        answers = np.array(search.asks(np.array(<const int32_t[:count]>scopes, np.int64)), np.float64)
        if answers.shape != (count,) or not np.isfinite(answers).all():
            raise ValueError(
                f"ask gave {np.shape(answers)} for {count} scopes, expected as many finite scores"
            )
        values = answers
    except BaseException as error:
        search.error = error
        return 1
    memcpy(scores, &values[0], count * sizeof(double))
    return 0


cdef bint is_plain(values, kind):
    """Whether `values` is a contiguous array of one axis and type `kind`, which needs no conversion."""
    if not isinstance(values, np.ndarray) or values.dtype != kind:
        return False
    return values.ndim == 1 and values.flags.c_contiguous


cdef copied(const void *values, Py_ssize_t count, kind):
    """Copy `count` values of a NumPy type."""
    kind = np.dtype(kind)
    return np.frombuffer(PyBytes_FromStringAndSize(<const char *>values, count * kind.itemsize), kind)


cdef int need(bint has_memory, what) except -1:
    """Raise `MemoryError` if memory is missing."""
    if not has_memory:
        raise MemoryError(f"no memory for {what}")
    return 0


cdef class CompiledSearch:
    """Best structure under weights and scores of sets of decisions; the stub documents it."""

    cdef gs_search s
    cdef int status
    cdef bint ready, running
    cdef unsigned long runner  # the thread that runs it
    cdef readonly object maximiser
    cdef readonly list blocks, factors
    cdef object asks, error
    cdef int32_t[::1] structure  # that the running call has taken

    def __cinit__(self):
        self.status = -1

    def __init__(
        self,
        roles.Maximiser maximiser not None,
        base,
        blocks=(),
        *,
        group_first=None,
        groups=None,
        factors=(),
        guides=None,
        variant="default",
        order="best-first",
        incumbent=None,
        keep_proof=True,
        granularity=0.0,
        proof_limit=2.0**28,
        memory_limit=2.0**30,
        choices=GS_CHOICES,
        root_steps=120,
        root_trend=7,
        lifted=False,
        checked=False,
        ask=None,
        unknown=None,
        events=None,
        on=None,
        double largest_term=0.0,
    ):
        if self.s.input.group != NULL:
            raise RuntimeError("this search was set up before; make another")
        roles.check_maximiser(maximiser)
        check_options(
            {
                "variant": variant, "order": order, "granularity": granularity, "choices": choices,
                "root_steps": root_steps, "root_trend": root_trend, "memory_limit": memory_limit,
            },
            GS_CHOICES,
        )
        cdef Py_ssize_t decisions = maximiser.role.decisions, e, total
        cdef gs_options *options = &self.s.options
        cdef bint is_wrong = False
        cdef const double[::1] weights
        if not is_plain(base, np.float64) or len(base) != decisions:
            base = checked_weights(base, decisions)
        weights = base
        self.maximiser, self.error = maximiser, None
        self.blocks = list(blocks)
        if not checked:
            self.blocks = [checked_block(k, *block, decisions) for k, block in enumerate(blocks)]
        total = sum(len(scores) for _, scores in self.blocks)
        options.is_paper = variant == "paper"
        self.s.tree.order = ORDERS.index("breadth-first" if options.is_paper else order)
        options.max_choices = 0 if options.is_paper else choices
        options.is_lifted = bool(lifted) and not options.is_paper and maximiser.role.excludes != NULL
        options.root_steps, options.root_trend = root_steps, root_trend
        options.largest_term, options.granularity = largest_term, granularity
        self.s.proof.is_kept = bool(keep_proof)
        # Half of the memory is for multipliers, the proof's among them, and half for open nodes.
        options.memory_limit, options.proof_limit = memory_limit, min(proof_limit, 0.5 * memory_limit)
        first, members = group_first, groups
        # Arrays of the right types need no copy: take_groups checks them while it reads them.
        if not (is_plain(first, np.int64) and is_plain(members, np.int64) and len(first)) or (
            first[0] != 0 or first[len(first) - 1] != len(members)
        ):
            first, members = checked_groups(first, members, decisions)
        if max(decisions, len(first), sum(scopes.size for scopes, _ in self.blocks)) >= 2**31:
            raise ValueError(
                f"{total} scopes over {decisions} decisions are more than 32-bit numbers can count"
            )
        need(gs_reserve(&self.s, &maximiser.role, len(first) - 1, total), "the decisions")
        for e in range(decisions):
            is_wrong |= not (weights[e] < 1e300 and (weights[e] > -1e300 or weights[e] == -INFINITY))
            self.s.input.base[e] = weights[e]
        if is_wrong:
            checked_weights(base, decisions)  # which names the weight
        self.take_groups(first, members)
        self.asks = ask
        self.s.lazy.source, self.s.lazy.source_data = ask_scores, <void *>self
        if events not in (None, "nodes", "steps"):
            raise ValueError(f"events must be None, 'nodes' or 'steps', got {events!r}")
        need(events is None or gs_reserve_log(&self.s), "events")
        self.s.log.has_steps = events == "steps"
        self.take_factors(factors, guides)
        if unknown is not None:
            self.mark_unknown(np.ascontiguousarray(unknown, np.bool_).view(np.uint8))
        self.take_blocks()
        cdef gs_structure structure
        cdef bint has_structure = self.take_structure(incumbent, &structure)
        for e in () if on is None else on:
            if not 0 <= e < decisions or weights[e] == -float("inf"):
                raise ValueError(
                    f"on names decision {e}, expected decisions in 0..{decisions - 1} that can be on"
                )
            if self.s.input.group[e] < 0:
                gs_turn_on(&self.s, self.s.fixings.root_alive, <int32_t>e)
        self.claim_roles()
        try:
            need(gs_start(&self.s, &structure if has_structure else NULL), "the root")
        finally:
            self.mark_roles(False)
        self.check_failure()
        self.ready = True

    def __dealloc__(self):
        gs_free(&self.s)

    cdef int take_groups(self, first, members) except -1:
        cdef const int64_t[::1] begin = first, each = members
        cdef Py_ssize_t e, g, k
        cdef bint is_wrong = False
        for e in range(self.s.input.decisions):
            self.s.input.group[e] = -1
        for g in range(begin.shape[0] - 1):
            is_wrong |= not 0 <= begin[g] <= begin[g + 1] <= each.shape[0]
            for k in range(0 if is_wrong else begin[g], 0 if is_wrong else begin[g + 1]):
                is_wrong |= not 0 <= each[k] < self.s.input.decisions or self.s.input.group[each[k]] >= 0
                if is_wrong:
                    break
                self.s.input.group[each[k]] = <int32_t>g
        if is_wrong:
            checked_groups(first, members, self.s.input.decisions)  # which names the group
        need(gs_number(&self.s), "the decisions")
        return 0

    cdef int take_structure(self, on, gs_structure *x) except -1:
        """Point `x` to the decisions of a structure, which `structure` owns; 0 if there is none."""
        cdef Py_ssize_t decisions = self.s.input.decisions
        ids = np.zeros(0, np.int32)
        if on is None:
            return 0
        if decisions:
            group, base = <int32_t[:decisions]>self.s.input.group, <double[:decisions]>self.s.input.base
            ids = checked_structure(on, np.asarray(group), np.asarray(base))
        self.structure = np.append(ids, np.int32(0))  # one more, so that there is an address
        x.on, x.count = &self.structure[0], self.structure.shape[0] - 1
        return 1

    cdef int mark_unknown(self, const unsigned char[::1] unasked) except -1:
        """Mark the scopes whose scores are not known yet; those of one decision are weights, and must be."""
        cdef Py_ssize_t c, first = 0
        if unasked.shape[0] != self.s.input.scopes or self.s.options.is_paper or self.asks is None:
            raise ValueError(
                f"unknown must hold {self.s.input.scopes} booleans, beside ask, for the default variant"
            )
        need(gs_reserve_unknown(&self.s), "the scopes")
        for scopes, scores in self.blocks:
            is_unknown = np.asarray(unasked[first : first + len(scores)])
            if len(scores) and scopes.shape[1] == 1 and is_unknown.any():
                raise ValueError("a scope of one decision must be known")
            first += len(scores)
        for c in range(unasked.shape[0]):
            self.s.lazy.unknown[c] = unasked[c] != 0
        return 0

    cdef int take_factors(self, factors, guides) except -1:
        cdef Py_ssize_t f, count
        cdef roles.Factor factor
        cdef const double[::1] guide
        self.factors, count = list(factors), len(factors)
        if count and self.s.options.is_paper:
            raise ValueError("the paper's variant takes no factors")
        if len({id(factor) for factor in self.factors}) < count:
            raise ValueError("a factor is listed twice; make two of it")
        has_guides = guides is not None and not self.s.options.is_paper
        given = list(guides) if has_guides else [None] * count
        if len(given) != count:
            raise ValueError(f"{len(given)} guides for {count} factors")
        slots = 0
        for f in range(count):
            factor = self.factors[f]
            roles.check_factor(factor)
            check_scope(f, factor.scope, self.s.input.decisions)
            slots += factor.role.count
        need(gs_reserve_factors(&self.s, count, slots, has_guides), "the factors")
        for f in range(count):
            factor = self.factors[f]
            if given[f] is None or not factor.role.count:
                gs_take_factor(&self.s, f, &factor.role, NULL)
            else:
                guide = checked_guide(f, given[f], factor.role.count)
                gs_take_factor(&self.s, f, &factor.role, &guide[0])
        return 0

    cdef int take_blocks(self) except -1:
        cdef Py_ssize_t b, count = len(self.blocks), first = 0
        cdef const int64_t[:, ::1] scopes
        cdef const double[::1] scores
        cdef int done
        cdef unsigned char[::1] memory = bytearray((count + 1) * sizeof(gs_block))
        cdef gs_block *block = <gs_block *>&memory[0]
        for b in range(count):
            scopes, scores = self.blocks[b]
            block[b].count, block[b].width, block[b].first = scopes.shape[0], scopes.shape[1], first
            block[b].members = &scopes[0, 0] if scopes.shape[0] else NULL
            block[b].scores = &scores[0] if scopes.shape[0] else NULL
            first += scopes.shape[0]
        with nogil:
            done = gs_take_blocks(&self.s, block, count)
        if not done and self.s.ascent.slots:
            raise ValueError(
                f"the scopes need {self.s.ascent.slots} multipliers: more than 32-bit numbers can count"
            )
        return need(done, "the scopes")

    cdef int check_failure(self) except -1:
        """Raise the error that ended the search, if there is one."""
        if not self.s.failure:
            return 0
        cdef Py_ssize_t culprit = self.s.failed_factor
        cdef roles.Role role = self.maximiser if culprit < 0 else self.factors[culprit]
        if self.error is None:
            self.error = role.error
            if self.error is not None and culprit >= 0:
                with contextlib.suppress(Exception):
                    self.error.culprit = culprit
        if self.error is not None:
            raise self.error
        if culprit < 0:
            name, whole = type(getattr(role, "maximiser", role)).__name__, "breaks a choice group"
        else:
            name, whole = f"factor {culprit} ({type(getattr(role, 'factor', role)).__name__})", "is none"
        if self.s.failure in BROKEN_RULES:
            kind, finding = ValueError, BROKEN_RULES[self.s.failure].format(whole)
        else:
            kind, finding = RuntimeError, "failed and kept no error"
        self.error = kind(f"{name} {finding}")
        self.error.culprit, self.error.said = culprit, finding
        raise self.error

    cdef int claim_roles(self) except -1:
        """Claim the roles for one call; searches that take turns may share them."""
        cdef roles.Role role
        for role in (self.maximiser, *self.factors):
            if role.busy:
                raise RuntimeError(
                    "a role of this search is at work for another one; give each search roles of its own"
                )
        return self.mark_roles(True)

    cdef int mark_roles(self, bint busy) except -1:
        cdef roles.Role role
        for role in (self.maximiser, *self.factors):
            role.busy = busy
        return 0

    cdef int begin_call(self) except -1:
        """Refuse a call that would change a running search: from a role, from `ask`, or in another thread."""
        if not self.ready:
            raise RuntimeError("this search was not set up")
        if self.running:
            raise RuntimeError(
                "this search is running: a role or ask that it calls can look at it but not change it, and "
                "another thread has to wait"
            )
        if self.s.no_memory:
            raise MemoryError("this search ran out of memory before and cannot go on; make another")
        self.claim_roles()
        self.running, self.runner = True, PyThread_get_thread_ident()
        return 0

    cdef int end_call(self) except -1:
        self.running = False
        return self.mark_roles(False)

    cdef int check_reader(self) except -1:
        """Refuse to read arrays that another thread may be moving now."""
        if not self.ready:
            raise RuntimeError("this search was not set up")
        if self.running and self.runner != PyThread_get_thread_ident():
            raise RuntimeError("this search is running in another thread; ask it in between")
        return 0

    def advance(
        self,
        double seconds=1e9,
        int64_t nodes=2**62,
        int64_t steps=2**62,
        double target=float("inf"),
        double gap=0.0,
    ):
        """Search until a limit is reached and return the status; the stub documents it."""
        self.begin_call()
        try:
            with nogil:
                self.status = gs_advance(&self.s, seconds, nodes, steps, target, gap)
        finally:
            self.end_call()
        if self.status == GS_NO_MEMORY:
            raise MemoryError("no memory for the search tree")
        self.check_failure()
        return self.status

    def offer_incumbent(self, incumbent):
        """Offer a structure as incumbent; the stub documents it."""
        cdef gs_structure structure
        self.begin_call()
        try:
            if not self.take_structure(incumbent, &structure):
                return
            with nogil:
                gs_offer_external(&self.s, &structure)
        finally:
            self.end_call()
        self.check_failure()

    def restart(self, multipliers, incumbent=None):
        """Restart at the root with other multipliers; the stub documents it."""
        cdef const double[::1] values = np.array(multipliers, np.float64)
        cdef gs_structure structure
        cdef bint has_structure
        cdef int done = 1
        self.begin_call()
        try:
            has_structure = self.take_structure(incumbent, &structure)
            if values.shape[0] != self.s.ascent.slots or not np.isfinite(values).all():
                raise ValueError(
                    f"multipliers must be {self.s.ascent.slots} finite numbers, "
                    f"got shape {np.shape(multipliers)}"
                )
            if self.s.ascent.slots:
                with nogil:
                    done = gs_restart(&self.s, &values[0], &structure if has_structure else NULL)
        finally:
            self.end_call()
        need(done, "the root")
        self.check_failure()

    def bound_current_node(self):
        """Bound the current node by its latest multipliers, if a proof is kept."""
        self.begin_call()
        try:
            if self.s.failure:
                return
            with nogil:
                gs_bound_current_node(&self.s)
        finally:
            self.end_call()
        self.check_failure()

    def events(self):
        """Return and forget the events since the last call; the stub documents it."""
        self.check_reader()
        events = copied(self.s.log.event, self.s.log.count, LOGGED).astype(EVENT)
        self.s.log.count = 0
        return events

    def slots(self):
        """Return the scope of each multiplier; the stub documents it."""
        self.check_reader()
        cdef Py_ssize_t k, c
        scopes, places = np.full(self.s.ascent.slots, -1, np.int64), np.zeros(self.s.ascent.slots, np.int64)
        cdef int64_t[::1] scope = scopes, place = places
        for k in range(self.s.stars.cells):
            scope[k] = max(self.s.stars.scope[k], -1)
        for c in range(self.s.shared.count):
            for k in range(self.s.shared.first[c], self.s.shared.first[c + 1]):
                scope[self.s.stars.cells + k] = self.s.shared.scope[c]
                place[self.s.stars.cells + k] = k - self.s.shared.first[c]
        return scopes, places

    def grouped(self):
        """Return whether each scope is a pair in a star, bool (scopes,)."""
        self.check_reader()
        return copied(self.s.stars.form, self.s.input.scopes, np.uint8) == GS_IN_STAR

    def record(self):
        """Return nodes, fixing steps and multipliers as flat arrays; the stub documents it."""
        self.begin_call()
        try:
            if not (self.s.proof.is_kept or self.s.proof.is_dropped):
                raise ValueError("no proof was kept: it was not asked for")
            return record_of(self)
        finally:
            self.end_call()

    @property
    def root_free(self):
        self.check_reader()
        bits = copied(self.s.fixings.root_alive, self.s.input.decisions // 8 + 1, np.uint8)
        return np.unpackbits(bits, count=self.s.input.decisions, bitorder="little").astype(bool)

    @property
    def scored(self):
        return self.s.counts.scored

    @property
    def value(self):
        return self.s.incumbent.value

    @property
    def on(self):
        self.check_reader()
        on = copied(self.s.incumbent.structure.on, self.s.incumbent.structure.count, np.int32)
        return np.sort(on.astype(np.int64))

    @property
    def bound(self):
        self.check_reader()
        return gs_bound(&self.s)

    @property
    def working(self):
        return bool(self.s.tree.is_in_node)

    @property
    def step_bound(self):
        return gs_step_bound(&self.s)

    @property
    def free(self):
        self.check_reader()
        return gs_free_decisions(&self.s)

    @property
    def dp_calls(self):
        return self.s.counts.maximisations

    @property
    def nodes(self):
        return self.s.counts.nodes

    @property
    def steps(self):
        return self.s.counts.steps

    @property
    def fixed(self):
        return self.s.counts.fixed

    @property
    def enumerated(self):
        return self.s.counts.enumerated

    @property
    def root_closed(self):
        return bool(self.s.tree.is_root_closed)

    @property
    def infeasible(self):
        return self.status == GS_PROVED and self.s.incumbent.value == -float("inf")

    @property
    def proof_dropped(self):
        return bool(self.s.proof.is_dropped)

    @property
    def memory(self):
        return gs_open_bytes(&self.s) + gs_proof_bytes(&self.s)

    @property
    def order(self):
        return ORDERS[self.s.tree.order]

    @property
    def lost(self):
        return gs_rounding_bound(&self.s)


# --- the state of a search as arrays

cdef dict record_of(CompiledSearch search):
    """Return the record as `CompiledSearch.record` documents it."""
    cdef Py_ssize_t k, count = search.s.snapshots.count
    rows = np.empty(count + 2, np.int64)
    cdef int64_t[::1] row = rows
    cdef int64_t stored = 0
    row[count], row[count + 1] = -2, -1  # GS_ENUMERATED and none stay what they are, at the indices -2 and -1
    for k in range(count):
        row[k] = stored
        stored += search.s.snapshots.snapshot[k].multipliers != NULL
    return {
        "lifted": bool(search.s.options.is_lifted),
        **nodes_and_steps(&search.s, row),
        **forms_of(search),
        **multipliers_of(&search.s, stored),
    }


cdef dict forms_of(CompiledSearch search):
    """Return the side of the lower decisions of each block, 0 without a star, and pairs listed twice."""
    cdef Py_ssize_t b, c, first = 0, end
    cdef bint has_star
    orientation, alone = np.zeros(len(search.blocks), np.int64), []
    for b in range(len(search.blocks)):
        end = first + len(search.blocks[b][1])
        has_star = False
        for c in range(first, end):
            has_star |= search.s.stars.form[c] == GS_IN_STAR
            if search.s.stars.form[c] == GS_REPEATED:
                alone.append(c)
        orientation[b] = 2 - search.s.stars.side[b] if has_star else 0
        first = end
    return {"orientation": orientation, "alone": np.array(alone, np.int64)}


cdef dict multipliers_of(gs_search *s, Py_ssize_t stored):
    """Return the multipliers of all snapshots that are not 0, row by row, with scope and place in the scope.

    A multiplier of a scope of negative score is its charge, and gets a minus; prices follow the scopes.
    """
    cdef gs_snapshot *copy
    cdef Py_ssize_t k, i, slot, total = 0, at = 0, row = 0, c, prices = s.stars.cells + s.shared.slots
    for k in range(s.snapshots.count):
        copy = s.snapshots.snapshot + k
        for i in range(copy.count if copy.multipliers != NULL else 0):
            total += copy.multipliers[i] != 0.0
    first, scopes = np.zeros(stored + 1, np.int64), np.empty(total, np.int32)
    places, values = np.zeros(total, np.int32), np.empty(total)
    owners = np.zeros(s.shared.slots, np.int32)
    cdef int64_t[::1] begin = first
    cdef int32_t[::1] scope = scopes, place = places, owner = owners
    cdef double[::1] value = values
    for c in range(s.shared.count):
        for i in range(s.shared.first[c], s.shared.first[c + 1]):
            owner[i] = <int32_t>c
    for k in range(s.snapshots.count):
        copy = s.snapshots.snapshot + k
        if copy.multipliers == NULL:
            continue
        for i in range(copy.count):
            if copy.multipliers[i] == 0.0:
                continue
            value[at] = copy.multipliers[i]
            slot = i if copy.slot == NULL else copy.slot[i]
            if slot < s.stars.cells:
                if s.stars.scope[slot] < 0:
                    continue
                scope[at] = s.stars.scope[slot]
            elif slot >= prices:
                scope[at] = <int32_t>(s.input.scopes + slot - prices)
            else:
                slot -= s.stars.cells
                c = owner[slot]
                scope[at], place[at] = s.shared.scope[c], <int32_t>(slot - s.shared.first[c])
                if s.shared.score[c] < 0.0:
                    if place[at]:  # a charge has one multiplier
                        place[at] = 0
                        continue
                    value[at] = -value[at]
            at += 1
        row += 1
        begin[row] = at
    return {
        "row_first": first,
        "scopes": scopes[:at],
        "places": places[:at],
        "values": values[:at],
        "prices": int(s.factors.slots),
    }


cdef dict nodes_and_steps(gs_search *s, const int64_t[::1] row):
    """Return the nodes and the fixing steps, whose multipliers are named by `row`."""
    cdef gs_node *node
    cdef gs_fixing_step *step
    cdef Py_ssize_t k, total = s.proof.node_count, steps = s.proof.step_count, rows = row.shape[0]
    parents, decisions, on, leaves, shown_at = np.empty((5, total), np.int64)
    cdef int64_t[::1] parent = parents, decision = decisions, is_on = on, leaf = leaves, proved_at = shown_at
    for k in range(total):
        parent[k], decision[k] = s.proof.node[k].parent, s.proof.node[k].decision
        is_on[k], leaf[k], proved_at[k] = s.proof.node[k].on, s.proof.node[k].leaf_snapshot, k
    if s.proof.is_kept:
        for k in range(s.tree.open_count + s.tree.survivor_count):
            node = s.tree.open + k if k < s.tree.open_count else s.tree.survivor + (k - s.tree.open_count)
            leaf[node.record], proved_at[node.record] = node.snapshot, node.proved_at
    if s.proof.is_dropped and s.proof.root_snapshot >= 0:
        leaf[0] = s.proof.root_snapshot
    elif s.tree.is_in_node and (s.proof.is_kept or s.node.snapshot < 0):
        # Of the node's own and the inherited multipliers, those that prove the lower bound.
        if s.ascent.saved_snapshot >= 0 and (s.node.snapshot < 0 or s.ascent.saved_bound <= s.node.bound):
            leaf[s.node.record] = s.ascent.saved_snapshot
        else:
            leaf[s.node.record], proved_at[s.node.record] = s.node.snapshot, s.node.proved_at
    (nodes, multipliers), firsts = np.empty((2, steps), np.int64), np.empty(steps + 1, np.int64)
    cdef int64_t[::1] step_node = nodes, step_row = multipliers, first = firsts
    for k in range(steps):
        step = s.proof.step + k
        step_node[k], first[k] = step.record, step.first_off
        step_row[k] = row[step.snapshot + (rows if step.snapshot < 0 else 0)]
    first[steps] = s.proof.fixed_count
    for k in range(total):
        leaf[k] = row[leaf[k] + (rows if leaf[k] < 0 else 0)]
    return {
        "parent": parents,
        "decision": decisions,
        "on": on.astype(bool),
        "multipliers_at": leaves,
        "shown_at": shown_at,
        "step_node": nodes,
        "step_multipliers": multipliers,
        "step_first": firsts,
        "off": copied(s.proof.fixed, s.proof.fixed_count, np.int32).astype(np.int64),
    }
