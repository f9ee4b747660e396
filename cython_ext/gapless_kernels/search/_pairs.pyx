# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""A factor of scores of pairs, for the search."""

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search cimport roles
from gapless_kernels.search.roles cimport GS_FOUND

import numpy as np

cdef extern from "search/pairs.h" nogil:
    enum: GS_MOST_PAIRED, GS_PAIR_LANES

    double gs_pairs_maximise(
        const double *score, const double *half, int count, int width, const double *prices, const signed char *state, signed char *y
    )
    double gs_pairs_value(const double *score, int count, int width, const signed char *y)
    void gs_pairs_flips(const double *score, int count, int width, const signed char *y, double *difference)

_sets.follow()

MOST = GS_MOST_PAIRED


cdef class Pairs(roles.Factor):
    """Scores of pairs of a few decisions; see the stub."""

    cdef const double *score
    cdef const double *half
    cdef int width
    cdef object kept

    def __init__(self, scope, scores):
        kept = np.ascontiguousarray(scores, np.float64)
        count = len(self.scope)
        if not 1 <= count <= MOST:
            raise ValueError(f"scope must hold 1..{MOST} decisions, got {count}")
        if kept.shape != (count, count) or not np.isfinite(kept).all() or (kept != kept.T).any() or np.diagonal(kept).any():
            raise ValueError(f"scores must be a symmetric matrix ({count}, {count}) of finite numbers, 0 on the diagonal")
        width = -(-count // GS_PAIR_LANES) * GS_PAIR_LANES
        rows = np.zeros((2, count, width))
        rows[0, :, :count], rows[1, :, :count] = kept, 0.5 * np.maximum(kept, 0.0)
        rows[1, np.arange(count), np.arange(count)] = np.inf
        cdef const double[:, :, ::1] each = rows
        self.kept, self.width, self.score, self.half = rows, width, &each[0, 0, 0], &each[1, 0, 0]
        self.role.marginals = NULL  # a search for each decision would cost more than it fixes

    cdef int maximise(self, const double *prices, const signed char *state, double *value, signed char *y) noexcept nogil:
        value[0] = gs_pairs_maximise(self.score, self.half, <int>self.role.count, self.width, prices, state, y)
        return GS_FOUND

    cdef int value(self, const signed char *y, double *value) noexcept nogil:
        value[0] = gs_pairs_value(self.score, <int>self.role.count, self.width, y)
        return GS_FOUND

    cdef int flips(self, const signed char *y, double *difference) noexcept nogil:
        gs_pairs_flips(self.score, <int>self.role.count, self.width, y, difference)
        return GS_FOUND
