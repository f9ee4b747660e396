# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Compiled hop distances in large graphs; `_graph_distances_twin` documents the contracts."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stddef cimport ptrdiff_t, size_t
from libc.stdint cimport UINT8_MAX, UINT16_MAX, UINT32_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy as np

from gapless_kernels._arguments import owned
from gapless_kernels.graphs._graph_distances_arguments import check_graph, check_search, vertex_cover
from gapless_kernels.lanes cimport _sets

_sets.follow()

cdef extern from "graphs/distances.h" nogil:
    enum:
        GRAPH_DEPTH
    ctypedef struct graph_waves:
        ptrdiff_t n
        const int64_t *offsets
        const int32_t *neighbours
        ptrdiff_t clique_count
        const int64_t *clique_first
        const int32_t *clique_members
        uint64_t *rows
        int32_t *front
        uint64_t *front_bits
        ptrdiff_t front_count
        int64_t front_edges
        int32_t *next
        int32_t *touched
        int32_t *listed
        int32_t *list_index
        ptrdiff_t target_count
        ptrdiff_t layers
        ptrdiff_t *layer
        int64_t *layer_edges
        uint64_t *live
        uint64_t *open
        ptrdiff_t points
        void *table
        int bytes
        int too_far
        int64_t open_pairs
        ptrdiff_t front_kept
        ptrdiff_t next_count
        uint64_t *grow
        uint32_t *radius
        int64_t *cost
        int64_t *waiting
    ctypedef struct graph_steps:
        ptrdiff_t words
        ptrdiff_t (*push)(graph_waves *, ptrdiff_t) noexcept nogil
        ptrdiff_t (*pull)(graph_waves *, ptrdiff_t) noexcept nogil
        void (*push_cliques)(graph_waves *, const uint64_t *) noexcept nogil
        void (*settle)(graph_waves *) noexcept nogil
        ptrdiff_t (*gather)(
            graph_waves *, ptrdiff_t, ptrdiff_t, int, const uint64_t *, uint64_t *
        ) noexcept nogil
        void (*gather_cliques)(graph_waves *, ptrdiff_t, const uint64_t *, uint64_t *) noexcept nogil
        void (*start)(graph_waves *, const int32_t *, ptrdiff_t) noexcept nogil
        void (*clear)(graph_waves *) noexcept nogil
        ptrdiff_t (*grow)(graph_waves *, ptrdiff_t) noexcept nogil
        ptrdiff_t (*meet)(graph_waves *, ptrdiff_t, int) noexcept nogil
        void (*rest)(graph_waves *) noexcept nogil
    const graph_steps *graph_steps_for(ptrdiff_t) noexcept
    void graph_list_targets(graph_waves *, const int32_t *, ptrdiff_t) noexcept
    void graph_extend_layers(graph_waves *) noexcept
    void graph_clear_layers(graph_waves *) noexcept
    bint graph_choose_growing(graph_waves *, ptrdiff_t) noexcept
    void graph_count_steps(graph_waves *) noexcept
    int64_t graph_open_pairs(
        graph_waves *, ptrdiff_t, const void *, int, ptrdiff_t, const int64_t *, ptrdiff_t, const int64_t *
    ) noexcept
    int64_t graph_record_found(
        graph_waves *, ptrdiff_t, void *, int, ptrdiff_t,
        const int64_t *, const int64_t *, const uint64_t *, uint32_t
    ) noexcept

cdef enum:
    # The last pairs of each batch, at most one in so many, are left to one final search over all batches.
    LEFTOVER_SHARE = 16
    # A push may cost this many times as much as a gather, because a gather is repeated at the next level.
    MAX_PUSH_RATIO = 2
    # From this share of all edges in the front on, one in so many, vertices pull bits instead.
    PULL_SHARE = 3


cdef class Search:
    """Search one graph; see `_graph_distances_twin.WaveSearch`."""

    cdef graph_waves waves
    cdef const graph_steps *steps
    cdef const int64_t[::1] offsets
    cdef const int32_t[::1] neighbours
    # The arrays of `waves`, which points into them.
    cdef int32_t[:, ::1] lists
    cdef uint64_t[::1] rows, front_bits, open, near, far
    cdef bint busy
    cdef readonly ptrdiff_t words

    def __cinit__(self, offsets, neighbours):
        self.offsets, self.neighbours = check_graph(offsets, neighbours)
        cdef ptrdiff_t n = self.offsets.shape[0] - 1
        cdef graph_waves *waves = &self.waves
        waves.n = n
        waves.offsets = &self.offsets[0]
        waves.neighbours = &self.neighbours[0] if self.neighbours.shape[0] else NULL
        self.lists = np.empty((5, n + 1), np.int32)
        waves.front, waves.next, waves.touched = &self.lists[0, 0], &self.lists[1, 0], &self.lists[2, 0]
        waves.listed, waves.list_index = &self.lists[3, 0], &self.lists[4, 0]
        self.lists[4, :] = -1
        self.open = self.near = self.far = np.empty(0, np.uint64)

    cdef int widen(self, ptrdiff_t words) except -1:
        """Allocate rows of `words` words, all zero."""
        if words == self.words:
            return 0
        self.words, self.rows, self.front_bits = 0, None, None
        self.rows = np.zeros((self.waves.n + 1) * 2 * words, np.uint64)
        self.front_bits = np.empty((self.waves.n + 1) * words, np.uint64)
        self.waves.rows, self.waves.front_bits = &self.rows[0], &self.front_bits[0]
        self.words = words
        self.steps = graph_steps_for(words)
        return 0

    cdef uint64_t *near_buffer(self, ptrdiff_t which, ptrdiff_t count) except NULL:
        """Return the output buffer of a gather; its contents are lost."""
        if which:
            self.far = self.enlarged(self.far, count)
            return &self.far[0]
        self.near = self.enlarged(self.near, count)
        return &self.near[0]

    cdef uint64_t[::1] enlarged(self, uint64_t[::1] buffer, ptrdiff_t rows):
        """Return the buffer if it holds so many rows, otherwise a larger one."""
        if 0 < buffer.shape[0] >= rows * self.words:
            return buffer
        return np.empty(2 * rows * self.words + 1, np.uint64)

    cdef int open_for(self, ptrdiff_t targets) except -1:
        """Allocate the open pairs of the targets."""
        self.open = self.enlarged(self.open, targets)
        self.waves.open = &self.open[0]
        return 0

    cdef int push(self) except -1:
        """Advance the waves by one level."""
        cdef ptrdiff_t index = 0
        cdef bint dense = PULL_SHARE * self.waves.front_edges > self.neighbours.shape[0]
        cdef ptrdiff_t end = self.waves.n if dense else self.waves.front_count
        while index < end:
            with nogil:
                index = self.steps.pull(&self.waves, index) if dense else self.steps.push(&self.waves, index)
            PyErr_CheckSignals()
        with nogil:
            self.steps.push_cliques(&self.waves, self.waves.live)
            self.steps.settle(&self.waves)
        return 0

    cdef const uint64_t *gather(self, ptrdiff_t depth) except? NULL:
        """Collect the sources that reach each target in `depth` further steps."""
        cdef const uint64_t *arrived = NULL
        cdef uint64_t *to
        cdef ptrdiff_t j, index
        for j in range(depth - 1, -1, -1):
            index = 0
            to = self.near_buffer(j & 1, self.waves.layer[j])
            while index < self.waves.layer[j]:
                with nogil:
                    index = self.steps.gather(&self.waves, index, self.waves.layer[j], j == 0, arrived, to)
                PyErr_CheckSignals()
            self.steps.gather_cliques(&self.waves, self.waves.layer[j], arrived, to)
            arrived = to
        return arrived

    cdef bint deeper(self, ptrdiff_t depth) noexcept:
        """Whether the next level is cheaper by a deeper gather than by a push."""
        cdef ptrdiff_t layer = depth if depth < self.waves.layers else self.waves.layers - 1
        if depth >= GRAPH_DEPTH or self.waves.front_edges <= MAX_PUSH_RATIO * self.waves.layer_edges[layer]:
            return False
        if depth >= self.waves.layers:
            with nogil:
                graph_extend_layers(&self.waves)
        return self.waves.front_edges > MAX_PUSH_RATIO * self.waves.layer_edges[depth]

    cdef int wave(self, points, sources, targets, table, bint leave) except -1:
        """Find the distances that `table` does not know, from sources to targets.

        If `leave`, the search ends when few pairs remain; otherwise no path joins the pairs that remain.
        Raises OverflowError if the table cannot hold a distance.
        """
        cdef const int64_t[::1] source = sources, target = targets
        cdef const int32_t[::1] from_vertices = points[sources], to_vertices = points[targets]
        cdef uint8_t[:, ::1] entries = table.view(np.uint8)
        cdef int size = table.itemsize
        cdef ptrdiff_t p = table.shape[0], depth = 0
        cdef uint32_t level = 0, largest
        cdef int64_t remaining, leftover = 0
        cdef const uint64_t *arrived
        largest = UINT8_MAX if size == 1 else UINT16_MAX if size == 2 else UINT32_MAX
        try:
            graph_list_targets(&self.waves, &to_vertices[0], target.shape[0])
            self.open_for(target.shape[0])
            remaining = graph_open_pairs(
                &self.waves, self.words, &entries[0, 0], size, p, &source[0], source.shape[0], &target[0]
            )
            if leave:
                leftover = remaining // LEFTOVER_SHARE
            self.steps.start(&self.waves, &from_vertices[0], source.shape[0])
            self.steps.settle(&self.waves)
            while remaining > leftover and self.waves.front_count:
                level += 1
                if level == largest:
                    raise OverflowError(level)
                if self.deeper(depth):
                    depth += 1
                else:
                    self.push()
                arrived = self.gather(depth)
                remaining -= graph_record_found(
                    &self.waves, self.words, &entries[0, 0], size, p, &source[0], &target[0], arrived, level
                )
            return 0
        finally:
            self.steps.clear(&self.waves)
            graph_clear_layers(&self.waves)

    cdef int meetings(self, points, table) except -1:
        """Find all distances by balls around the points; 0 if the table cannot hold one."""
        cdef const int32_t[::1] vertices = points
        cdef const int64_t[::1] all_points = np.arange(len(points))
        cdef uint8_t[:, ::1] entries = table.view(np.uint8)
        cdef graph_waves *waves = &self.waves
        cdef ptrdiff_t index, p = vertices.shape[0]
        cdef int fresh
        waves.points, waves.table, waves.bytes, waves.too_far = p, &entries[0, 0], table.itemsize, 0
        memset(waves.radius, 0, p * sizeof(uint32_t))
        memset(waves.cost, 0, p * sizeof(int64_t))
        memset(waves.waiting, 0, p * sizeof(int64_t))
        try:
            self.open_for(p)
            waves.target_count = p
            graph_open_pairs(
                waves, self.words, waves.table, waves.bytes, p, &all_points[0], p, &all_points[0]
            )
            waves.target_count = waves.front_kept = 0
            waves.open_pairs = p * (p - 1) // 2
            self.steps.start(waves, &vertices[0], p)
            self.steps.rest(waves)
            while graph_choose_growing(waves, self.words) and not waves.too_far:
                index = waves.front_kept = 0
                while index < waves.front_count:
                    with nogil:
                        index = self.steps.grow(waves, index)
                    PyErr_CheckSignals()
                self.steps.push_cliques(waves, waves.grow)
                for fresh in range(2):
                    index = 0
                    while index < waves.next_count and waves.open_pairs:
                        with nogil:
                            index = self.steps.meet(waves, index, fresh)
                        PyErr_CheckSignals()
                if not waves.open_pairs:
                    break
                graph_count_steps(waves)
                with nogil:
                    self.steps.rest(waves)
            return not waves.too_far
        finally:
            self.steps.clear(waves)

    def distances(self, points, clique_first, clique_members, table, words):
        """Fill a table; see `_graph_distances_twin.WaveSearch.distances`."""
        if all(array.flags.c_contiguous for array in (points, clique_first, clique_members)):
            points, clique_first, clique_members = owned(points, clique_first, clique_members)
        check_search(self.waves.n, points, clique_first, clique_members, table, words)
        if self.busy:
            raise RuntimeError(
                "this search of a graph is running in another thread; give each thread its own"
            )
        self.busy = True
        try:
            return self.fill(points, clique_first, clique_members, table, words)
        finally:
            self.busy = False

    cdef bint fill(self, points, clique_first, clique_members, table, words) except -1:
        """Fill the table; the arguments were checked."""
        cdef const int64_t[::1] first = clique_first
        cdef const int32_t[::1] members = clique_members
        self.waves.clique_count = first.shape[0] - 1
        self.waves.clique_first = &first[0]
        self.waves.clique_members = &members[0] if members.shape[0] else NULL
        self.widen(words)
        p, width, unknown = len(points), 64 * words, np.iinfo(table.dtype).max
        table[...] = unknown
        np.fill_diagonal(table, 0)
        if p <= width:
            return p < 2 or bool(self.meetings(points, table))
        try:
            for start in range(0, p, width):
                sources = np.arange(start, min(start + width, p))
                self.wave(points, sources, np.arange(start, p), table, True)
            cover = vertex_cover(table == unknown)
            for start in range(0, cover.size, width):
                sources = cover[start : start + width]
                targets = np.flatnonzero((table[sources] == unknown).any(axis=0))
                if targets.size:
                    self.wave(points, sources, targets, table, False)
        except OverflowError:
            return False
        return True


def graph_search(offsets, neighbours):
    """Prepare the search of a graph; see `_graph_distances_twin.graph_search`."""
    return Search(offsets, neighbours)


def graph_components(offsets, neighbours):
    """Number the connected components; see `_graph_distances_twin.graph_components`."""
    cdef const int64_t[::1] first
    cdef const int32_t[::1] near
    first, near = check_graph(offsets, neighbours)
    cdef Py_ssize_t n = first.shape[0] - 1, root, v, e, head = 0, tail = 0
    labels, queue = np.full(n, -1, np.int32), np.empty(n, np.int32)
    cdef int32_t[::1] label = labels, waiting = queue
    cdef int32_t count = 0
    with nogil:
        for root in range(n):
            if label[root] >= 0:
                continue
            label[root] = count
            waiting[tail] = <int32_t>root
            tail += 1
            while head < tail:
                v = waiting[head]
                head += 1
                for e in range(first[v], first[v + 1]):
                    if label[near[e]] < 0:
                        label[near[e]] = count
                        waiting[tail] = near[e]
                        tail += 1
            count += 1
    return labels
