# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Walks of k vertices as a backbone of the search; their twin is `gapless_ordering.WalkMaximiser`.

Decision v is the edge from the source to vertex v, ``n + n u + v`` that from u to v, ``n + n n + v`` that to
the sink. A walk may come back to a vertex, so it is no path: its value counts each use of an edge, but an
edge that is on exactly once, and bounds all paths. Sets of edges have an internal score, 0, only if they are
a path. Two uses of one edge are listed once, and edges that are on always.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.string cimport memchr, memcpy

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search.roles cimport (
    GS_CHARTS, GS_FOUND, GS_FREE, GS_NOTHING, GS_ON, Maximiser, gs_maximiser
)

_sets.follow()

cdef extern from "lanes/lanes.h" nogil:
    void step_f64(const double *, const double *, Py_ssize_t, Py_ssize_t, const double *, double *) noexcept
    Py_ssize_t argmax_f64(const double *, Py_ssize_t) noexcept
    void offers_f64(const double *, const double *, Py_ssize_t, Py_ssize_t, double *) noexcept


cdef class Walks(Maximiser):
    """Walks of `length` among `vertices`; see the stub."""

    cdef Py_ssize_t n, k
    cdef int32_t[::1] classes, after, seen
    cdef double[:, :, ::1] messages
    cdef double[::1] masked, turned, sums, zeros, rest
    cdef double value, always
    cdef Py_ssize_t on_count

    def __init__(self, Py_ssize_t vertices, Py_ssize_t length, classes):
        if vertices < 1 or length < 1:
            raise ValueError(
                f"a walk has at least one vertex among one or more, got {length} among {vertices}"
            )
        given = np.array(classes, np.int32)
        if given.shape != (vertices,) or given.min() < 0 or given.max() >= vertices:
            raise ValueError(f"classes must be {vertices} numbers in 0..{vertices - 1}")
        cdef Py_ssize_t n = vertices
        self.n, self.k, self.classes = n, length, given
        self.messages = np.empty((GS_CHARTS, length, n))
        self.masked, self.turned = np.empty(n * n + 2 * n), np.empty(n * n)
        self.sums, self.zeros, self.rest = np.empty(n), np.zeros(n), np.empty(n)
        self.after, self.seen = np.empty(n, np.int32), np.empty(n, np.int32)
        self.role.size = sizeof(gs_maximiser)
        self.role.decisions = self.role.cells = n * n + 2 * n
        # The internal score, always 0, distinguishes paths from other sets of edges.
        self.role.most_on, self.role.has_internal_scores = 2 * (length + 1), True

    cdef const double *allowed(self, const double *weights, const signed char *state) noexcept nogil:
        """The weights, without what edges that are on leave out: a path goes through a vertex once.

        What is on is in every path, once: it weighs nothing here, and `always` is its weight.
        """
        cdef Py_ssize_t n = self.n, d, u, v, x, count = n * n + 2 * n
        cdef const void *at = memchr(state, GS_ON, count)
        cdef double *w = &self.masked[0]
        self.on_count, self.always = 0, 0.0
        if at == NULL:
            return weights
        memcpy(w, weights, count * sizeof(double))
        while at != NULL:
            d = <const signed char *>at - state
            self.on_count += 1 if weights[d] > -INFINITY else self.k + 2
            # The source is u = -1, the sink v = n: for one edge, nothing else leaves u or enters v.
            u = -1 if d < n else (d - n) // n if d < n + n * n else d - n - n * n
            v = d if d < n else (d - n) % n if d < n + n * n else n
            for x in range(n):
                if u < 0 and x != v:
                    w[x] = -INFINITY
                if u >= 0 and x != v:
                    w[n + u * n + x] = -INFINITY
                if v < n and x != u:
                    w[n + x * n + v] = -INFINITY
                if v == n and x != u:
                    w[n + n * n + x] = -INFINITY
            if u >= 0 and v < n:
                w[v] = w[n + n * n + u] = -INFINITY
            at = memchr(state + d + 1, GS_ON, count - d - 1)
        for d in range(count):
            if state[d] == GS_ON:
                self.always += weights[d]
                if w[d] > -INFINITY:
                    w[d] = 0.0
        return w

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil:
        cdef Py_ssize_t n = self.n, j, v, u, x
        cdef double own
        cdef const double *w = self.allowed(weights, state)
        cdef const double *out = w + n
        cdef double *message = &self.messages[chart, 0, 0]
        if self.on_count > self.k + 1:
            return GS_NOTHING
        memcpy(message, w, n * sizeof(double))
        for j in range(1, self.k):
            step_f64(message + (j - 1) * n, out, n, n, &self.zeros[0], message + j * n)
        offers_f64(message + (self.k - 1) * n, w + n + n * n, 1, n, &self.sums[0])
        v = argmax_f64(&self.sums[0], n)
        value[0] = self.sums[v] + self.always
        if value[0] == -INFINITY:
            return GS_NOTHING
        if chart == 0:
            self.value = value[0]
        on[0] = <int32_t>(n + n * n + v)
        count[0] = 1
        for j in range(self.k - 1, 0, -1):
            offers_f64(message + (j - 1) * n, out + v, n, n, &self.sums[0])
            u = argmax_f64(&self.sums[0], n)
            self.put(<int32_t>(n + u * n + v), on, count)
            v = u
        on[count[0]] = <int32_t>v
        count[0] += 1
        if self.on_count == 0:
            return GS_FOUND
        # What is on belongs to every path that agrees: edges that the walk passes by are listed, too.
        self.put_on(state, on, count)
        # A node without choices is exact: its edges are a path, or there is none.
        if self.decided(w, state) and self.internal_score(on, count[0], &own) != GS_FOUND:
            return GS_NOTHING
        return GS_FOUND

    cdef void put_on(self, const signed char *state, int32_t *on, Py_ssize_t *count) noexcept nogil:
        """List the edges that are on."""
        cdef Py_ssize_t total = self.role.decisions
        cdef const void *at = memchr(state, GS_ON, total)
        while at != NULL:
            self.put(<int32_t>(<const signed char *>at - state), on, count)
            at = memchr(<const signed char *>at + 1, GS_ON, total - (<const signed char *>at - state) - 1)

    cdef bint decided(self, const double *w, const signed char *state) noexcept nogil:
        """Whether no edge is left that is not on."""
        cdef Py_ssize_t d
        for d in range(self.role.decisions):
            if state[d] == GS_FREE and w[d] > -INFINITY:
                return False
        return True

    cdef inline void put(self, int32_t edge, int32_t *on, Py_ssize_t *count) noexcept nogil:
        """List an edge unless it is listed."""
        cdef Py_ssize_t c
        for c in range(count[0]):
            if on[c] == edge:
                return
        on[count[0]] = edge
        count[0] += 1

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t n = self.n, j, u, v, x
        cdef const double *w = self.allowed(weights, state)
        cdef const double *out = w + n
        cdef double *inner = on + n
        cdef double before
        for u in range(n):
            for v in range(n):
                self.turned[v * n + u] = out[u * n + v]
                inner[u * n + v] = -INFINITY
        memcpy(&self.rest[0], w + n + n * n, n * sizeof(double))
        for x in range(n):
            on[n + n * n + x] = self.messages[0, self.k - 1, x] + self.rest[x]
        for j in range(self.k - 1, 0, -1):
            for u in range(n):
                before = self.messages[0, j - 1, u]
                if before > -INFINITY:
                    for v in range(n):
                        inner[u * n + v] = max(inner[u * n + v], before + self.rest[v])
            step_f64(&self.rest[0], &self.turned[0], n, n, &self.zeros[0], &self.sums[0])
            memcpy(&self.rest[0], &self.sums[0], n * sizeof(double))
        for x in range(n):
            on[x] = w[x] + self.rest[x]
        for x in range(n * n):
            inner[x] += out[x]
        for x in range(self.role.decisions if self.on_count else 0):
            on[x] += self.always
        if off != NULL: # at most what any walk is worth
            for x in range(self.role.decisions):
                off[x] = self.value
        return GS_FOUND

    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *own) noexcept nogil:
        cdef Py_ssize_t n = self.n, c, v = -1, last = -1, places = 0
        own[0] = 0.0
        if count != self.k + 1:
            return GS_NOTHING
        for c in range(n):
            self.after[c] = self.seen[c] = -1
        for c in range(count):
            if on[c] < n:
                v = on[c] if v < 0 else n
            elif on[c] >= n + n * n:
                last = on[c] - n - n * n
            elif self.after[(on[c] - n) // n] < 0:
                self.after[(on[c] - n) // n] = <int32_t>((on[c] - n) % n)
        if v < 0 or v >= n:
            return GS_NOTHING
        while v >= 0:
            if self.seen[self.classes[v]] >= 0:
                return GS_NOTHING
            self.seen[self.classes[v]], places = 1, places + 1
            if self.after[v] < 0:
                break
            v = self.after[v]
        return GS_FOUND if v == last and places == self.k else GS_NOTHING

    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil:
        """Two edges out of one vertex, or into one class."""
        cdef Py_ssize_t n = self.n
        cdef Py_ssize_t a = -1 if one < n else (one - n) // n if one < n + n * n else one - n - n * n
        cdef Py_ssize_t b = -1 if other < n else (other - n) // n if other < n + n * n else other - n - n * n
        cdef Py_ssize_t c = one if one < n else (one - n) % n if one < n + n * n else n
        cdef Py_ssize_t d = other if other < n else (other - n) % n if other < n + n * n else n
        if one == other:
            return False
        return a == b or c == d or (c < n and d < n and self.classes[c] == self.classes[d])
