# What the two modules of chain kernels share.

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint8_t

cdef extern from "_chain_kernels.h" nogil:
    ctypedef struct gapless_chain:
        Py_ssize_t labels
        Py_ssize_t stride
        const void *moves
        const void *arrivals
        const void *excess
        const void *group_excess
        const double *gauge
        const double *transition
        const double *initial
        const double *final
        double largest
        int finite
    ctypedef struct gapless_batch:
        const void *unary
        const int64_t *offsets
        Py_ssize_t sentences
        int64_t *labels
        double *values
        uint8_t *status
        int64_t *survivors
        uint8_t *kept
        int64_t *dominators
    int GAPLESS_VITERBI
    int GAPLESS_DOMINANCE
    int gapless_best_set()
    int gapless_decode(int, int, int, const gapless_chain *, const gapless_batch *)
    void max_plus4_f64(int, const double **, const double *, Py_ssize_t, Py_ssize_t, double **)


cdef inline void *address(array, bint writable=False) except? NULL:
    """Where a contiguous array starts, NULL for None; the caller keeps the array alive."""
    cdef Py_buffer view
    cdef void *start
    if array is None:
        return NULL
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE if writable else PyBUF_C_CONTIGUOUS)
    start = view.buf
    PyBuffer_Release(&view)
    return start
