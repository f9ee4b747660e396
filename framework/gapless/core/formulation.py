"""A column-and-row formulation: the input of both branch-price-and-cut drivers (own tree, SCIP)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.batch import Batch
from gapless.core.brancher import Brancher, MostFractional
from gapless.core.certificate import Certificate
from gapless.core.decisions import Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.oracle import Answer, Generator, LinearView
from gapless.core.pricing import Pricing
from gapless.core.relaxation import Relaxed
from gapless.core.sparse import BoolArray, IntArray

S = TypeVar("S")


def checked_frequency(value: Any) -> int:
    """A valid rounding frequency as an integer; raises `InvalidProblem` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise InvalidProblem(
            f"rounding_frequency is {value!r}, expected an integer: 1 for every node, n for every n-th, 0 for the "
            "root only"
        )
    return int(value)


def rounds_at(frequency: int, number: int) -> bool:
    """Whether rounding is called at the node after `number` nodes."""
    return number % frequency == 0 if frequency else number == 0


@attrs.frozen(eq=False)
class Formulation(Generic[S]):
    """A restricted linear master over decisions, and how to complete and branch it.

    The master maximises ``objective @ z`` over ``z >= 0``; columns use the decisions' quantities as stated in
    ``Columns.uses``. An integral point whose quantities satisfy the problem is an answer.

    Parameters
    ----------
    initial : Batch
        First columns and rows. Rows over columns that priced columns enter must be here, come with the columns, or
        be in the master already (`LinearView.row_keys`).
    generators : sequence of Generator
        Pricing and separation. They also decide validity: an integral point is accepted as an answer when no
        generator separates a row from it.
    brancher : Brancher
    rounding : callable, optional
        ``rounding(relaxed)`` makes a feasible structure from a fractional point.
    certify : callable, optional
        ``certify(view, answers)`` makes the certificate of a bound from the prices behind it and the generators'
        answers. Without it, answers are proved but carry no certificate.
    constant : float
        Added to every score.
    exact : bool
        Whether an integral point of the complete master scores what the problem says. Both drivers compare the two
        and raise `InconsistentBound` where the master scores more: without this check, a wrong objective of a
        column shows only as a slow search. Set it to False for a master that only bounds values from above, of a
        nonlinear score for example; nodes are then branched down to single structures.
    rounding_frequency : int
        `rounding` is called at the root and at every n-th node after it: 1 (every node) by default, 0 for the root
        only. Useful when rounding costs more than a node. The answer does not depend on it.
    pricing : Pricing
        Options of column-and-row generation, for both drivers.
    excludes : callable, optional
        ``excludes(fixings, keys)`` says of which of the master's columns, bool (columns,) in the order of their
        int64 keys, no structure under the fixings is made, beyond those that use a quantity which is fixed off: of
        two items that are together, a column with one alone. Our tree takes them out at the node, instead of a row
        for each decision of threshold 1 that is fixed on; so it should say all that these rows would. SCIP's tree
        keeps the rows, and does not call it. By default there are rows.

    Examples
    --------
    >>> from gapless.roles import Batch, Formulation
    >>> Formulation(initial=Batch()).generators
    ()
    """

    initial: Batch
    generators: Sequence[Generator[LinearView]] = ()
    brancher: Brancher[S] = attrs.field(factory=MostFractional)
    rounding: Callable[[Relaxed[S]], S | None] | None = None
    certify: Callable[[LinearView, Sequence[Answer]], Certificate] | None = None
    constant: float = 0.0
    exact: bool = True
    rounding_frequency: int = attrs.field(default=1, converter=checked_frequency)
    pricing: Pricing = attrs.field(factory=Pricing, validator=attrs.validators.instance_of(Pricing))
    excludes: Callable[[Fixings, IntArray], BoolArray] | None = None
