"""Many problems held as a few large arrays: a sequence that makes a `Problem` only when one is asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar, overload

from gapless.core.problem import Problem

P = TypeVar("P", bound=Problem[Any])


class ProblemBatch(Sequence[P]):
    """What `gapless.solve_many` hands over as it is to a method with a batch kernel.

    At half a million sentences a second there is no time to build an object for each. A method without a batch
    kernel takes the problems out one by one.

    Attributes
    ----------
    padded_to : int or None
        Places of each problem in the padded array that the batch was made of, if it was made of one:
        `BatchResult.padded` answers in rows as long.
    """

    padded_to: int | None = None

    @property
    @abstractmethod
    def problem_type(self) -> type[P]:
        """The class of every problem in the batch; it chooses the method."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of problems."""

    @overload
    def __getitem__(self, at: int) -> P: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[P]: ...
    @abstractmethod
    def __getitem__(self, at: int | slice) -> P | Sequence[P]:
        """Make one problem, or a batch of some."""
