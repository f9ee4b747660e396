# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The compiled search: the object that checks arguments, owns the state of `search/tree.h`, and calls it."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
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
    checked_structure,
    checked_weights,
)

_sets.follow()

PROVED, TIME, NODES, STEPS = GS_PROVED, GS_TIME, GS_NODES, GS_STEPS
TARGET, GAP, EVENTS = GS_TARGET, GS_GAP, GS_EVENTS
EVENT = np.dtype(
    [("nodes", "i8"), ("step", "?"), ("depth", "i4"), ("free", "i8"), ("bound", "f8"), ("value", "f8")]
)


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


cdef class CompiledSearch:
    """Best structure under weights and scores of sets of decisions; the stub documents it."""

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
        if not gs_reserve(&self.s, &maximiser.role, len(first) - 1, total):
            raise MemoryError("no memory for the decisions")
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
        if events is not None and not gs_reserve_log(&self.s):
            raise MemoryError("no memory for events")
        self.s.log.has_steps = events == "steps"
        self.take_factors(factors)
        if guides is not None and not options.is_paper:
            self._take_guides(guides)
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
            if not gs_start(&self.s, &structure if has_structure else NULL):
                raise MemoryError("no memory for the root")
        finally:
            self.release_roles()
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
        if not gs_number(&self.s):
            raise MemoryError("no memory for the decisions")
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
        if not gs_reserve_unknown(&self.s):
            raise MemoryError("no memory for the scopes")
        for scopes, scores in self.blocks:
            is_unknown = np.asarray(unasked[first : first + len(scores)])
            if len(scores) and scopes.shape[1] == 1 and is_unknown.any():
                raise ValueError("a scope of one decision must be known")
            first += len(scores)
        for c in range(unasked.shape[0]):
            self.s.lazy.unknown[c] = unasked[c] != 0
        return 0

    cdef int take_factors(self, factors) except -1:
        cdef Py_ssize_t f, count
        cdef roles.Factor factor
        self.factors, count = list(factors), len(factors)
        if count and self.s.options.is_paper:
            raise ValueError("the paper's variant takes no factors")
        if len({id(factor) for factor in self.factors}) < count:
            raise ValueError("a factor is listed twice; make two of it")
        cdef const gs_factor **each = <const gs_factor **>malloc((count + 1) * sizeof(gs_factor *))
        if each == NULL:
            raise MemoryError("no memory for the factors")
        try:
            for f in range(count):
                factor = self.factors[f]
                roles.check_factor(factor)
                check_scope(f, np.asarray(factor.scope), self.s.input.decisions)
                each[f] = &factor.role
            if not gs_take_factors(&self.s, each, count):
                raise MemoryError("no memory for the factors")
        finally:
            free(each)
        return 0

    def _take_guides(self, guides):
        cdef Py_ssize_t f, count = len(self.factors)
        cdef const double[::1] held
        given = list(guides)
        if len(given) != count:
            raise ValueError(f"{len(given)} guides for {count} factors")
        cdef const double **each = <const double **>calloc(count + 1, sizeof(double *))
        if each == NULL:
            raise MemoryError("no memory for the guides")
        try:
            for f in range(count):
                if given[f] is None or not self.factors[f].scope.size:
                    continue
                given[f] = np.ascontiguousarray(given[f], np.float64)
                if given[f].shape != self.factors[f].scope.shape or not np.isfinite(given[f]).all():
                    raise ValueError(
                        f"the guide of factor {f} must hold a finite number for each decision of its scope"
                    )
                held = given[f]
                each[f] = &held[0]
            if not gs_take_guides(&self.s, each):
                raise MemoryError("no memory for the guides")
        finally:
            free(each)

    cdef int take_blocks(self) except -1:
        cdef Py_ssize_t b, count = len(self.blocks), first = 0
        cdef const int64_t[:, ::1] scopes
        cdef const double[::1] scores
        cdef int done
        cdef gs_block *list_ = <gs_block *>malloc((count + 1) * sizeof(gs_block))
        if list_ == NULL:
            raise MemoryError("no memory for the scopes")
        for b in range(count):
            scopes, scores = self.blocks[b]
            list_[b].count, list_[b].width, list_[b].first = scopes.shape[0], scopes.shape[1], first
            list_[b].members = &scopes[0, 0] if scopes.shape[0] else NULL
            list_[b].scores = &scores[0] if scopes.shape[0] else NULL
            first += scopes.shape[0]
        with nogil:
            done = gs_take_blocks(&self.s, list_, count)
        free(list_)
        if not done and self.s.ascent.slots:
            raise ValueError(
                f"the scopes need {self.s.ascent.slots} multipliers: more than 32-bit numbers can count"
            )
        if not done:
            raise MemoryError("no memory for the scopes")
        return 0

    cdef int check_failure(self) except -1:
        """Raise the error that ended the search, if there is one."""
        if not self.s.failure:
            return 0
        cdef roles.Maximiser maximiser = self.maximiser
        cdef roles.Factor factor
        if self.error is None and self.s.failed_factor < 0:
            self.error = maximiser.error
        elif self.error is None:
            factor = self.factors[self.s.failed_factor]
            self.error = factor.error
            if self.error is not None:
                with contextlib.suppress(Exception):
                    self.error.culprit = self.s.failed_factor
        if self.error is not None:
            raise self.error
        if self.s.failed_factor < 0:
            name = type(getattr(maximiser, "maximiser", maximiser)).__name__
            broken = "breaks a choice group"
        else:
            name = f"factor {self.s.failed_factor} ({type(getattr(factor, 'factor', factor)).__name__})"
            broken = "is none"
        kind, said = RuntimeError, "failed and kept no error"
        if self.s.failure == GS_ERROR_STATE:
            kind, said = ValueError, f"gave a structure that breaks the state or {broken}"
        elif self.s.failure == GS_ERROR_VALUE:
            kind, said = ValueError, "gave a value that its structure does not have"
        elif self.s.failure == GS_ERROR_BOUND:
            kind, said = ValueError, "has a better structure than the one it called the best"
        self.error = kind(f"{name} {said}")
        self.error.culprit, self.error.said = self.s.failed_factor, said
        raise self.error

    cdef int claim_roles(self) except -1:
        """Claim the roles for one call; searches that take turns may share them."""
        cdef roles.Maximiser maximiser = self.maximiser
        cdef roles.Factor factor
        cdef bint busy = maximiser.busy
        for factor in self.factors:
            busy |= factor.busy
        if busy:
            raise RuntimeError(
                "a role of this search is at work for another one; give each search roles of its own"
            )
        maximiser.busy = True
        for factor in self.factors:
            factor.busy = True
        return 0

    cdef int release_roles(self) except -1:
        cdef roles.Maximiser maximiser = self.maximiser
        cdef roles.Factor factor
        maximiser.busy = False
        for factor in self.factors:
            factor.busy = False
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
        return self.release_roles()

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
        if not done:
            raise MemoryError("no memory for the root")
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
        cdef Py_ssize_t k
        cdef gs_event *event
        self.check_reader()
        events = np.empty(self.s.log.count, EVENT)
        for k in range(self.s.log.count):
            event = self.s.log.event + k
            events[k] = event.nodes, event.step, event.depth, event.free, event.bound, event.value
        self.s.log.count = 0
        return events

    def slots(self):
        """Return the scope of each multiplier; the stub documents it."""
        cdef Py_ssize_t k, c
        self.check_reader()
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
        is_paired = np.zeros(self.s.input.scopes, np.uint8)
        cdef uint8_t[::1] marks = is_paired
        cdef Py_ssize_t k
        for k in range(self.s.stars.cells):
            if self.s.stars.scope[k] >= 0:
                marks[self.s.stars.scope[k]] = 1
        return is_paired.view(bool)

    def record(self):
        """Return nodes, fixing steps and multipliers as flat arrays; the stub documents it."""
        from gapless_kernels.search import _record  # here, because that module imports this one

        self.begin_call()
        try:
            return _record.record_of(self)
        finally:
            self.end_call()

    @property
    def root_free(self):
        cdef Py_ssize_t e
        self.check_reader()
        bits = [self.s.fixings.root_alive[e >> 3] >> (e & 7) & 1 for e in range(self.s.input.decisions)]
        return np.array(bits, bool)

    @property
    def scored(self):
        return self.s.counts.scored

    @property
    def value(self):
        return self.s.incumbent.value

    @property
    def on(self):
        self.check_reader()
        if not self.s.incumbent.structure.count:
            return np.zeros(0, np.int64)
        on = np.array(<int32_t[: self.s.incumbent.structure.count]>self.s.incumbent.structure.on, np.int64)
        on.sort()
        return on

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
