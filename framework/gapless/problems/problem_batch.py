"""Many problems in a few large arrays: a sequence that builds each `Problem` on access."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar, overload

from gapless.problems.problem import Problem

P = TypeVar("P", bound=Problem[Any])


class ProblemBatch(Sequence[P]):
    """A batch that `gapless.solve_many` passes unchanged to a method with a batch kernel.

    Building one object per problem would limit the throughput. Methods without a batch kernel take the problems out
    one by one.

    Attributes
    ----------
    padded_length : int or None
        Positions per problem in the padded array behind the batch, if any; `BatchResult.padded` returns rows of
        this width.

    Examples
    --------
    >>> from gapless.roles import ProblemBatch
    >>> from gapless_chains import ChainBatch
    >>> issubclass(ChainBatch, ProblemBatch)
    True
    """

    padded_length: int | None = None

    @property
    @abstractmethod
    def problem_type(self) -> type[P]:
        """The class of every problem in the batch, from which the default method follows."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of problems."""

    @overload
    def __getitem__(self, index: int) -> P: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[P]: ...
    @abstractmethod
    def __getitem__(self, index: int | slice) -> P | Sequence[P]:
        """Return the problem at an index, or the batch of a slice."""
