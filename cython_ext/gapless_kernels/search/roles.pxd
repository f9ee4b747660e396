# cython: language_level=3
"""The C-level roles of the search, whose methods subclasses override and the search calls without the GIL."""

from libc.stdint cimport int32_t

cdef extern from "search/roles.h" nogil:
    enum: GS_FREE, GS_OFF, GS_ON, GS_FOUND, GS_NOTHING, GS_FAILED, GS_CHARTS

    ctypedef struct gs_maximiser:
        size_t size
        void *object
        Py_ssize_t decisions, cells
        const Py_ssize_t *cell
        Py_ssize_t most_on
        int has_internal_scores, costly
        const int32_t *conflict
        int (*maximise)(
            void *, int, const double *, const signed char *, double *, int32_t *, Py_ssize_t *
        ) noexcept nogil
        int (*marginals)(void *, const double *, const signed char *, double *, double *) noexcept nogil
        int (*internal_score)(void *, const int32_t *, Py_ssize_t, double *) noexcept nogil
        int (*excludes)(void *, int32_t, int32_t) noexcept nogil

    ctypedef struct gs_factor:
        size_t size
        void *object
        Py_ssize_t count
        const int32_t *scope
        int costly
        int (*maximise)(void *, const double *, const signed char *, double *, signed char *) noexcept nogil
        int (*value)(void *, const signed char *, double *) noexcept nogil
        int (*marginals)(void *, const double *, const signed char *, double *, double *) noexcept nogil
        int (*flips)(void *, const signed char *, double *) noexcept nogil


cdef class Role:
    cdef object error  # stored by a method that returns GS_FAILED, raised by the search
    cdef bint busy     # whether a search is calling it


cdef class Maximiser(Role):
    cdef gs_maximiser role
    cdef object conflicts  # the array behind `role.conflict`, if one was taken
    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil
    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil
    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *score) noexcept nogil
    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil


cdef class Factor(Role):
    cdef gs_factor role
    cdef readonly object scope
    cdef int maximise(
        self, const double *prices, const signed char *state, double *value, signed char *y
    ) noexcept nogil
    cdef int value(self, const signed char *y, double *value) noexcept nogil
    cdef int marginals(
        self, const double *prices, const signed char *state, double *on, double *off
    ) noexcept nogil
    cdef int flips(self, const signed char *y, double *difference) noexcept nogil


cdef int check_maximiser(Maximiser maximiser) except -1
cdef int check_factor(Factor factor) except -1
cdef int fail(Role role, error) noexcept
