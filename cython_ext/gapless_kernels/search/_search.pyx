# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The one search: branch and bound over decisions, a maximiser, and what scores sets of decisions; the headers say what they do."""

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
EVENT = np.dtype([("nodes", "i8"), ("step", "?"), ("depth", "i4"), ("free", "i8"), ("bound", "f8"), ("value", "f8")])


cdef int ask_scores(void *asker, const int32_t *scopes, Py_ssize_t count, double *scores) noexcept with gil:
    """Ask the search's callable; what it raises is kept for `advance` to raise."""
    cdef Search search = <Search>asker
    cdef const double[::1] given
    try:
        answers = np.array(search.asks(np.array(<const int32_t[:count]>scopes, np.int64)), np.float64)
        if answers.shape != (count,) or not np.isfinite(answers).all():
            raise ValueError(f"ask gave {np.shape(answers)} for {count} scopes, expected as many finite scores")
        given = answers
    except BaseException as error:
        search.error = error
        return 1
    memcpy(scores, &given[0], count * sizeof(double))
    return 0


cdef int32_t choose_decision(void *asker) noexcept with gil:
    """Ask the search's brancher; what it raises is kept for `advance` to raise."""
    cdef Search search = <Search>asker
    cdef Py_ssize_t count = search.s.decisions
    try:
        found = np.array([search.s.found.on[k] for k in range(search.s.found.count)], np.int64)
        state = np.array(<signed char[:count]>search.s.state, np.int8)
        chosen = search.brancher(found, state, np.array(<double[:count]>search.s.gap_of))
        if not (isinstance(chosen, (int, np.integer)) and 0 <= chosen < count and state[chosen] == roles.GS_FREE):
            raise ValueError(f"the brancher chose {chosen!r}, expected a decision in 0..{count - 1} that is free")
        return chosen
    except BaseException as error:
        search.error, search.s.failed, search.s.culprit = error, GS_RAISED, -1
        return -1


cdef bint plain(given, kind):
    """Whether it is such an array as compiled code reads, of one axis."""
    return isinstance(given, np.ndarray) and given.dtype == kind and given.ndim == 1 and given.flags.c_contiguous


cdef class Search:
    """The best structure under weights and scores of sets of decisions; see the stub for parameters and attributes."""

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
        brancher=None,
        events=None,
        on=None,
        double largest_term=0.0,
    ):
        if self.s.group != NULL:
            raise RuntimeError("this search was set up before; make another")
        roles.check_maximiser(maximiser)
        check_options(
            {
                "variant": variant, "order": order, "granularity": granularity, "choices": choices, "root_steps": root_steps,
                "root_trend": root_trend, "memory_limit": memory_limit,
            },
            GS_CHOICES,
        )
        cdef Py_ssize_t decisions = maximiser.role.decisions, e, total
        cdef const double[::1] weights = base if plain(base, np.float64) and len(base) == decisions else checked_weights(base, decisions)
        cdef bint odd = False
        self.maximiser, self.error = maximiser, None
        self.blocks = list(blocks) if checked else [checked_block(k, *block, decisions) for k, block in enumerate(blocks)]
        total = sum(len(scores) for _, scores in self.blocks)
        self.s.paper, self.s.order = variant == "paper", ORDERS.index(order)
        if self.s.paper:
            self.s.order = ORDERS.index("breadth-first")
        self.s.choices = 0 if self.s.paper else choices
        self.s.lifted = bool(lifted) and not self.s.paper and maximiser.role.excludes != NULL
        self.s.root_steps, self.s.root_trend, self.s.largest_term = root_steps, root_trend, largest_term
        self.s.keep_proof, self.s.granularity = bool(keep_proof), granularity
        # Half is for multipliers, the proof's among them, half for open nodes.
        self.s.memory_limit, self.s.proof_limit = memory_limit, min(proof_limit, 0.5 * memory_limit)
        first, members = group_first, groups
        if not (plain(first, np.int64) and plain(members, np.int64) and len(first) and first[0] == 0 and first[-1] == len(members)):
            first, members = checked_groups(first, members, decisions)
        if max(decisions, len(first), sum(scopes.size for scopes, _ in self.blocks)) >= 2**31:
            raise ValueError(f"{total} scopes over {decisions} decisions are more than 32-bit numbers can count")
        if not gs_reserve(&self.s, &maximiser.role, len(first) - 1, total):
            raise MemoryError("no memory for the decisions")
        for e in range(decisions):
            odd |= not (weights[e] < 1e300 and (weights[e] > -1e300 or weights[e] == -INFINITY))
            self.s.base[e] = weights[e]
        if odd:
            checked_weights(base, decisions)  # which says where
        self.take_groups(first, members)
        self.asks = ask
        self.s.ask, self.s.asker = ask_scores, <void *>self
        self.brancher = brancher
        if brancher is not None:
            self.s.choose = choose_decision
        if events not in (None, "nodes", "steps"):
            raise ValueError(f"events must be None, 'nodes' or 'steps', got {events!r}")
        if events is not None:
            self.s.events = <gs_event *>calloc(GS_EVENT_ROOM, sizeof(gs_event))
            if self.s.events == NULL:
                raise MemoryError("no memory for events")
        self.s.tell_steps = events == "steps"
        self.take_factors(factors)
        if guides is not None and not self.s.paper:
            self._take_guides(guides)
        if unknown is not None:
            self.mark_unknown(np.ascontiguousarray(unknown, np.bool_).view(np.uint8))
        self.take_blocks()
        cdef gs_structure known
        cdef bint given = self.take_structure(incumbent, &known)
        for e in () if on is None else on:
            if not 0 <= e < decisions or weights[e] == -float("inf"):
                raise ValueError(f"on names decision {e}, expected decisions in 0..{decisions - 1} that can be on")
            if self.s.group[e] < 0:
                gs_turn_on(&self.s, self.s.root_alive, <int32_t>e)
        self.claim_roles()
        try:
            if not gs_start(&self.s, &known if given else NULL):
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
        cdef bint odd = False
        for e in range(self.s.decisions):
            self.s.group[e] = -1
        for g in range(begin.shape[0] - 1):
            odd |= not 0 <= begin[g] <= begin[g + 1] <= each.shape[0]
            for k in range(0 if odd else begin[g], 0 if odd else begin[g + 1]):
                odd |= not 0 <= each[k] < self.s.decisions or self.s.group[each[k]] >= 0
                if odd:
                    break
                self.s.group[each[k]] = <int32_t>g
        if odd:
            checked_groups(first, members, self.s.decisions)  # which says where
        if not gs_number(&self.s):
            raise MemoryError("no memory for the decisions")
        return 0

    cdef int take_structure(self, on, gs_structure *x) except -1:
        """Whether there is a structure; its decisions stay in `given`."""
        if on is None:
            return 0
        if self.s.decisions == 0:
            self.given = np.zeros(1, np.int32)
        else:
            self.given = np.append(
                checked_structure(
                    on, np.asarray(<int32_t[: self.s.decisions]>self.s.group), np.asarray(<double[: self.s.decisions]>self.s.base)
                ),
                np.int32(0),
            )
        x.on, x.count = &self.given[0], self.given.shape[0] - 1
        return 1

    cdef int mark_unknown(self, const unsigned char[::1] unasked) except -1:
        """Single decisions are weights from the start, so that they must be known."""
        cdef Py_ssize_t c, first = 0
        if unasked.shape[0] != self.s.scopes or self.s.paper or self.asks is None:
            raise ValueError(f"unknown must hold {self.s.scopes} booleans, beside ask, for the default variant")
        self.s.unknown = <unsigned char *>calloc(unasked.shape[0] + 1, 1)
        if self.s.unknown == NULL:
            raise MemoryError("no memory for the scopes")
        for scopes, scores in self.blocks:
            if len(scores) and scopes.shape[1] == 1 and np.asarray(unasked[first : first + len(scores)]).any():
                raise ValueError("a scope of one decision must be known")
            first += len(scores)
        for c in range(unasked.shape[0]):
            self.s.unknown[c] = unasked[c] != 0
        return 0

    cdef int take_factors(self, factors) except -1:
        cdef Py_ssize_t f, count
        cdef roles.Factor factor
        self.factors, count = list(factors), len(factors)
        if count and self.s.paper:
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
                check_scope(f, np.asarray(factor.scope), self.s.decisions)
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
                    raise ValueError(f"the guide of factor {f} must hold a finite number for each decision of its scope")
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
        if not done and self.s.slots:
            raise ValueError(f"the scopes need {self.s.slots} multipliers: more than 32-bit numbers can count")
        if not done:
            raise MemoryError("no memory for the scopes")
        return 0

    cdef int check_failure(self) except -1:
        """Raise what ended the search, if something did."""
        if not self.s.failed:
            return 0
        cdef roles.Maximiser maximiser = self.maximiser
        cdef roles.Factor factor
        if self.error is None and self.s.culprit < 0:
            self.error = maximiser.error
        elif self.error is None:
            factor = self.factors[self.s.culprit]
            self.error = factor.error
            if self.error is not None:
                with contextlib.suppress(Exception):
                    self.error.culprit = self.s.culprit
        if self.error is not None:
            raise self.error
        if self.s.culprit < 0:
            name = type(getattr(maximiser, "maximiser", maximiser)).__name__
            broken = "breaks a choice group"
        else:
            name = f"factor {self.s.culprit} ({type(getattr(factor, 'factor', factor)).__name__})"
            broken = "is none"
        kind, said = RuntimeError, "failed and kept no error"
        if self.s.failed == GS_BROKE_STATE:
            kind, said = ValueError, f"gave a structure that breaks the state or {broken}"
        elif self.s.failed == GS_BROKE_VALUE:
            kind, said = ValueError, "gave a value that its structure does not have"
        elif self.s.failed == GS_BROKE_BOUND:
            kind, said = ValueError, "has a better structure than the one it called the best"
        self.error = kind(f"{name} {said}")
        self.error.culprit, self.error.said = self.s.culprit, said
        raise self.error

    cdef int claim_roles(self) except -1:
        """Refuse roles that another search is calling now; others may be shared by searches that take turns."""
        cdef roles.Maximiser maximiser = self.maximiser
        cdef roles.Factor factor
        cdef bint busy = maximiser.busy
        for factor in self.factors:
            busy |= factor.busy
        if busy:
            raise RuntimeError("a role of this search is at work for another one; give each search roles of its own")
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
        """Refuse a call that would change the search while another one runs: from a role, `ask` or `brancher`, or in another thread."""
        if not self.ready:
            raise RuntimeError("this search was not set up")
        if self.running:
            raise RuntimeError(
                "this search is running: a role, ask or brancher that it calls can look at it but not change it, and another "
                "thread has to wait"
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
        self, double seconds=1e9, int64_t nodes=2**62, int64_t steps=2**62, double target=float("inf"), double gap=0.0
    ):
        """Work on until something is spent, reached or met; the status: see the stub."""
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

    def hold(self, incumbent):
        """Keep a structure from outside if it is the best so far; see the stub."""
        cdef gs_structure known
        self.begin_call()
        try:
            if not self.take_structure(incumbent, &known):
                return
            with nogil:
                gs_hold(&self.s, &known)
        finally:
            self.end_call()
        self.check_failure()

    def restart(self, multipliers, incumbent=None):
        """Begin again at the root with other multipliers; see the stub."""
        cdef const double[::1] split = np.array(multipliers, np.float64)
        cdef gs_structure known
        cdef bint given
        cdef int done = 1
        self.begin_call()
        try:
            given = self.take_structure(incumbent, &known)
            if split.shape[0] != self.s.slots or not np.isfinite(split).all():
                raise ValueError(f"multipliers must be {self.s.slots} finite numbers, got shape {np.shape(multipliers)}")
            if self.s.slots:
                with nogil:
                    done = gs_restart(&self.s, &split[0], &known if given else NULL)
        finally:
            self.end_call()
        if not done:
            raise MemoryError("no memory for the root")
        self.check_failure()

    def settle(self):
        """Bound the node in work by its latest multipliers, where a proof is kept."""
        self.begin_call()
        try:
            if self.s.failed:
                return
            with nogil:
                gs_settle(&self.s)
        finally:
            self.end_call()
        self.check_failure()

    def events(self):
        """Events since this was last asked; see the stub."""
        cdef Py_ssize_t k
        self.check_reader()
        told = [
            (
                self.s.events[k].nodes, self.s.events[k].step, self.s.events[k].depth, self.s.events[k].free, self.s.events[k].bound,
                self.s.events[k].value,
            )
            for k in range(self.s.event_count)
        ]
        self.s.event_count = 0
        return np.array(told, EVENT)

    def slots(self):
        """Scope of each multiplier of the search; see the stub."""
        cdef Py_ssize_t k, c
        self.check_reader()
        scopes, places = np.full(self.s.slots, -1, np.int64), np.zeros(self.s.slots, np.int64)
        cdef int64_t[::1] scope = scopes, place = places
        for k in range(self.s.star_cells):
            scope[k] = max(self.s.star_scope[k], -1)
        for c in range(self.s.shared):
            for k in range(self.s.shared_first[c], self.s.shared_first[c + 1]):
                scope[self.s.star_cells + k] = self.s.shared_scope[c]
                place[self.s.star_cells + k] = k - self.s.shared_first[c]
        return scopes, places

    def grouped(self):
        """For each scope whether it is a pair in a star, bool (scopes,)."""
        self.check_reader()
        found = np.zeros(self.s.scopes, np.uint8)
        cdef uint8_t[::1] marks = found
        cdef Py_ssize_t k
        for k in range(self.s.star_cells):
            if self.s.star_scope[k] >= 0:
                marks[self.s.star_scope[k]] = 1
        return found.view(bool)

    def record(self):
        """Nodes, fixing steps and multipliers as flat arrays; see the stub."""
        from gapless_kernels.search import _record  # which stands on this module

        self.begin_call()
        try:
            return _record.record_of(self)
        finally:
            self.end_call()

    @property
    def root_free(self):
        cdef Py_ssize_t e
        self.check_reader()
        return np.array([self.s.root_alive[e >> 3] >> (e & 7) & 1 for e in range(self.s.decisions)], bool)

    @property
    def scored(self):
        return self.s.scored

    @property
    def value(self):
        return self.s.value

    @property
    def on(self):
        self.check_reader()
        if not self.s.best.count:
            return np.zeros(0, np.int64)
        found = np.array(<int32_t[: self.s.best.count]>self.s.best.on, np.int64)
        found.sort()
        return found

    @property
    def bound(self):
        self.check_reader()
        return gs_bound(&self.s)

    @property
    def working(self):
        return bool(self.s.working)

    @property
    def step_bound(self):
        return gs_step_bound(&self.s)

    @property
    def free(self):
        self.check_reader()
        return gs_free_decisions(&self.s)

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
        return self.status == GS_PROVED and self.s.value == -float("inf")

    @property
    def proof_dropped(self):
        return bool(self.s.proof_dropped)

    @property
    def memory(self):
        return gs_open_bytes(&self.s) + gs_proof_bytes(&self.s)

    @property
    def order(self):
        return ORDERS[self.s.order]

    @property
    def lost(self):
        return gs_lost(&self.s)
