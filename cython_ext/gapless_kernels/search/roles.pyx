# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The C-level roles of the search: what a subclass does not override is not there."""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free

import numpy as np

from gapless_kernels.lanes cimport _sets

_sets.follow()

FREE, OFF, ON = GS_FREE, GS_OFF, GS_ON
FOUND, NOTHING, FAILED = GS_FOUND, GS_NOTHING, GS_FAILED


cdef class Role:
    """Common part of maximisers and factors: a stored error, and one caller at a time."""


cdef int call_maximise(
    void *object, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
    Py_ssize_t *count
) noexcept nogil:
    return (<Maximiser>object).maximise(chart, weights, state, value, on, count)


cdef int call_marginals(
    void *object, const double *weights, const signed char *state, double *on, double *off
) noexcept nogil:
    return (<Maximiser>object).marginals(weights, state, on, off)


cdef int call_internal_score(void *object, const int32_t *on, Py_ssize_t count, double *score) noexcept nogil:
    return (<Maximiser>object).internal_score(on, count, score)


cdef int call_excludes(void *object, int32_t one, int32_t other) noexcept nogil:
    return (<Maximiser>object).excludes(one, other)


cdef class Maximiser(Role):
    """A backbone for the search: see ``search/roles.h``, which says what each method does.

    A subclass in Cython overrides the methods and sets the sizes in ``role`` (`size`, `decisions`, `cells`,
    `cell`, `most_on`, `has_internal_scores`); ``role.marginals``, ``role.internal_score`` and
    ``role.excludes`` may be set to NULL. ``role.size = sizeof(gs_maximiser)`` identifies the version of the
    header that it was compiled against.
    """

    def __cinit__(self, *args, **kwargs):
        self.role.object = <void *>self
        self.role.maximise, self.role.marginals = call_maximise, call_marginals
        self.role.internal_score, self.role.excludes = call_internal_score, call_excludes

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept nogil:
        return GS_FAILED

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept nogil:
        return GS_FAILED

    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *score) noexcept nogil:
        score[0] = 0.0
        return GS_FOUND

    cdef bint excludes(self, int32_t one, int32_t other) noexcept nogil:
        return False

    def solve(self, weights, state=None):
        """Find the best structure.

        Parameters
        ----------
        weights : float64 (decisions,)
            Finite or -inf.
        state : int8 (decisions,), optional
            `FREE`, `OFF` or `ON`; all are free by default.

        Returns
        -------
        float, int64 array
            Value, internal score included, and the decisions that are on, ascending; -inf and none if there
            is no structure.
        """
        cdef const double[::1] placed
        cdef const signed char[::1] fixed
        check_maximiser(self)
        placed, fixed = maximiser_arguments(self, weights, state)
        cdef int32_t[::1] on = np.empty(most_on(self) + 1, np.int32)
        cdef double value = 0.0
        cdef Py_ssize_t count = 0
        cdef int status
        claim(self)
        with nogil:
            status = self.role.maximise(self.role.object, 0, &placed[0], &fixed[0], &value, &on[0], &count)
        end_call(self, status)
        if status == GS_NOTHING:
            return -np.inf, np.zeros(0, np.int64)
        if not 0 <= count <= most_on(self):
            raise ValueError(
                f"{type(self).__name__}.maximise says that {count} decisions are on, "
                f"of {most_on(self)} at most"
            )
        return value, np.sort(np.asarray(on)[:count].astype(np.int64))

    def max_marginals(self, weights, state=None):
        """Compute the best value with each decision on, and with each off, -inf if there is none.

        None if the object cannot compute them. NaN for a decision that it leaves out: with one of a choice
        group off, the best of the others counts.

        Parameters
        ----------
        weights, state
            As for `solve`.

        Returns
        -------
        float64 (decisions,), float64 (decisions,)
        """
        cdef const double[::1] placed
        cdef const signed char[::1] fixed
        check_maximiser(self)
        if self.role.marginals == NULL:
            return None
        placed, fixed = maximiser_arguments(self, weights, state)
        other = np.asarray(placed)
        cdef const double[::1] others = np.where(np.isfinite(other), 1.0 - other, other)
        cdef gs_maximiser *role = &self.role
        cdef int32_t[::1] chosen = np.empty(most_on(self) + 1, np.int32)
        cdef double[::1] on = np.full(self.role.decisions + 1, np.nan), off = np.array(on)
        cdef double value = 0.0
        cdef Py_ssize_t count = 0
        cdef int status
        claim(self)
        with nogil:
            status = role.maximise(role.object, 0, &placed[0], &fixed[0], &value, &chosen[0], &count)
            if status == GS_FOUND:  # as in a search, other weights come between, in the other chart
                count = 0
                status = role.maximise(role.object, 1, &others[0], &fixed[0], &value, &chosen[0], &count)
            if status == GS_FOUND:
                status = self.role.marginals(self.role.object, &placed[0], &fixed[0], &on[0], &off[0])
        end_call(self, status)
        if status == GS_NOTHING:
            on[:] = -INFINITY
            off[:] = -INFINITY
        return np.asarray(on)[: self.role.decisions], np.asarray(off)[: self.role.decisions]

    def internal_score_of(self, on):
        """Compute the internal score of a set of decisions, int (count,); None if it is no structure."""
        cdef int32_t[::1] ids = np.append(np.asarray(on, np.int32), np.int32(0))
        cdef double score = 0.0
        if self.role.internal_score == NULL:
            return 0.0
        cdef int status
        check_maximiser(self)
        claim(self)
        status = self.role.internal_score(self.role.object, &ids[0], ids.shape[0] - 1, &score)
        end_call(self, status)
        return score if status == GS_FOUND else None

    def take_conflicts(self, conflicts):
        """Take for each decision another that no structure contains with it, or -1, int (decisions,)."""
        cdef int32_t[::1] taken = np.array(conflicts, np.int32)
        if taken.shape[0] != self.role.decisions:
            raise ValueError(f"conflicts names {taken.shape[0]} decisions, expected {self.role.decisions}")
        if self.role.decisions:
            self.conflicts, self.role.conflict = taken, &taken[0]

    def excluded(self, int one, int other):
        """Return whether the object knows that no structure contains both decisions."""
        return self.role.excludes != NULL and bool(self.role.excludes(self.role.object, one, other))


cdef tuple maximiser_arguments(Maximiser maximiser, weights, state):
    """Weights in their cells, and the state; both with one entry more, so that there is an address."""
    cdef gs_maximiser *role = &maximiser.role
    cdef Py_ssize_t d, count = role.decisions
    given = np.asarray(weights, np.float64)
    fixed = np.full(count, FREE, np.int8) if state is None else np.asarray(state, np.int8)
    if given.shape != (count,) or fixed.shape != (count,):
        raise ValueError(f"weights and state must have shape ({count},), got {given.shape} and {fixed.shape}")
    if not np.all(given < np.inf):
        raise ValueError("weights must be numbers or -inf")
    cdef const double[::1] allowed = np.where(fixed == OFF, -np.inf, given)
    cdef double[::1] placed = np.full(role.cells + 1, -np.inf)
    for d in range(count):
        placed[d if role.cell == NULL else role.cell[d]] = allowed[d]
    return placed, np.append(fixed, np.int8(FREE))


cdef Py_ssize_t most_on(Maximiser maximiser):
    """Capacity for the decisions of a structure, as the search reserves it."""
    return maximiser.role.most_on if maximiser.role.most_on > 0 else maximiser.role.decisions


cdef int claim(Role role) except -1:
    """Claim a role for one call, which works in the memory of the role."""
    if role.busy:
        raise RuntimeError(
            "this role is at work for a search or another thread; ask it in between, or make another"
        )
    role.busy = True
    return 0


cdef int end_call(Role role, int status) except -1:
    """Release a role after a call, and raise the error that it stored if it failed."""
    role.busy = False
    if status == GS_FAILED:
        raise role.error if role.error is not None else RuntimeError(f"{type(role).__name__} failed")
    return 0


cdef int fail(Role role, error) noexcept:
    """Store the error of a call, which then returns GS_FAILED."""
    role.error = error
    return GS_FAILED


cdef int check_size(role, size_t size, size_t expected, name) except -1:
    if size != expected:
        raise TypeError(
            f"{type(role).__name__} fills in a {name} of {size} bytes, here it has {expected}: "
            f"set role.size = sizeof({name}) where the object is made, and compile it again with the headers "
            "of this version"
        )
    return 0


cdef int check_maximiser(Maximiser maximiser) except -1:
    """Refuse a maximiser whose sizes and cells would lead the search out of bounds."""
    cdef gs_maximiser *role = &maximiser.role
    cdef unsigned char *taken
    cdef Py_ssize_t d, cell
    cdef bint fine = 0 <= role.decisions <= role.cells
    check_size(maximiser, role.size, sizeof(gs_maximiser), "gs_maximiser")
    if fine and role.cell != NULL:
        taken = <unsigned char *>calloc(role.cells + 1, 1)
        if taken == NULL:
            raise MemoryError("no memory for the weights")
        for d in range(role.decisions):
            cell = role.cell[d]
            fine = fine and 0 <= cell < role.cells and not taken[cell]
            if fine:
                taken[cell] = 1
        free(taken)
    if not fine:
        raise ValueError(
            f"{type(maximiser).__name__} has {role.decisions} decisions in {role.cells} cells; "
            "each must have a cell of its own"
        )
    return 0


cdef int check_factor(Factor factor) except -1:
    """Refuse a factor that was compiled against another version of the header."""
    return check_size(factor, factor.role.size, sizeof(gs_factor), "gs_factor")


cdef int call_factor(
    void *object, const double *prices, const signed char *state, double *value, signed char *y
) noexcept nogil:
    return (<Factor>object).maximise(prices, state, value, y)


cdef int call_value(void *object, const signed char *y, double *value) noexcept nogil:
    return (<Factor>object).value(y, value)


cdef int call_factor_marginals(
    void *object, const double *prices, const signed char *state, double *on, double *off
) noexcept nogil:
    return (<Factor>object).marginals(prices, state, on, off)


cdef int call_flips(void *object, const signed char *y, double *difference) noexcept nogil:
    return (<Factor>object).flips(y, difference)


cdef class Factor(Role):
    """A factor for the search: see ``search/roles.h``, which says what each method does.

    A subclass in Cython overrides the methods and sets ``role.size = sizeof(gs_factor)``, which identifies
    the version of the header that it was compiled against; ``role.marginals`` and ``role.flips`` may be set
    to NULL.

    Parameters
    ----------
    scope : int (count,)
        Its decisions.
    """

    def __cinit__(self, scope, *args, **kwargs):
        kept = np.array(scope, np.int32)
        kept.flags.writeable = False  # the search reads it through the role
        cdef const int32_t[::1] ids = kept
        self.scope = kept
        self.role.object, self.role.count = <void *>self, ids.shape[0]
        self.role.scope = &ids[0] if self.role.count else NULL
        self.role.maximise, self.role.value = call_factor, call_value
        self.role.marginals, self.role.flips = call_factor_marginals, call_flips

    cdef int maximise(
        self, const double *prices, const signed char *state, double *value, signed char *y
    ) noexcept nogil:
        return GS_FAILED

    cdef int value(self, const signed char *y, double *value) noexcept nogil:
        return GS_FAILED

    cdef int marginals(
        self, const double *prices, const signed char *state, double *on, double *off
    ) noexcept nogil:
        return GS_FAILED

    cdef int flips(self, const signed char *y, double *difference) noexcept nogil:
        return GS_FAILED

    def solve(self, prices, state=None):
        """Find the best configuration.

        Parameters
        ----------
        prices : float64 (count,)
            Cost of each decision that is on.
        state : int8 (count,), optional
            `FREE`, `OFF` or `ON`; all are free by default.

        Returns
        -------
        float, bool (count,)
            Value, less the prices of those that are on, and the configuration; -inf and all off if there is
            none.
        """
        cdef const double[::1] costs
        cdef const signed char[::1] fixed
        costs, fixed = asked_of(self, prices, state)
        cdef signed char[::1] y = np.zeros(self.role.count + 1, np.int8)
        cdef double value = 0.0
        cdef int status
        claim_factor(self)
        with nogil:
            status = self.role.maximise(self.role.object, &costs[0], &fixed[0], &value, &y[0])
        end_call(self, status)
        if status == GS_NOTHING:
            return -np.inf, np.zeros(self.role.count, bool)
        return value, np.asarray(y)[: self.role.count] == ON

    def value_of(self, on):
        """Compute the value of a configuration, bool (count,); -inf if it is forbidden."""
        cdef signed char[::1] y = given_to(self, on, "on")
        cdef double value = 0.0
        cdef int status
        claim_factor(self)
        with nogil:
            status = self.role.value(self.role.object, &y[0], &value)
        end_call(self, status)
        return value if status == GS_FOUND else -np.inf

    def max_marginals(self, prices, state=None):
        """Compute the best value with each decision on, and with each off, -inf if there is none.

        None if the object cannot compute them.

        Parameters
        ----------
        prices, state
            As for `solve`.

        Returns
        -------
        float64 (count,), float64 (count,)
        """
        if self.role.marginals == NULL:
            return None
        cdef const double[::1] costs
        cdef const signed char[::1] fixed
        costs, fixed = asked_of(self, prices, state)
        cdef double[::1] on = np.full(self.role.count + 1, -np.inf), off = np.array(on)
        cdef int status
        claim_factor(self)
        with nogil:
            status = self.role.marginals(self.role.object, &costs[0], &fixed[0], &on[0], &off[0])
        end_call(self, status)
        if status == GS_NOTHING:
            on[:], off[:] = -np.inf, -np.inf
        return np.asarray(on)[: self.role.count], np.asarray(off)[: self.role.count]

    def flip_differences(self, on):
        """Compute by how much flipping each decision changes the value of a configuration, bool (count,).

        Any number if one of the two configurations is forbidden. None if the object cannot compute them.
        """
        if self.role.flips == NULL:
            return None
        cdef signed char[::1] y = given_to(self, on, "on")
        cdef double[::1] difference = np.zeros(self.role.count + 1)
        cdef int status
        claim_factor(self)
        with nogil:
            status = self.role.flips(self.role.object, &y[0], &difference[0])
        end_call(self, status)
        return np.asarray(difference)[: self.role.count]


cdef int claim_factor(Factor factor) except -1:
    check_factor(factor)
    return claim(factor)


cdef tuple asked_of(Factor factor, prices, state):
    """Prices and state, with one entry more, so that there is an address."""
    given = np.asarray(prices, np.float64)
    if given.shape != (factor.role.count,):
        raise ValueError(f"prices: expected shape ({factor.role.count},), got {given.shape}")
    if np.isnan(given).any():
        raise ValueError("prices: must be numbers, got NaN")
    fixed = np.full(factor.role.count, GS_FREE, np.int8) if state is None else state
    return np.append(given, 0.0), given_to(factor, fixed, "state")


cdef object given_to(Factor factor, values, name):
    """A number for each decision of the scope, int8, with one more, so that there is an address."""
    array = np.asarray(values)
    if array.shape != (factor.role.count,):
        raise ValueError(f"{name}: expected shape ({factor.role.count},), got {array.shape}")
    return np.append(array.astype(np.int8), np.int8(0))
