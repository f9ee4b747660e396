# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Roles of the search made of C functions: from any language that can give an address.

The output of a function is checked before the search reads it, in time linear in its length, because nothing
is known about the code at an address.
"""

import operator

from libc.math cimport INFINITY, NAN, isnan
from libc.stdint cimport int32_t, uintptr_t

import numpy as np

from gapless_kernels.search.roles cimport (
    GS_FAILED, GS_FOUND, GS_NOTHING, GS_OFF, GS_ON, Factor, Maximiser, Role, fail, gs_factor, gs_maximiser
)

from gapless_kernels.search._addresses import Addresses

ctypedef int (*maximise_structure)(
    void *, int, const double *, const signed char *, double *, int32_t *, Py_ssize_t *
) noexcept nogil
ctypedef int (*marginals_of)(void *, const double *, const signed char *, double *, double *) noexcept nogil
ctypedef int (*score_of)(void *, const int32_t *, Py_ssize_t, double *) noexcept nogil
ctypedef int (*excludes_pair)(void *, int32_t, int32_t) noexcept nogil
ctypedef int (*maximise_configuration)(
    void *, const double *, const signed char *, double *, signed char *
) noexcept nogil
ctypedef int (*value_of)(void *, const signed char *, double *) noexcept nogil
ctypedef int (*flips_of)(void *, const signed char *, double *) noexcept nogil

cdef enum Wrong:
    FAILED, CODE, UNSET, OUTSIDE, TWICE, AGAINST, COUNT, INFINITE

MESSAGES = {
    FAILED: "returned GS_FAILED (-1)",
    CODE: "returned {}, which is none of GS_FOUND (0), GS_NOTHING (1), GS_FAILED (-1)",
    UNSET: "returned GS_FOUND and left entry {} of its answer NaN, or did not write it",
    OUTSIDE: "wrote {} where a decision, or whether one is on, was expected",
    TWICE: "names decision {} twice in one structure",
    AGAINST: "does not keep decision {} as the state fixes it",
    COUNT: "says that {} decisions are on, more than there may be",
    INFINITE: "gave an infinite value",
}


MARGINALS = "void* double* int8* double* double*"
"""Types of the arguments of both functions for max-marginals."""


cdef uintptr_t address_of(addresses, name, function, types) except? 1:
    """Return the address of a function; 0 if it is optional and left out."""
    return addresses.function(name, function, types, name not in ("maximise", "value"))


cdef int wrong(Role role, const char *function, Wrong finding, Py_ssize_t number) noexcept nogil:
    """Fail because a function broke a rule."""
    with gil:
        if isinstance(role, Factor):
            what = f"decisions {_few((<Factor>role).scope)}"
        else:
            what = f"{(<Maximiser>role).role.decisions} decisions"
        subject = f"{function.decode()}() of a {type(role).__name__} over {what}"
        return fail(role, RuntimeError(f"{subject} {MESSAGES[finding].format(number)}"))


cdef int checked_status(Role role, const char *function, int status) noexcept nogil:
    """Return a status as the search knows it; any other is a failure."""
    if status == GS_FOUND or status == GS_NOTHING:
        return status
    return wrong(role, function, FAILED if status == GS_FAILED else CODE, status)


cdef int checked_number(Role role, const char *function, double value) noexcept nogil:
    """Fail unless a function wrote a number that is finite, or -inf."""
    if isnan(value):
        return wrong(role, function, UNSET, 0)
    return wrong(role, function, INFINITE, 0) if value == INFINITY else GS_FOUND


cdef class ForeignFactor(Factor):
    """A factor made of C functions, as ``gs_factor`` in ``search/roles.h`` describes them.

    A function is given as a ``scipy.LowLevelCallable``, a numba ``cfunc``, a ctypes function, a capsule of a
    Cython module (``module.__pyx_capi__[name]``) or an address. Argument types are checked if the object
    knows them. Functions run without the GIL.

    Parameters
    ----------
    scope : int (count,)
        Its decisions, in the order in which the functions see them.
    maximise : function
        ``int (void *data, const double *prices, const int8_t *state, double *value, int8_t *y)``.
    value : function
        ``int (void *data, const int8_t *y, double *value)``.
    marginals : function, optional
        ``int (void *data, const double *prices, const int8_t *state, double *with, double *without)``.
    flips : function, optional
        ``int (void *data, const int8_t *y, double *difference)``.
    data : contiguous array or other buffer, ctypes pointer, or address, optional
        First argument of every function; NULL without. Kept alive. By default the user data of a
        ``scipy.LowLevelCallable``.

    Raises
    ------
    TypeError
        Something is no C function, or its argument types are others.
    ValueError
        A function is no address, or `data` is not contiguous.
    """

    cdef void *data
    cdef maximise_configuration _maximise
    cdef value_of _value
    cdef marginals_of _marginals
    cdef flips_of _flips
    cdef tuple references

    def __init__(self, scope, maximise, value, marginals=None, flips=None, data=None):
        addresses = Addresses("ForeignFactor", data)
        self.role.size = sizeof(gs_factor)
        self._maximise = <maximise_configuration>address_of(
            addresses, "maximise", maximise, "void* double* int8* double* int8*"
        )
        self._value = <value_of>address_of(addresses, "value", value, "void* int8* double*")
        self._marginals = <marginals_of>address_of(addresses, "marginals", marginals, MARGINALS)
        self._flips = <flips_of>address_of(addresses, "flips", flips, "void* int8* double*")
        self.data = <void *><uintptr_t>addresses.data()
        self.references = addresses.references()
        if self._marginals == NULL:
            self.role.marginals = NULL
        if self._flips == NULL:
            self.role.flips = NULL

    cdef int maximise(
        self, const double *prices, const signed char *state, double *value, signed char *y
    ) noexcept nogil:
        cdef Py_ssize_t i
        value[0] = NAN
        for i in range(self.role.count):
            y[i] = 2
        cdef int status = self._maximise(self.data, prices, state, value, y)
        status = checked_status(self, b"maximise", status)
        if status != GS_FOUND:
            return status
        for i in range(self.role.count):
            if y[i] != GS_OFF and y[i] != GS_ON:
                return wrong(self, b"maximise", OUTSIDE, y[i])
            if state[i] == 1 - y[i]:
                return wrong(self, b"maximise", AGAINST, self.role.scope[i])
        return checked_number(self, b"maximise", value[0])

    cdef int value(self, const signed char *y, double *value) noexcept nogil:
        value[0] = NAN
        cdef int status = checked_status(self, b"value", self._value(self.data, y, value))
        if status == GS_NOTHING:
            value[0] = -INFINITY
            return GS_FOUND
        return status if status != GS_FOUND else checked_number(self, b"value", value[0])

    cdef int marginals(
        self, const double *prices, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.role.count):
            on[i] = off[i] = NAN
        cdef int status = self._marginals(self.data, prices, state, on, off)
        status = checked_status(self, b"marginals", status)
        if status != GS_FOUND:
            return status
        for i in range(self.role.count):
            if isnan(on[i]) or isnan(off[i]):
                return wrong(self, b"marginals", UNSET, i)
        return GS_FOUND

    cdef int flips(self, const signed char *y, double *difference) noexcept nogil:
        cdef int status = self._flips(self.data, y, difference)
        if status == GS_FOUND:
            return status
        return wrong(self, b"flips", FAILED if status == GS_FAILED else CODE, status)


cdef class ForeignMaximiser(Maximiser):
    """A backbone made of C functions, as ``gs_maximiser`` in ``search/roles.h`` describes them.

    Functions are given as to `ForeignFactor`.

    Parameters
    ----------
    decisions : int
        Number of decisions.
    maximise : function
        ``int (void *data, int chart, const double *weights, const int8_t *state, double *value, int32_t *on,
        ptrdiff_t *count)``.
    marginals : function, optional
        ``int (void *data, const double *weights, const int8_t *state, double *with, double *without)``.
        Without it no decision is fixed.
    internal_score : function, optional
        ``int (void *data, const int32_t *on, ptrdiff_t count, double *score)``. Without it every set that has
        one decision of each choice group is a structure, and structures have no internal scores.
    excludes : function, optional
        ``int (void *data, int32_t one, int32_t other)``.
    data : contiguous array or other buffer, ctypes pointer, or address, optional
        First argument of every function; NULL without. Kept alive.
    most_on : int, optional
        Decisions that a structure turns on, at most; all of them by default.
    has_internal_scores : bool, optional
        Whether structures have scores beyond the weights; by default if `internal_score` is given.

    Raises
    ------
    TypeError
        Something is no C function, or its argument types are others.
    ValueError
        A function is no address, a number is out of range, or `data` is not contiguous.
    """

    cdef void *data
    cdef maximise_structure _maximise
    cdef marginals_of _marginals
    cdef score_of _internal_score
    cdef excludes_pair _excludes
    cdef signed char[::1] seen
    cdef tuple references

    def __init__(
        self, decisions, maximise, marginals=None, internal_score=None, excludes=None, data=None,
        *, most_on=None, has_internal_scores=None,
    ):
        addresses = Addresses("ForeignMaximiser", data)
        self._maximise = <maximise_structure>address_of(
            addresses, "maximise", maximise, "void* int double* int8* double* int* long*"
        )
        self._marginals = <marginals_of>address_of(addresses, "marginals", marginals, MARGINALS)
        self._internal_score = <score_of>address_of(
            addresses, "internal_score", internal_score, "void* int* long double*"
        )
        self._excludes = <excludes_pair>address_of(addresses, "excludes", excludes, "void* int int")
        self.data = <void *><uintptr_t>addresses.data()
        self.references = addresses.references()
        self.role.size = sizeof(gs_maximiser)
        self.role.decisions = self.role.cells = _number("decisions", decisions, 0, 2**31 - 1)
        self.role.most_on = self.role.decisions
        if most_on is not None:
            self.role.most_on = min(_number("most_on", most_on, 0, 2**31 - 1), self.role.decisions)
        if has_internal_scores is None:
            has_internal_scores = internal_score is not None
        self.role.has_internal_scores = bool(has_internal_scores)
        if self.role.has_internal_scores and internal_score is None:
            raise ValueError(
                "ForeignMaximiser: has_internal_scores=True says that structures have internal scores; "
                "give internal_score= as well"
            )
        self.seen = np.zeros(self.role.decisions + 1, np.int8)
        if self._marginals == NULL:
            self.role.marginals = NULL
        if self._internal_score == NULL:
            self.role.internal_score = NULL
        if self._excludes == NULL:
            self.role.excludes = NULL

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil:
        value[0], count[0] = NAN, -1
        cdef int status = self._maximise(self.data, chart, weights, state, value, on, count)
        status = checked_status(self, b"maximise", status)
        if status != GS_FOUND:
            return status
        if count[0] < 0 or count[0] > self.role.most_on:
            return wrong(self, b"maximise", COUNT, count[0])
        status = checked_number(self, b"maximise", value[0])
        return status if status != GS_FOUND else self.structure(state, on, count[0])

    cdef int structure(self, const signed char *state, const int32_t *on, Py_ssize_t count) noexcept nogil:
        """Whether the decisions exist, once each, and agree with the state."""
        cdef Py_ssize_t d, marked = 0
        cdef int status = GS_FOUND
        while marked < count and status == GS_FOUND:
            d = on[marked]
            if d < 0 or d >= self.role.decisions:
                status = wrong(self, b"maximise", OUTSIDE, d)
            elif self.seen[d]:
                status = wrong(self, b"maximise", TWICE, d)
            else:
                self.seen[d] = 1
                marked += 1
        for d in range(self.role.decisions if status == GS_FOUND else 0):
            if state[d] == 1 - self.seen[d]:
                status = wrong(self, b"maximise", AGAINST, d)
                break
        for d in range(marked):
            self.seen[on[d]] = 0
        return status

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil:
        cdef Py_ssize_t d
        for d in range(self.role.decisions):
            on[d] = NAN
        if off != NULL:
            for d in range(self.role.decisions):
                off[d] = NAN
        cdef int status = self._marginals(self.data, weights, state, on, off)
        status = checked_status(self, b"marginals", status)
        if status != GS_FOUND:
            return status
        for d in range(self.role.decisions):
            if isnan(on[d]):  # NaN in `off` leaves a decision out
                return wrong(self, b"marginals", UNSET, d)
        return GS_FOUND

    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *score) noexcept nogil:
        score[0] = NAN
        cdef int status = self._internal_score(self.data, on, count, score)
        status = checked_status(self, b"internal_score", status)
        return status if status != GS_FOUND else checked_number(self, b"internal_score", score[0])

    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil:
        return self._excludes(self.data, one, other) != 0


def _number(name, given, least, most):
    number = operator.index(given)
    if not least <= number <= most:
        raise ValueError(f"ForeignMaximiser: {name} must be from {least} to {most}, got {number}")
    return number


def _few(scope):
    ids = scope.tolist()
    return str(ids) if len(ids) <= 8 else f"[{', '.join(map(str, ids[:8]))}, ...]"
