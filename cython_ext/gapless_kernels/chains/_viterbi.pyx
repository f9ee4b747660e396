# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled Viterbi kernels; the twin `_viterbi_twin` documents their contracts.

Only max-messages are kept. The inner loop over destinations is then a pure ``max(a, b + c)``, which
vectorises; storing back-pointers in it would halve its speed. The argmax is found again in the backtrace,
once per position of the best path instead of once per label.

Sums are made in the arrays' own type and in the twin's order, and a maximum rounds nothing, so the results
are the twin's bit by bit. Inputs hold no +inf and therefore no sum is NaN.

The directives above are for speed; ``checked_build.py`` turns the checks on again.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

import numpy as np

from gapless_kernels._arguments import check_chain, check_output
from gapless_kernels.lanes cimport _sets

_sets.follow()

ctypedef fused real:
    float
    double

cdef extern from "lanes/lanes.h" nogil:
    void step_f32(const float *, const float *, Py_ssize_t, Py_ssize_t, const float *, float *) noexcept
    void step_f64(const double *, const double *, Py_ssize_t, Py_ssize_t, const double *, double *) noexcept
    Py_ssize_t argmax_f32(const float *, Py_ssize_t) noexcept
    Py_ssize_t argmax_f64(const double *, Py_ssize_t) noexcept
    void offers_f32(const float *, const float *, Py_ssize_t, Py_ssize_t, float *) noexcept
    void offers_f64(const double *, const double *, Py_ssize_t, Py_ssize_t, double *) noexcept


# --- one sentence

cdef inline void step(
    const real *previous, const real *transition, Py_ssize_t stride, Py_ssize_t labels, const real *unary,
    real *current,
) noexcept nogil:
    if real is float:
        step_f32(previous, transition, stride, labels, unary, current)
    else:
        step_f64(previous, transition, stride, labels, unary, current)


cdef inline Py_ssize_t argmax(const real *values, Py_ssize_t count) noexcept nogil:
    if real is float:
        return argmax_f32(values, count)
    else:
        return argmax_f64(values, count)


cdef void forward(
    const real[:, ::1] unary, const real[:, :, ::1] transition, real[:, ::1] messages
) noexcept nogil:
    """Fill the messages; `transition` has one matrix for all edges or one for each."""
    cdef Py_ssize_t k = unary.shape[1], i, edge = 0
    cdef bint varying = transition.shape[0] > 1
    cdef const real *pairs
    messages[0, :] = unary[0, :]
    for i in range(1, unary.shape[0]):
        if varying:
            edge = i - 1
        pairs = &transition[edge, 0, 0]
        step[real](&messages[i - 1, 0], pairs, transition.shape[2], k, &unary[i, 0], &messages[i, 0])


cdef real trace(
    const real[:, ::1] messages,
    const real[:, :, ::1] transition,
    Py_ssize_t n,
    Py_ssize_t k,
    real[::1] sums,
    int64_t[:] labels,
) noexcept nogil:
    """Write the best path that `messages` prove and return its score."""
    cdef Py_ssize_t i, edge = 0, stride, y = argmax[real](&messages[n - 1, 0], k)
    cdef bint varying = transition.shape[0] > 1
    cdef const real *column
    cdef real value = messages[n - 1, y]
    if value == -INFINITY:
        labels[:] = -1
        return value
    labels[n - 1] = y
    for i in range(n - 2, -1, -1):
        if varying:
            edge = i
        column, stride = &transition[edge, 0, y], transition.shape[2]
        if real is float:
            offers_f32(&messages[i, 0], column, stride, k, &sums[0])
        else:
            offers_f64(&messages[i, 0], column, stride, k, &sums[0])
        y = argmax[real](&sums[0], k)
        labels[i] = y
    return value


cdef real decode(
    const real[:, ::1] unary,
    const real[:, :, ::1] transition,
    real[:, ::1] messages,
    real[::1] sums,
    int64_t[:] labels,
) noexcept:
    cdef real value
    with nogil:
        forward[real](unary, transition, messages)
        value = trace[real](messages, transition, unary.shape[0], unary.shape[1], sums, labels)
    return value


cdef void forward_released(
    const real[:, ::1] unary, const real[:, :, ::1] transition, real[:, ::1] messages
) noexcept:
    with nogil:
        forward[real](unary, transition, messages)


# --- the public functions: check, lay out, release the GIL

def viterbi(unary, transition, labels):
    """Find a best label path of a chain; see `_viterbi_twin.viterbi`."""
    n, k = check_chain(unary, transition)
    check_output("labels", labels, (n,), np.int64)
    dtype = unary.dtype
    messages = np.empty((n, k), dtype)
    sums = np.empty(k, dtype)
    if dtype == np.float32:
        return decode[float](np.ascontiguousarray(unary), stacked(transition), messages, sums, labels)
    return decode[double](np.ascontiguousarray(unary), stacked(transition), messages, sums, labels)


def forward_messages(unary, transition, messages):
    """Compute best scores of prefixes by position and label; see `_viterbi_twin.forward_messages`."""
    n, k = check_chain(unary, transition)
    check_output("messages", messages, (n, k), unary.dtype)
    rows = messages if messages.flags.c_contiguous else np.empty((n, k), unary.dtype)
    if unary.dtype == np.float32:
        forward_released[float](np.ascontiguousarray(unary), stacked(transition), rows)
    else:
        forward_released[double](np.ascontiguousarray(unary), stacked(transition), rows)
    if rows is not messages:
        messages[...] = rows


cdef stacked(transition):
    """Make it contiguous and three-dimensional: one matrix for all edges, or one for each."""
    transition = np.ascontiguousarray(transition)
    return transition[None] if transition.ndim == 2 else transition


# --- for the tests of the bounds-checked build

cdef double entry(const double[::1] view, Py_ssize_t index) noexcept nogil:
    return view[index]


def read_past_end(const double[::1] view):
    """Read the entry after the last one, as a faulty kernel would: the checked build reports an IndexError.

    Pass a slice of a longer array, so that the entry exists and the ordinary build may read it.
    """
    return entry(view, view.shape[0])
