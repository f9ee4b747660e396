"""The higher orders of projective parses, as C structures of functions; ``rows.h`` documents them."""

from libc.stdint cimport int64_t

cdef extern from "parsing/rows.h" nogil:
    ctypedef struct eisner_order:
        size_t (*charts)(Py_ssize_t) noexcept nogil
        double (*best)(
            Py_ssize_t, const double *, const double **, int, double *, int64_t *
        ) noexcept nogil
        void (*max_marginals)(
            Py_ssize_t, const double *, const double **, int, double *, double *
        ) noexcept nogil
        double (*internal_score)(const int64_t *, Py_ssize_t, const double **) noexcept nogil

cdef extern from "parsing/sibling.h" nogil:
    const eisner_order sibling_order

cdef extern from "parsing/carreras.h" nogil:
    const eisner_order carreras_order

cdef extern from "parsing/grand_sibling.h" nogil:
    const eisner_order grand_order
