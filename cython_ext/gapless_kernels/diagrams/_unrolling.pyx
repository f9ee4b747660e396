# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Layered graphs from the steps of their layers; see the twin `_unrolling_twin` for what it owes."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.lanes.arrays cimport address

_sets.follow()

cdef extern from "diagrams/unrolling.h" nogil:
    ctypedef struct gu_block:
        int64_t at, score_at
        double constant

    ctypedef struct gu_layer:
        int64_t width, kept, first, choices

    ctypedef struct gu_unrolling:
        gu_layer *layer
        gu_block *block
        int32_t *target
        double *score
        int64_t layers, blocks, targets, scores

    ctypedef struct gu_graph:
        int64_t *sources
        int64_t *counts
        int64_t *target_at
        int64_t *score_at
        double *constants
        int32_t *targets
        double *scores
        int64_t target_count, score_count

    gu_layer *gu_new_layer(gu_unrolling *, int64_t, int64_t)
    int gu_take_scores(gu_unrolling *, gu_block *, const double *, int64_t, double, int *)
    void gu_range(const int64_t *, int64_t, int64_t *, int64_t *)
    int64_t gu_number(gu_unrolling *, gu_layer *, const int64_t *const *, int64_t, int64_t *)
    void gu_keep_layer(gu_unrolling *, const gu_layer *)
    void gu_forbid(gu_unrolling *, const gu_layer *)
    void gu_prune(gu_unrolling *, gu_layer *, const int32_t *, int32_t *, uint32_t *, int32_t *, int64_t)
    void gu_lay_out(const gu_unrolling *, const gu_layer *, int64_t, int64_t, int64_t, gu_graph *)
    void gu_free(gu_unrolling *)

_INT64 = np.dtype(np.int64)
_FLOAT64 = np.dtype(np.float64)


cdef class Unrolling:
    """Steps layer after layer, then the graph; see `_unrolling_twin.Unrolling`."""

    cdef gu_unrolling _u
    cdef int64_t _width
    cdef double _largest
    cdef readonly int64_t nodes

    def __init__(self, double largest):
        self._width = self.nodes = 1
        self._largest = largest

    def __dealloc__(self):
        gu_free(&self._u)

    def follow(self, steps):
        cdef int64_t width = self._width, choices = len(steps), most = -1, least = 0, count, edges
        cdef Py_ssize_t b
        cdef int forbidden = 0, fine = 1
        cdef double number
        cdef gu_layer *layer
        cdef gu_block *block
        cdef const int64_t **each = NULL
        cdef int64_t *states = NULL
        cdef int64_t scores_before = self._u.scores
        cdef int64_t[::1] into
        steps = tuple(steps)
        for step in steps:
            if type(step) is not tuple or len(step) != 2 or not _is_row(step[0], _INT64, width):
                return None
            if not isinstance(step[1], (float, int)) and not _is_row(step[1], _FLOAT64, width):
                return None
        layer = gu_new_layer(&self._u, width, choices)
        each = <const int64_t **>malloc((choices + 1) * sizeof(int64_t *))
        # A private copy: states are looked up in a table as long as the largest of them was when counted.
        states = <int64_t *>malloc((choices * width + 1) * sizeof(int64_t))
        try:
            if layer == NULL or each == NULL or states == NULL:
                raise MemoryError("no memory for the layers of a diagram")
            for b in range(choices):
                following, scores = steps[b]
                block = self._u.block + layer.first + b
                if isinstance(scores, (float, int)):
                    block.constant = number = scores
                    fine = fine and (-self._largest <= number <= self._largest or number == -INFINITY)
                    forbidden = forbidden or number == -INFINITY
                elif width:
                    fine = gu_take_scores(
                        &self._u, block, <const double *>address(scores), width, self._largest, &forbidden
                    ) and fine
                if width:
                    memcpy(states + b * width, address(following), width * sizeof(int64_t))
                each[b] = states + b * width
                gu_range(each[b], width, &least, &most)
            edges = width * choices
            if not fine or least < -1:
                self._u.scores = scores_before
                return None
            if edges and (forbidden or most >= 4 * edges + 1024):
                return self._sparse(layer, np.array(<int64_t[:choices, :width]>states), forbidden)
            reached = np.empty(most + 2, np.int64)
            into = reached
            count = gu_number(&self._u, layer, each, most, &into[0])
            if count < 0:
                raise MemoryError("no memory for the layers of a diagram")
        finally:
            free(each)
            free(states)
        gu_keep_layer(&self._u, layer)
        self._width = count
        self.nodes += count
        return reached[:count]

    cdef _sparse(self, gu_layer *layer, states, bint forbidden):
        """Do what `follow` does by sorting, for states far apart or scores of -inf."""
        cdef int64_t i, b
        if forbidden:
            for b in range(layer.choices):
                for i in range(layer.width):
                    self._u.target[self._u.block[layer.first + b].at + i] = 0
            gu_forbid(&self._u, layer)
            there = np.asarray(<int32_t[: layer.choices * layer.width]>(self._u.target + self._u.targets))
            states = np.where(there.reshape(states.shape) < 0, -1, states)
        reached, inverse = np.unique(np.append(states, -1), return_inverse=True)
        inverse = inverse.reshape(states.size + 1)[: states.size]
        cdef const int64_t[::1] numbers = np.ascontiguousarray(inverse, np.int64)
        for i in range(numbers.size):
            self._u.target[self._u.targets + i] = <int32_t>(numbers[i] - 1)
        gu_keep_layer(&self._u, layer)
        self._width = reached.size - 1
        self.nodes += self._width
        return reached[1:]

    def coarsen(self, numbers, int64_t count):
        cdef const int64_t[::1] merged = np.ascontiguousarray(numbers, np.int64)
        cdef gu_layer *layer = self._u.layer + self._u.layers - 1
        cdef int32_t *target = self._u.target + self._u.block[layer.first].at if layer.choices else NULL
        cdef int64_t i
        in_range = not merged.size or 0 <= np.min(numbers) <= np.max(numbers) < count
        if merged.size != self._width or not in_range:
            raise ValueError(f"numbers must be {self._width} from 0 to {count - 1}")
        for i in range(layer.width * layer.choices):
            if target[i] >= 0:
                target[i] = <int32_t>merged[target[i]]
        self.nodes += count - self._width
        self._width = count

    def graph(self, ends, int64_t narrow):
        """Lay the graph out, and use the layers up; see `_unrolling_twin.Unrolling.graph`."""
        cdef int64_t n, widest = self._width, slots = 4, blocks = self._u.blocks, layers = self._u.layers
        cdef int64_t[::1] first_node
        cdef int64_t[::1] first_block
        cdef gu_graph to
        cdef gu_layer *layer
        ends = np.ascontiguousarray(ends, np.float64)
        if ends.shape != (self._width,):
            raise ValueError(f"ends have shape {ends.shape}, expected ({self._width},)")
        for n in range(layers):
            widest = max(widest, self._u.layer[n].width)
        while slots < 2 * widest:
            slots *= 2
        number, after = np.full(widest + 1, -1, np.int32), np.full(widest + 1, -1, np.int32)
        key, table = np.empty(widest + 1, np.uint32), np.empty(slots, np.int32)
        final = self._ended(ends, after[1:], narrow)
        cdef int32_t *one = <int32_t *>address(number) + 1  # -1 stands before the first
        cdef int32_t *next = <int32_t *>address(after) + 1
        cdef uint32_t *keys = <uint32_t *>address(key)
        cdef int32_t *places = <int32_t *>address(table)
        cdef int64_t small
        for n in range(layers - 1, -1, -1):
            layer = self._u.layer + n
            small = 4
            while small < 2 * layer.width:
                small *= 2
            gu_prune(&self._u, layer, next, one, keys, NULL if layer.width < narrow else places, small)
            one, next = next, one
        layer_nodes, layer_blocks = np.empty(layers + 2, np.int64), np.empty(layers + 1, np.int64)
        first_node, first_block = layer_nodes, layer_blocks
        first_node[0], first_block[0] = 1, 0
        for n in range(layers):
            first_node[n + 1] = first_node[n] + self._u.layer[n].kept
            first_block[n + 1] = first_block[n] + self._u.layer[n].choices
        first_node[layers + 1] = first_node[layers] + <int64_t>final.size
        whole = np.empty((4, blocks), np.int64)
        constants = np.empty(blocks)
        targets, scores = np.empty(self._u.targets, np.int32), np.empty(self._u.scores)
        to.sources = <int64_t *>address(whole)
        to.counts, to.target_at = to.sources + blocks, to.sources + 2 * blocks
        to.score_at, to.constants = to.sources + 3 * blocks, <double *>address(constants)
        to.targets, to.scores = <int32_t *>address(targets), <double *>address(scores)
        to.target_count = to.score_count = 0
        cdef int64_t b
        for n in range(layers):
            layer = self._u.layer + n
            for b in range(layer.first, layer.first + layer.choices):
                gu_lay_out(&self._u, layer, b, first_node[n], first_node[n + 1], &to)
        return (
            layer_nodes,
            layer_blocks,
            *whole,
            constants,
            targets[: to.target_count],
            scores[: to.score_count],
            final,
        )

    def _ended(self, ends, after, narrow):
        """Prune and merge the last nodes: their scores, and the new number of each."""
        alive = np.flatnonzero(np.isfinite(ends))
        final = ends[alive] + 0.0  # no -0.0
        if ends.size < narrow:
            after[alive] = np.arange(alive.size)
            return final
        _, first, group = np.unique(final, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        after[alive] = rank[group]
        return final[first[order]]


cdef bint _is_row(array, dtype, int64_t width):
    return (
        type(array) is np.ndarray
        and (array.dtype is dtype or array.dtype == dtype)
        and array.shape == (width,)
        and array.flags.c_contiguous
    )
