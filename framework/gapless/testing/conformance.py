"""The parts that all checks share: the error, the tolerance, and the fixings to try."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.arrays.tolerance import score_tolerance
from gapless.certificates.certificate import Certificate, NoCertificate
from gapless.certificates.tree_certificate import TreeCertificate
from gapless.decisions.decisions import FREE, OFF, ON, Decisions, Fixings
from gapless.testing.enumeration import Feasible, SpaceTooLarge

T = TypeVar("T")


class ConformanceError(AssertionError):
    """A role breaks one of its rules.

    Attributes
    ----------
    role : str
        Class of the checked object.
    rule : str
        The broken rule.
    instance : str
        Location of the failure.
    """

    def __init__(self, role: str, rule: str, instance: str) -> None:
        super().__init__(f"{role} breaks the rule {rule!r}: {instance}")
        self.role, self.rule, self.instance = role, rule, instance


class Check:
    """Rules checked for one object, or at one location of it.

    `role`: the object under test, or its name. `location`: what messages name before the detail.
    """

    def __init__(self, role: object, location: str = "") -> None:
        self.role = role if isinstance(role, str) else type(role).__name__
        self.location = location

    def at(self, location: str) -> Check:
        """Return the check of the same object at a location inside this one."""
        return Check(self.role, self._within(location))

    def _within(self, detail: str) -> str:
        return ": ".join(part for part in (self.location, detail) if part)

    def require(self, holds: object, rule: str, detail: str = "") -> None:
        """Raise `ConformanceError` unless `holds`."""
        if not holds:
            raise ConformanceError(self.role, rule, self._within(detail))

    def require_bound(self, bound: float, score: float, rule: str, what: str = "bound") -> None:
        """Raise `ConformanceError` unless a bound dominates a feasible score."""
        self.require(dominates(bound, score), rule, f"{what} {bound!r}, but {score!r} is feasible")

    def require_sum(self, stated: float, true: float, rule: str, terms: FloatArray, lost: float) -> None:
        """Raise `ConformanceError` unless a stated sum of `terms` is the true one; see `near`."""
        self.require(near(stated, true, terms, lost), rule, f"{stated!r} is stated, {true!r} is true")

    def call(self, rule: str, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call a function and return its result; an exception breaks `rule`."""
        try:
            return function(*args, **kwargs)
        except (ConformanceError, SpaceTooLarge):
            raise
        except Exception as error:
            raise ConformanceError(self.role, rule, self._within(f"{type(error).__name__}: {error}")) from error


def best_score(feasible: Iterable[Feasible[Any]], fixings: Fixings | None = None) -> float:
    """Return the best score among structures that agree with `fixings`; -inf if there are none."""
    return max((f.score for f in feasible if fixings is None or fixings.allows(f.on_ids)), default=-np.inf)


def dominates(bound: float, score: float) -> bool:
    """Return whether `bound` is no less than `score`, up to the tolerance of float64; False for NaN."""
    return bool(bound >= score - score_tolerance(score))


def has_evidence(certificate: Certificate) -> bool:
    """Return whether there is evidence to verify; a tree with a leaf without evidence claims nothing."""
    leaves = certificate.leaves.values() if isinstance(certificate, TreeCertificate) else [certificate]
    return not any(isinstance(leaf, NoCertificate) for leaf in leaves)


def same(a: float, b: float) -> bool:
    """Return whether two scores are equal up to the tolerance of float64."""
    return a == b or abs(a - b) <= max(score_tolerance(a), score_tolerance(b))


def near(a: float, b: float, terms: FloatArray, lost: float = 0.0) -> bool:
    """Return whether two sums of terms are equal up to rounding; the sums may cancel, inside a role by `lost`."""
    finite = terms[np.isfinite(terms)]
    return a == b or bool(abs(a - b) <= score_tolerance(float(np.abs(finite).sum())) + lost)


def single_fixings(
    decisions: Decisions, on_sets: Sequence[np.ndarray[Any, Any]], count: int, seed: int
) -> list[Fixings]:
    """Make fixings that leave one structure each, for up to `count` random structures."""
    order = np.random.default_rng(seed).permutation(len(on_sets))[:count]
    every = np.arange(decisions.count)
    return [Fixings(np.where(np.isin(every, on_sets[number]), ON, OFF)) for number in order.tolist()]


def sample_fixings(
    decisions: Decisions, on_sets: Sequence[np.ndarray[Any, Any]], count: int, seed: int
) -> list[Fixings]:
    """Draw fixings to try: none, parts of feasible structures, random ones, and two that allow (almost) nothing."""
    rng = np.random.default_rng(seed)
    none = Fixings.none(decisions.count)
    sampled = [none]
    if not decisions.count:
        return sampled
    for _ in range(count):
        share = rng.random()
        state = np.where(rng.random(decisions.count) < share, FREE, OFF).astype(np.int8)
        if len(on_sets) and rng.random() < 0.7:
            state[on_sets[int(rng.integers(len(on_sets)))]] = ON
            state[rng.random(decisions.count) < share] = FREE
        else:
            state[rng.random(decisions.count) < 0.2] = ON
        sampled.append(Fixings(state))
    if len(on_sets):
        sampled.append(Fixings(np.isin(np.arange(decisions.count), on_sets[0]).astype(np.int8)))
    sampled.append(Fixings(np.full(decisions.count, OFF, np.int8)))
    return sampled
