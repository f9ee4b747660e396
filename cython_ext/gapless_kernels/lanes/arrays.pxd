"""Arrays as C reads them: contiguous, and known by their address."""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer


cdef inline contiguous(array):
    """The array itself where it is contiguous, as it nearly always is, otherwise a copy; None for None."""
    return array if array is None or array.flags.c_contiguous else array.copy()


cdef inline void *address(array, bint writable=False) except? NULL:
    """Address of a contiguous array, NULL for None; the caller checks the type and keeps the array alive."""
    cdef Py_buffer view
    cdef void *start
    if array is None:
        return NULL
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE if writable else PyBUF_C_CONTIGUOUS)
    start = view.buf
    PyBuffer_Release(&view)
    return start


cdef inline int point(void **pointers, arrays) except -1:
    """Write the addresses of contiguous arrays in their order."""
    for i, array in enumerate(arrays):
        pointers[i] = address(array)
    return 0


cdef inline int write_back(outputs, written) except -1:
    """Copy what was written beside the outputs, where those are not contiguous."""
    for output, array in zip(outputs, written):
        if output is not array:
            output[...] = array
    return 0
