"""Factors as decision diagrams: a step function over states, unrolled once into a layered graph."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

import gapless_kernels
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.diagrams.diagram_layout import DiagramLayout, lay_out_diagram
from gapless.factors.diagrams.diagram_steps import DiagramSteps
from gapless.factors.diagrams.layered_graph import LayeredGraph
from gapless.factors.diagrams.unrolling import final_scores, start_of, step_single, unrolled
from gapless.factors.error_notes import factor_name

STEPS = frozenset({"start", "layers", "step", "final"})
"""Attributes that define the scores of a diagram."""


class DecisionDiagram(DiagramSteps):
    """A factor that reads its decisions layer by layer and keeps a *state*: budgets, counts, automata.

    A subclass defines `layers`, `step`, and where they differ from the defaults `start`, `final` and `relax`.
    From these the framework makes a layered graph, once: equal states of a layer are one node, nodes that reach no
    end are left out, nodes with the same edges are merged (Bryant, *Graph-Based Algorithms for Boolean Function
    Manipulation*, 1986, section 4.2). `value` runs the steps; `best` and the compiled search pass over the graph.

    A factor is immutable: steps must not change between calls, nor depend on the other states of a call.

    Attributes
    ----------
    start : int
        State before the first layer, at least 0.
    limit : int
        Largest number of nodes. A diagram with more is relaxed where it has `relax`, else refused.

    Examples
    --------
    >>> from gapless.factors import Cardinality
    >>> from gapless.roles import Decisions, FactorSet
    >>> FactorSet([Cardinality([0, 1], [0.0, 1.0, 3.0])], Decisions(2)).value([0, 1])
    3.0
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Reset the shortcuts that a subclass inherits if it overrides steps: they belong to its base's steps."""
        super().__init_subclass__(**options)
        if STEPS.isdisjoint(vars(cls)):
            return
        # `Budget.value` sums weights and runs no steps; a subclass of `Budget` with another `step` must not use it.
        for shortcut in {"value", "written_graph"} - vars(cls).keys():
            setattr(cls, shortcut, vars(DecisionDiagram)[shortcut])
        if "possible_values" not in vars(cls) and hasattr(cls, "possible_values"):
            cls.possible_values = None

    def written_graph(self, layout: DiagramLayout) -> LayeredGraph | None:
        """Build the layered graph without running steps, if possible; None, the default, runs the steps."""
        return None

    # --- derived

    def scope(self, decisions: Decisions) -> IntArray:
        """Return the decisions of all layers, ascending."""
        return self.layout(decisions).scope.copy()

    def value(self, on: BoolArray) -> float:
        """Run the steps; -inf if two decisions of a layer are on, or none of a group."""
        on = np.asarray(on, bool)
        return self._value(_cache_of(self).of_size(self, on.size), on)

    def _value(self, layout: DiagramLayout, on: BoolArray) -> float:
        choices = layout.chosen(on)
        if choices is None:
            return -np.inf
        state, total = np.array([start_of(self)]), 0.0
        for layer, choice in enumerate(choices):
            state, score = step_single(self, layer, choice, state)
            if state[0] < 0 or score == -np.inf:
                return -np.inf
            total += score
        return total + float(final_scores(self, state)[0])

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Find the longest path; in a relaxed diagram, its length is an upper bound."""
        weights = np.asarray(weights, np.float64)
        layout = _cache_of(self).of_size(self, weights.size)
        return self.best_under(weights, layout.free)

    def best_under(self, weights: FloatArray, state: NDArray[np.int8]) -> tuple[float, BoolArray]:
        """As `best`, but among the configurations that agree with a state, int8 (scope,): -1 free, 0 off, 1 on."""
        cache = _cache_of(self)
        # Passes take prices, which are subtracted.
        value, on = cache.passes_of(self, cache.of_size(self, weights.size)).solve(-weights, state)
        return value, on.view(bool)

    def graph(self, decisions: Decisions) -> LayeredGraph:
        """Return the layered graph over these decisions, built once.

        Raises
        ------
        InvalidProblem
            Steps of a wrong shape, NaN, plus infinity; more nodes than `limit`.
        """
        return _cache_of(self).graph_of(self, self.layout(decisions))

    def largest_term(self, decisions: Decisions) -> float:
        """Return the largest score of a step or a final state."""
        graph = self.graph(decisions)
        return max(float(scores.max(initial=0.0)) for scores in (graph.constants, graph.scores, graph.final))

    def over(self, decisions: Decisions) -> DecisionDiagram:
        """Return a copy for configurations of these decisions; it shares the graphs."""
        bound = copy(self)
        _set_cache(bound, _cache_of(self).restricted_to(self.layout(decisions), decisions))
        return bound

    def layout(self, decisions: Decisions) -> DiagramLayout:
        """Return the scope, and the indices in it that each layer reads."""
        return _cache_of(self).layout_over(self, decisions)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Add the layouts to copies and pickles: the factor of a copied problem may be called before `scope`."""
        reduced = super().__reduce_ex__(max(protocol, 2))
        if not isinstance(reduced, tuple):
            return reduced
        return (_copied, (_cache_of(self).layouts, *reduced[1]), *reduced[2:])

    def compiled(self, decisions: Decisions) -> Any:
        """Return compiled passes over the graph; None without compiled kernels."""
        if not gapless_kernels.COMPILED:
            return None
        layout = self.layout(decisions)
        # New passes, not those of the cache: each search needs a workspace for itself.
        return passes(_cache_of(self).graph_of(self, layout), layout.scope, partial(self._value, layout))


class _DiagramCache:
    """Layouts, graphs and passes of one diagram; copies and pickles keep only the layouts."""

    def __init__(self, layouts: Sequence[DiagramLayout] = ()) -> None:
        self._layouts: WeakKeyDictionary[Decisions, DiagramLayout] = WeakKeyDictionary()
        self._by_key: dict[Any, DiagramLayout] = {}
        self._by_size: dict[int, list[DiagramLayout]] = {}
        self._graphs: dict[Any, LayeredGraph] = {}
        self._passes: dict[Any, Any] = {}
        for layout in layouts:
            self._add(layout)

    def __reduce__(self) -> Any:
        return _DiagramCache, (self.layouts,)

    @property
    def layouts(self) -> list[DiagramLayout]:
        """All distinct layouts."""
        return list(self._by_key.values())

    def restricted_to(self, layout: DiagramLayout, decisions: Decisions) -> _DiagramCache:
        """Make a cache with one of the layouts, which shares the graphs and passes of all."""
        restricted = _DiagramCache((layout,))
        restricted._layouts[decisions] = layout
        restricted._graphs, restricted._passes = self._graphs, self._passes
        return restricted

    def _add(self, layout: DiagramLayout) -> None:
        if layout.key not in self._by_key:
            self._by_key[layout.key] = layout
            self._by_size.setdefault(layout.scope.size, []).append(layout)

    def layout_over(self, factor: DecisionDiagram, decisions: Decisions) -> DiagramLayout:
        layout = self._layouts.get(decisions)
        if layout is None:
            layout = self._layouts[decisions] = lay_out_diagram(factor, decisions)
            self._add(layout)
        return layout

    def of_size(self, factor: DecisionDiagram, size: int) -> DiagramLayout:
        """Return the layout of a configuration of `size` decisions: `value` receives no problem (decision 035)."""
        layouts = self._by_size.get(size, ())
        if len(layouts) == 1:
            return layouts[0]
        if layouts:
            raise InvalidProblem(
                f"factor {factor_name(factor)}: it stands over two problems that give it {size} decisions each, "
                "but in different layers; ask factor.over(decisions)"
            )
        raise InvalidProblem(
            f"factor {factor_name(factor)}: a configuration of {size} decisions, but scope() listed "
            f"{' or '.join(map(str, sorted(self._by_size))) or 'none yet; call scope(decisions) first'}"
        )

    def graph_of(self, factor: DecisionDiagram, layout: DiagramLayout) -> LayeredGraph:
        if layout.key not in self._graphs:
            written = factor.written_graph(layout)
            self._graphs[layout.key] = unrolled(factor, layout) if written is None else written
        return self._graphs[layout.key]

    def passes_of(self, factor: DecisionDiagram, layout: DiagramLayout) -> Any:
        if layout.key not in self._passes:
            self._passes[layout.key] = passes(
                self.graph_of(factor, layout), layout.scope, partial(factor._value, layout)
            )
        return self._passes[layout.key]


def _set_cache(factor: DecisionDiagram, cache: _DiagramCache) -> None:
    object.__setattr__(factor, "_diagram_cache", cache)  # past `__setattr__`: the user's class may be frozen


def _cache_of(factor: DecisionDiagram) -> _DiagramCache:
    cache: _DiagramCache | None = factor.__dict__.get("_diagram_cache")
    if cache is None:  # not in `__init__`, which attrs generates, and users override
        _set_cache(factor, cache := _DiagramCache())
    return cache


def _copied(layouts: Sequence[DiagramLayout], cls: Any, *arguments: Any) -> Any:
    factor = cls.__new__(cls, *arguments)
    _set_cache(factor, _DiagramCache(layouts))
    return factor


def passes(graph: LayeredGraph, scope: IntArray, value: Any) -> Any:
    """Make passes over a graph, with a workspace of their own: compiled, or their NumPy twin."""
    if gapless_kernels.COMPILED:
        from gapless_kernels.diagrams._diagram import DiagramFactor  # noqa: PLC0415  loaded when it is used
    else:
        from gapless_kernels.diagrams._diagram_twin import DiagramFactor  # type: ignore[assignment]  # noqa: PLC0415
    return DiagramFactor(
        scope,
        graph.arrays,
        exact_value=value if graph.relaxed else None,
        checked=True,  # the arrays were made by the framework, and are read-only
    )
