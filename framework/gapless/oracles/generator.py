"""The generator: an oracle that prices missing columns and separates missing rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs

from gapless.arrays.sparse import FloatArray
from gapless.oracles.batch import Batch
from gapless.oracles.views import MasterView

V = TypeVar("V", bound=MasterView)


@attrs.frozen(eq=False)
class GeneratorResult:
    """The result of a query to a generator.

    Parameters
    ----------
    batch : Batch
        Missing columns and rows.
    pricing_gap : float, optional
        Upper bound on the complete relaxation minus the restricted one that was viewed, over *all* missing columns
        of this generator, the returned ones included (decision 002). 0.0 claims that no missing column could
        improve the viewed master. None, the default, claims nothing and proves nothing: a round that finds nothing
        new and lacks a claim raises `MissingBound`. Missing rows do not count; they only lower the bound, so a
        generator that only separates rows states 0.0.
    evidence : mapping of str to arrays
        Dual completion, for the certificate.
    scored : int
        Number of scopes scored for the result.

    Examples
    --------
    >>> from gapless.roles import GeneratorResult, Batch
    >>> GeneratorResult(pricing_gap=0.0).pricing_gap  # nothing is missing
    0.0
    >>> GeneratorResult().pricing_gap is None  # nothing is claimed
    True
    """

    batch: Batch = attrs.field(factory=Batch)
    pricing_gap: float | None = None
    evidence: Mapping[str, Any] = attrs.field(factory=dict)
    scored: int = 0


class Generator(ABC, Generic[V]):
    """An oracle that prices missing columns and separates missing rows.

    **Equal views get equal results.** A generator may cache anything that it could recompute: keys in the order in
    which their columns and rows were first generated, scores, layouts. It must not keep a list of the master's
    contents: trees jump between nodes, one generator may serve several masters, and the engine may have held
    returned columns back. The contents are in the view (`LinearView.column_keys`, `LinearView.row_keys`); a result
    depends on the view alone.

    Attributes
    ----------
    stages : sequence of str
        Names of the stages of pricing, the exact one last. If there are any, `query` takes a keyword `stage`, the
        exact one by default: ``query(view, *, limit=None, stage="exact")``. Stages before the last need not claim a
        pricing gap; if one finds nothing, the engine calls the next one, and the next round begins with that. A
        stage that claims a gap of 0 states that no column is missing. Each node begins with the first stage.

    Examples
    --------
    >>> from gapless.roles import Generator
    >>> from gapless_chains import ReducedCostOracle
    >>> issubclass(ReducedCostOracle, Generator)
    True
    """

    stages: Sequence[str] = ()

    def reduced_cost_bounds(self, view: V) -> FloatArray | None:
        """Bound the reduced cost of missing columns through each quantity, for reduced-cost fixing.

        Upper bounds, float64 (quantities,): no column that the view lacks and that uses the quantity has a larger
        reduced cost; -inf where there is none. If a column need not be integral and uses the quantity more than
        once, its reduced cost is divided by the number of uses. The engine calls this once the pricing gap is
        closed. None, the default, means that no bounds are known.
        """
        return None

    @abstractmethod
    def query(self, view: V, *, limit: int | None = None) -> GeneratorResult:
        """Find columns of positive reduced cost and violated rows, about `limit` at most, and claim a pricing gap.

        Returned columns and rows may not enter at once: the engine may hold rows over columns back for a round in
        which another generator adds columns, and columns for a round with such rows. Return them again while the
        view lacks them.
        """
