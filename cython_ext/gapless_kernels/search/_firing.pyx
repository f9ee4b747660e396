# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Scopes that fire, compiled; see the twin `_firing_twin` for what the function owes."""

from libc.stdint cimport int64_t

import numpy as np

from gapless_kernels._arguments import check_type


cdef Py_ssize_t first_with(const int64_t[:, ::1] scope, Py_ssize_t last, int64_t decision) noexcept:
    """The first scope whose last decision is this one or a later one, where these ascend."""
    cdef Py_ssize_t low = 0, high = scope.shape[0], middle
    while low < high:
        middle = (low + high) // 2
        if scope[middle, last] < decision:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint fires(const int64_t[:, ::1] scope, Py_ssize_t c, const unsigned char[::1] is_on) except -1:
    """Whether all decisions of a scope are on."""
    cdef Py_ssize_t k
    cdef int64_t d
    for k in range(scope.shape[1]):
        d = scope[c, k]
        if not 0 <= d < is_on.shape[0]:
            raise ValueError(f"scope {c} names the decision {d}, expected 0..{is_on.shape[0] - 1}")
        if not is_on[d]:
            return False
    return True


def firing(scopes, on, bint ascending=False):
    """Numbers of the scopes whose decisions are all on; see the twin."""
    check_type("scopes", scopes, np.int64)
    check_type("on", on, np.bool_)
    cdef const int64_t[:, ::1] scope = np.ascontiguousarray(scopes)
    cdef const unsigned char[::1] is_on = np.ascontiguousarray(on).view(np.uint8)
    cdef Py_ssize_t count = scope.shape[0], last = scope.shape[1] - 1, c, d
    cdef list found = []
    if not ascending or last < 0:
        for c in range(count):
            if fires(scope, c, is_on):
                found.append(c)
        return np.array(found, np.int64)
    for d in range(is_on.shape[0]):
        if is_on[d]:
            c = first_with(scope, last, d)
            while c < count and scope[c, last] == d:
                if fires(scope, c, is_on):
                    found.append(c)
                c += 1
    return np.array(found, np.int64)
