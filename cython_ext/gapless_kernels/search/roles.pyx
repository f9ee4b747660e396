# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The C-level roles of the search: what a subclass does not override is not there."""

import numpy as np

from gapless_kernels.lanes cimport _sets

_sets.follow()

FREE, OFF, ON = GS_FREE, GS_OFF, GS_ON
FOUND, NOTHING, FAILED = GS_FOUND, GS_NOTHING, GS_FAILED


cdef int call_maximise(
    void *object, int chart, const double *weights, const signed char *state, double *value, int32_t *on, Py_ssize_t *count
) noexcept nogil:
    return (<Maximiser>object).maximise(chart, weights, state, value, on, count)


cdef int call_marginals(
    void *object, const double *weights, const signed char *state, double *on, double *off
) noexcept nogil:
    return (<Maximiser>object).marginals(weights, state, on, off)


cdef int call_own(void *object, const int32_t *on, Py_ssize_t count, double *own) noexcept nogil:
    return (<Maximiser>object).own(on, count, own)


cdef int call_excludes(void *object, int32_t one, int32_t other) noexcept nogil:
    return (<Maximiser>object).excludes(one, other)


cdef class Maximiser:
    """A backbone for the search: see ``search/roles.h``, which says what each method does.

    A subclass in Cython overrides the methods and sets the sizes in ``role`` (`decisions`, `cells`, `cell`, `most_on`, `has_own`);
    ``role.marginals``, ``role.own`` and ``role.excludes`` may be set to NULL.
    """

    def __cinit__(self, *args, **kwargs):
        self.role.object = <void *>self
        self.role.maximise, self.role.marginals = call_maximise, call_marginals
        self.role.own, self.role.excludes = call_own, call_excludes

    cdef int maximise(self, int chart, const double *weights, const signed char *state, double *value, int32_t *on, Py_ssize_t *count) noexcept nogil:
        return GS_FAILED

    cdef int marginals(self, const double *weights, const signed char *state, double *on, double *off) noexcept nogil:
        return GS_FAILED

    cdef int own(self, const int32_t *on, Py_ssize_t count, double *own) noexcept nogil:
        own[0] = 0.0
        return GS_FOUND

    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil:
        return False


cdef int call_factor(void *object, const double *prices, const signed char *state, double *value, signed char *y) noexcept nogil:
    return (<Factor>object).maximise(prices, state, value, y)


cdef int call_value(void *object, const signed char *y, double *value) noexcept nogil:
    return (<Factor>object).value(y, value)


cdef int call_factor_marginals(
    void *object, const double *prices, const signed char *state, double *on, double *off
) noexcept nogil:
    return (<Factor>object).marginals(prices, state, on, off)


cdef int call_flips(void *object, const signed char *y, double *difference) noexcept nogil:
    return (<Factor>object).flips(y, difference)


cdef class Factor:
    """A factor for the search: see ``search/roles.h``, which says what each method does.

    Parameters
    ----------
    scope : int (count,)
        Its decisions.
    """

    def __cinit__(self, scope, *args, **kwargs):
        self._scope = np.array(scope, np.int32)
        self.scope = np.asarray(self._scope)
        self.role.object, self.role.count = <void *>self, self._scope.shape[0]
        self.role.scope = &self._scope[0] if self.role.count else NULL
        self.role.maximise, self.role.value = call_factor, call_value
        self.role.marginals, self.role.flips = call_factor_marginals, call_flips

    cdef int maximise(self, const double *prices, const signed char *state, double *value, signed char *y) noexcept nogil:
        return GS_FAILED

    cdef int value(self, const signed char *y, double *value) noexcept nogil:
        return GS_FAILED

    cdef int marginals(self, const double *prices, const signed char *state, double *on, double *off) noexcept nogil:
        return GS_FAILED

    cdef int flips(self, const signed char *y, double *difference) noexcept nogil:
        return GS_FAILED
