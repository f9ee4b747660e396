"""A column-and-row formulation: what both branch-price-and-cut drivers (own tree, SCIP) are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import attrs

from gapless.core.batch import Batch
from gapless.core.brancher import Brancher, MostFractional
from gapless.core.certificate import Certificate
from gapless.core.oracle import Generator, LinearView
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
        First columns and rows; rows that priced columns enter must be here or come with the columns.
    generators : sequence of Generator
        Pricing and separation. They also decide validity: a point from which none of them separates a row is
        taken as an answer once it is integral.
    brancher : Brancher
    rounding : callable, optional
        ``rounding(relaxed)`` makes a feasible structure from a fractional point.
    constant : float
        Added to every score.
    certificate : callable, optional
        ``certificate(view)`` makes evidence from the prices of the master, asked when a round of pricing gave the
        bound; also while the master is infeasible, to prove that nothing is feasible.
    """

    initial: Batch
    generators: Sequence[Generator[LinearView]] = ()
    brancher: Brancher[S] = attrs.field(factory=MostFractional)
    rounding: Callable[[Relaxed[S]], S | None] | None = None
    constant: float = 0.0
    certificate: Callable[[LinearView], Certificate] | None = None
