# cython: language_level=3
"""The common ground of the search's modules: its state, and the object that holds it."""

from libc.stdint cimport int32_t, int64_t

from gapless_kernels.search.roles cimport gs_factor, gs_maximiser

cdef extern from "search/tree.h" nogil:
    enum: GS_IN_STAR, GS_REPEATED
    enum: GS_CHOICES, GS_PROVED, GS_TIME, GS_NODES, GS_NO_MEMORY, GS_STOPPED, GS_STEPS, GS_TARGET, GS_GAP, GS_EVENTS
    enum: GS_EVENT_ROOM, GS_BROKE_STATE, GS_BROKE_VALUE, GS_BROKE_BOUND, GS_RAISED

    ctypedef int (*gs_asks)(void *, const int32_t *, Py_ssize_t, double *) noexcept nogil

    ctypedef int32_t (*gs_chooses)(void *) noexcept nogil

    ctypedef struct gs_event:
        int64_t nodes
        int32_t step, depth
        Py_ssize_t free
        double bound, value

    ctypedef struct gs_star:
        int32_t group, uppers, lowers
        Py_ssize_t cell

    ctypedef struct gs_structure:
        int32_t *on
        Py_ssize_t count

    ctypedef struct gs_snapshot:
        double *split
        int32_t *place
        Py_ssize_t count

    ctypedef struct gs_record:
        int64_t parent
        int32_t decision, on, leaf_snapshot

    ctypedef struct gs_fixing:
        int64_t record
        int32_t snapshot
        int64_t first_off

    ctypedef struct gs_block:
        Py_ssize_t count, width, first
        const int64_t *members
        const double *scores

    ctypedef struct gs_node:
        double bound
        int64_t record, shown
        int32_t snapshot

    ctypedef struct gs_search:
        const gs_maximiser *maximiser
        Py_ssize_t decisions, groups, scopes, slots, stars, star_cells, shared, shared_slots, factor_slots, culprit, event_count
        int paper, lifted, order, keep_proof, choices, root_steps, root_trend, root_closed, proof_dropped, working, tell_steps
        double granularity, proof_limit, memory_limit, snapshot_bytes, value, excluded, saved_psi, largest_term
        int32_t *group
        int32_t *group_first
        int32_t *member
        gs_structure best, found
        signed char *state
        double *gap_of
        gs_event *events
        gs_chooses choose
        gs_star *star
        int32_t *star_scope
        int32_t *shared_scope
        Py_ssize_t *shared_first
        double *shared_score
        double *base
        unsigned char *unknown
        unsigned char *form
        int32_t *side
        unsigned char *root_alive
        gs_asks ask
        void *asker
        int64_t dp_calls, nodes, steps, fixed, enumerated, scored
        int failed, no_memory
        gs_snapshot *snapshots
        Py_ssize_t snapshot_count
        gs_record *records
        Py_ssize_t record_count
        gs_fixing *fixings
        Py_ssize_t fixing_count
        int32_t *offs
        Py_ssize_t off_count
        gs_node *open
        Py_ssize_t open_count
        gs_node *survivors
        Py_ssize_t survivor_count
        gs_node node
        int32_t saved, root_snapshot

    int gs_reserve(gs_search *, const gs_maximiser *, Py_ssize_t, Py_ssize_t)
    int gs_number(gs_search *)
    int gs_take_factors(gs_search *, const gs_factor *const *, Py_ssize_t)
    int gs_take_guides(gs_search *, const double *const *)
    int gs_take_blocks(gs_search *, const gs_block *, Py_ssize_t)
    int gs_start(gs_search *, const gs_structure *)
    void gs_turn_on(const gs_search *, unsigned char *, int32_t)
    int gs_advance(gs_search *, double, int64_t, int64_t, double, double)
    double gs_bound(const gs_search *)
    double gs_step_bound(const gs_search *)
    Py_ssize_t gs_free_decisions(const gs_search *)
    double gs_open_bytes(const gs_search *)
    double gs_proof_bytes(const gs_search *)
    double gs_lost(const gs_search *)
    void gs_settle(gs_search *)
    void gs_hold(gs_search *, const gs_structure *)
    int gs_restart(gs_search *, const double *, const gs_structure *)
    void gs_free(gs_search *)


cdef class Search:
    cdef gs_search s
    cdef int status
    cdef bint ready, running
    cdef unsigned long runner   # the thread that runs it
    cdef readonly object maximiser
    cdef readonly list blocks, factors
    cdef object asks, brancher, error
    cdef int32_t[::1] given
    cdef int take_structure(self, on, gs_structure *x) except -1
    cdef int mark_unknown(self, const unsigned char[::1] unasked) except -1
    cdef int take_groups(self, first, members) except -1
    cdef int take_factors(self, factors) except -1
    cdef int take_blocks(self) except -1
    cdef int check_failure(self) except -1
    cdef int claim_roles(self) except -1
    cdef int release_roles(self) except -1
    cdef int begin_call(self) except -1
    cdef int end_call(self) except -1
    cdef int check_reader(self) except -1
