# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Roles in Python, as the search calls them: the GIL is held in here only; see the stub."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

import numpy as np

from gapless_kernels.lanes cimport _sets
from gapless_kernels.search cimport roles

_sets.follow()

FORCED = 16.0  # factor by which the reward of decisions that are on grows until a factor takes all of them
TRIES = 8
CERTAIN = 1e300
LOST = 1e-9


def rounding(on, size, largest_term):
    """Bound the difference of two sums of a score.

    The terms are weights of total magnitude `size` and internal scores of `on` decisions.
    """
    terms = 2 * on + 4
    return 2.0**-52 * terms * (size + terms * largest_term)


cdef class PythonMaximiser(roles.Maximiser):
    """A maximiser in Python; see the stub."""

    cdef readonly object maximiser
    cdef object fixings, known
    cdef double value, known_internal_score, largest_term, lost

    def __init__(self, maximiser, Py_ssize_t decisions, fixings, double largest_term=0.0):
        self.largest_term, self.lost = largest_term, LOST
        self.maximiser, self.fixings, self.known = maximiser, fixings, None  # no structure: not the empty one
        self.role.size = sizeof(roles.gs_maximiser)
        self.role.decisions = self.role.cells = self.role.most_on = decisions
        self.role.has_internal_scores = self.role.costly = True
        self.role.excludes = NULL

    cdef object solved(self, weights, state):
        """Solve; None if nothing agrees with the state.

        Returns the value, the decisions, their internal score, whether they are a structure, and a bound on
        the rounding of the value.
        """
        role = type(self.maximiser).__name__
        found = self.maximiser.solve(weights.copy(), self.fixings(state))
        value = float(found.value)
        if value == -INFINITY:
            return None
        on, own = np.asarray(found.on_ids), float(found.internal_score)
        if on.ndim != 1 or (on.size and on.dtype.kind not in "iu") or not np.isfinite([value, own]).all():
            raise ValueError(
                f"{role}.solve gave the value {value}, own {own} and on_ids of shape {on.shape} and type "
                f"{on.dtype}; expected finite numbers and a list of decisions"
            )
        on = on.astype(np.int64)
        if on.size and not 0 <= on.min() <= on.max() < len(state):
            raise ValueError(f"{role}.solve gave on_ids outside 0..{len(state) - 1}")
        taken = np.zeros(len(state), bool)
        taken[on] = True
        if np.count_nonzero(taken) != on.size:
            raise ValueError(f"{role}.solve gave a decision twice in on_ids")
        wrong = np.where(taken, state == roles.GS_OFF, state == roles.GS_ON)
        if wrong.any():
            index = int(np.argmax(wrong))
            side = "on" if taken[index] else "off"
            raise ValueError(f"{role}.solve ignored a fixing: decision {index} is {side} in its structure")
        worth, size = float(weights[on].sum()) + own, np.abs(weights[on]).sum()
        lost = LOST * max(1.0, size, abs(own)) + rounding(on.size, size, self.largest_term)
        if abs(value - worth) > lost:
            raise ValueError(f"{role}.solve gave the value {value!r}, but its structure has {worth!r}")
        is_structure = not getattr(self.maximiser, "relaxed", False) or found.structure is not None
        return value, on, own, is_structure, lost

    cdef int maximise(
        self, int chart, const double *weights, const signed char *state, double *value, int32_t *on,
        Py_ssize_t *count
    ) noexcept with gil:
        cdef Py_ssize_t k
        cdef const Py_ssize_t[::1] taken
        try:
            found = self.solved(doubles(weights, self.role.decisions), states(state, self.role.decisions))
            if found is None:
                return roles.GS_NOTHING
            value[0], count[0] = found[0], len(found[1])
            taken = found[1]
            for k in range(count[0]):
                on[k] = <int32_t>taken[k]
            self.known, self.known_internal_score = key(on, count[0]) if found[3] else None, found[2]
            if chart == 0:
                self.value, self.lost = value[0], found[4]
            return roles.GS_FOUND
        except BaseException as error:
            return roles.fail(self, error)

    cdef int marginals(
        self, const double *weights, const signed char *state, double *on, double *off
    ) noexcept with gil:
        cdef Py_ssize_t count = self.role.decisions
        try:
            losses = self.maximiser.max_marginals(doubles(weights, count), self.fixings(states(state, count)))
            self.take_losses(losses.on, "on", on)
            if off != NULL:
                self.take_losses(np.zeros(count) if losses.off is None else losses.off, "off", off)
            return roles.GS_FOUND
        except BaseException as error:
            return roles.fail(self, error)

    cdef take_losses(self, losses, side, double *to):
        cdef Py_ssize_t k
        cdef const double[::1] loss = np.ascontiguousarray(losses, np.float64)
        # "not >=" instead of "<": NaN is wrong, too.
        if loss.shape[0] != self.role.decisions or not (np.asarray(loss) >= -self.lost).all():
            raise ValueError(
                f"{type(self.maximiser).__name__}.max_marginals gave {side} of shape {np.shape(losses)}; "
                f"expected {self.role.decisions} numbers >= 0"
            )
        for k in range(self.role.decisions):
            to[k] = self.value - loss[k]

    cdef int internal_score(self, const int32_t *on, Py_ssize_t count, double *score) noexcept with gil:
        cdef Py_ssize_t k
        try:
            if self.known == key(on, count):
                score[0] = self.known_internal_score
                return roles.GS_FOUND
            state = np.zeros(self.role.decisions, np.int8)
            for k in range(count):
                state[on[k]] = roles.GS_ON
            found = self.solved(np.where(state == roles.GS_ON, 0.0, -INFINITY), state)
            if found is None or not found[3]:
                return roles.GS_NOTHING
            score[0] = found[2]
            return roles.GS_FOUND
        except BaseException as error:
            return roles.fail(self, error)


cdef class PythonFactor(roles.Factor):
    """A factor in Python, whose answers have been checked; see the stub."""

    cdef readonly object factor
    cdef double largest_term

    def __init__(self, scope, factor, marginals=False, double largest_term=0.0):
        self.factor, self.largest_term = factor, largest_term
        self.role.size = sizeof(roles.gs_factor)
        if not marginals:
            self.role.marginals = NULL
        self.role.costly = True

    cdef object named(self, weights):
        """Find the best configuration under weights, with its value; None if nothing is allowed."""
        claimed, on = self.factor.best(weights.copy())
        if claimed == -INFINITY:
            return None
        if on.dtype != bool or on.shape != weights.shape:
            raise ValueError(
                f"{self.factor.place}: best() gave an array of type {on.dtype} and shape {on.shape}, "
                f"expected {len(weights)} booleans"
            )
        if (weights[on] == -INFINITY).any():
            raise ValueError(
                f"{self.factor.place}: best() turned on a decision whose weight is minus infinity"
            )
        value = self.factor.value(on.copy())
        worth, size = value + float(weights[on].sum()), np.abs(weights[on]).sum()
        lost = LOST * max(1.0, abs(value), size) + rounding(np.count_nonzero(on), size, self.largest_term)
        if not abs(claimed - worth) <= lost:
            raise ValueError(
                f"{self.factor.place}: best() gave the value {claimed!r}, "
                f"but by value() its configuration has {worth!r}"
            )
        return value, on

    cdef object solved(self, prices, state):
        """Find the best configuration that agrees with a state, and its value less prices.

        Decisions that are on get a reward, which grows until the best configuration contains all of them:
        then no other that contains them is better. The largest reward swamps all other numbers; the value of
        the best configuration without it remains a bound.
        """
        forced, off = state == roles.GS_ON, state == roles.GS_OFF
        weights = np.where(off, -INFINITY, -prices)
        found = free = self.named(weights)
        reward, hidden = 1.0 + np.abs(prices[~off]).sum(), False
        for tried in range(TRIES if forced.any() else 0):
            if found is None or found[1][forced].all():
                break
            found, hidden = self.named(np.where(forced, weights + reward, weights)), reward == CERTAIN
            reward = CERTAIN if tried == TRIES - 2 else reward * FORCED
        if found is None or not found[1][forced].all():
            return None
        value, y = free if hidden else found
        return value - float(prices[y].sum()), found[1]

    cdef int maximise(
        self, const double *prices, const signed char *state, double *value, signed char *y
    ) noexcept with gil:
        cdef Py_ssize_t k
        cdef const unsigned char[::1] on
        try:
            found = self.solved(doubles(prices, self.role.count), states(state, self.role.count))
            if found is None or found[0] == -INFINITY:
                return roles.GS_NOTHING
            value[0], on = found[0], found[1].view(np.uint8)
            for k in range(self.role.count):
                y[k] = on[k]
            return roles.GS_FOUND
        except BaseException as error:
            return roles.fail(self, error)

    cdef int marginals(
        self, const double *prices, const signed char *state, double *on, double *off
    ) noexcept with gil:
        cdef Py_ssize_t k
        try:
            cost, known = doubles(prices, self.role.count), states(state, self.role.count)
            found = self.solved(cost, known)
            if found is None:
                return roles.GS_NOTHING
            for k in range(self.role.count):
                taken = bool(found[1][k])
                other = None
                if known[k] == roles.GS_FREE:
                    known[k] = roles.GS_OFF if taken else roles.GS_ON
                    other = self.solved(cost, known)
                    known[k] = roles.GS_FREE
                rest = -INFINITY if other is None else other[0]
                on[k], off[k] = (found[0], rest) if taken else (rest, found[0])
            return roles.GS_FOUND
        except BaseException as error:
            return roles.fail(self, error)

    cdef int value(self, const signed char *y, double *value) noexcept with gil:
        try:
            value[0] = self.factor.value(states(y, self.role.count).astype(bool))
            return roles.GS_FOUND
        except BaseException as error:
            return roles.fail(self, error)

    cdef int flips(self, const signed char *y, double *difference) noexcept with gil:
        cdef Py_ssize_t k
        try:
            on = states(y, self.role.count).astype(bool)
            now = self.factor.value(on.copy())
            for k in range(self.role.count):
                on[k] = not on[k]
                difference[k] = self.factor.value(on.copy()) - now if now > -INFINITY else 0.0
                on[k] = not on[k]
            return roles.GS_FOUND
        except BaseException as error:
            return roles.fail(self, error)


cdef bytes key(const int32_t *on, Py_ssize_t count):
    """Return decisions as bytes; empty if there are none."""
    return bytes(<char[: count * sizeof(int32_t)]><char *>on) if count else b""


cdef doubles(const double *of, Py_ssize_t count):
    return np.array(<const double[:count]>of) if count else np.zeros(0)


cdef states(const signed char *of, Py_ssize_t count):
    return np.array(<const signed char[:count]>of, np.int8) if count else np.zeros(0, np.int8)
