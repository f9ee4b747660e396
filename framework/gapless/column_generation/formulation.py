"""Column-and-row formulation: the input of both branch-price-and-cut drivers (our tree and SCIP's)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import attrs

from gapless.arrays.sparse import BoolArray, IntArray
from gapless.certificates.certificate import Certificate
from gapless.column_generation.pricing_options import PricingOptions
from gapless.decisions.decisions import Fixings
from gapless.oracles.batch import Batch
from gapless.oracles.generator import Generator, GeneratorResult
from gapless.oracles.views import LinearView
from gapless.tree_search.brancher import Brancher, MostFractional
from gapless.tree_search.relaxation import RelaxationResult
from gapless.tree_search.rounding_frequency import checked_frequency

S = TypeVar("S")


@attrs.frozen(eq=False)
class Formulation(Generic[S]):
    """A restricted linear master over decisions, with its generators and brancher.

    The master maximises ``objective @ z`` over ``z >= 0``; columns use the decisions' quantities as stated in
    ``Columns.uses``. An integral point whose quantities satisfy the problem is a solution.

    Parameters
    ----------
    initial : Batch
        First columns and rows. A row over columns in which priced columns have entries must be in this batch,
        in the batch of those columns, or in the master already (`LinearView.row_keys`).
    generators : sequence of Generator
        Pricing and separation. They also decide validity: an integral point is accepted as a solution when no
        generator separates a row from it.
    brancher : Brancher
    rounding : callable, optional
        ``rounding(relaxed)`` makes a feasible structure from a fractional point.
    certify : callable, optional
        ``certify(view, answers)`` makes the certificate of a bound from the prices behind it and the generators'
        results. Without it, bounds are proved but carry no certificate.
    constant : float
        Added to every score.
    exact : bool
        Whether the objective of an integral point of the complete master equals the problem's score. Both drivers
        compare the two and raise `InconsistentBound` if the master's is larger: without this check, a wrong
        objective of a column shows only as a slow search. Set it to False for a master that only bounds scores from
        above, of a nonlinear score for example; nodes are then branched down to single structures.
    rounding_frequency : int
        `rounding` is called at the root and at every n-th node after it: 1 (every node) by default, 0 for the root
        only. Useful when rounding costs more than a node. The optimum does not depend on it.
    pricing : PricingOptions
        Options of column-and-row generation, for both drivers.
    forbidden_columns : callable, optional
        ``forbidden_columns(fixings, keys)`` returns a mask, bool (columns,), of the master's columns with these
        int64 keys: True for a column that is part of no structure under the fixings. Columns that use a
        quantity which is fixed off need no mention. Example: if two items are fixed together, a column with
        only one of them. Our tree takes these columns out at the node instead of adding a row for each decision
        of threshold 1 that is fixed on, so the mask should be as strong as those rows. SCIP's tree keeps the
        rows and does not call it. By default there are rows.

    Examples
    --------
    >>> from gapless.roles import Batch, Formulation
    >>> Formulation(initial=Batch()).generators
    ()
    """

    initial: Batch
    generators: Sequence[Generator[LinearView]] = ()
    brancher: Brancher[S] = attrs.field(factory=MostFractional)
    rounding: Callable[[RelaxationResult[S]], S | None] | None = None
    certify: Callable[[LinearView, Sequence[GeneratorResult]], Certificate] | None = None
    constant: float = 0.0
    exact: bool = True
    rounding_frequency: int = attrs.field(default=1, converter=checked_frequency)
    pricing: PricingOptions = attrs.field(
        factory=PricingOptions, validator=attrs.validators.instance_of(PricingOptions)
    )
    forbidden_columns: Callable[[Fixings, IntArray], BoolArray] | None = None
