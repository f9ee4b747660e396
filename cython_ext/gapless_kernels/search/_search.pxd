# cython: language_level=3
"""State of a search in C, and the object that owns it."""

from libc.stdint cimport int32_t, int64_t

from gapless_kernels.search.roles cimport gs_factor, gs_maximiser

cdef extern from "search/tree.h" nogil:
    enum: GS_IN_STAR, GS_REPEATED
    enum: GS_CHOICES, GS_PROVED, GS_TIME, GS_NODES, GS_NO_MEMORY, GS_STOPPED
    enum: GS_STEPS, GS_TARGET, GS_GAP, GS_EVENTS
    enum: GS_EVENT_CAPACITY, GS_ERROR_STATE, GS_ERROR_VALUE, GS_ERROR_BOUND, GS_ERROR_RAISED

    ctypedef int (*gs_score_source)(void *, const int32_t *, Py_ssize_t, double *) noexcept nogil

    ctypedef struct gs_event:
        int64_t nodes
        int32_t step, depth
        Py_ssize_t free
        double bound, value

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

    int gs_reserve(gs_search *, const gs_maximiser *, Py_ssize_t, Py_ssize_t)
    int gs_reserve_log(gs_search *)
    int gs_reserve_unknown(gs_search *)
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
    double gs_rounding_bound(const gs_search *)
    void gs_bound_current_node(gs_search *)
    void gs_offer_external(gs_search *, const gs_structure *)
    int gs_restart(gs_search *, const double *, const gs_structure *)
    void gs_free(gs_search *)


cdef class CompiledSearch:
    cdef gs_search s
    cdef int status
    cdef bint ready, running
    cdef unsigned long runner     # the thread that runs it
    cdef readonly object maximiser
    cdef readonly list blocks, factors
    cdef object asks, error
    cdef int32_t[::1] structure   # that the running call has taken
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
