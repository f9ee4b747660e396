"""A column-and-row formulation: what both branch-price-and-cut drivers (own tree, SCIP) are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import attrs

from gapless.core.batch import Batch
from gapless.core.brancher import Brancher, MostFractional
from gapless.core.certificate import Certificate
from gapless.core.oracle import Answer, Generator, LinearView
from gapless.core.relaxation import Relaxed

S = TypeVar("S")


@attrs.frozen(eq=False)
class Formulation(Generic[S]):
    """A restricted linear master over decisions, and how to complete and branch it.

    The master maximises ``objective @ z`` over ``z >= 0``; the decisions' quantities are used by columns as
    ``Columns.uses`` says. An integral point whose quantities satisfy the problem is an answer.

    Parameters
    ----------
    initial : Batch
        First columns and rows; rows over columns that priced columns enter must be here, come with the columns, or
        be in the master already (`LinearView.row_keys`).
    generators : sequence of Generator
        Pricing and separation. They also decide validity: a point from which none of them separates a row is
        taken as an answer once it is integral.
    brancher : Brancher
    rounding : callable, optional
        ``rounding(relaxed)`` makes a feasible structure from a fractional point.
    certify : callable, optional
        ``certify(view, answers)`` makes the certificate of a bound from the prices that gave it and the answers
        of the generators. Without it, answers are proved but carry no certificate.
    constant : float
        Added to every score.
    """

    initial: Batch
    generators: Sequence[Generator[LinearView]] = ()
    brancher: Brancher[S] = attrs.field(factory=MostFractional)
    rounding: Callable[[Relaxed[S]], S | None] | None = None
    certify: Callable[[LinearView, Sequence[Answer]], Certificate] | None = None
    constant: float = 0.0
