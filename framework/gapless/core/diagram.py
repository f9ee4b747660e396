"""Factors as decision diagrams: a step function over states, unrolled once into a layered graph."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

import gapless_kernels
from gapless.core.decisions import Decisions
from gapless.core.diagram_layout import Layout, laid_out
from gapless.core.errors import InvalidProblem
from gapless.core.factor import ConfigurationFactor, name_of
from gapless.core.layered_graph import LayeredGraph
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.unrolling import ended, start_of, step_alone, unrolled

STEPS = frozenset({"start", "layers", "step", "final"})
"""The names that say what a diagram scores."""


class Diagram(ConfigurationFactor):
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

    start: int = 0
    limit: ClassVar[int] = 1_000_000

    def __init_subclass__(cls, **options: Any) -> None:
        """Shortcuts past the steps stand for the steps of their own class: another one's have none, or its own."""
        super().__init_subclass__(**options)
        if STEPS.isdisjoint(vars(cls)):
            return
        for shortcut in {"value", "written_graph"} - vars(cls).keys():
            setattr(cls, shortcut, vars(Diagram)[shortcut])
        if "possible_values" not in vars(cls) and hasattr(cls, "possible_values"):
            cls.possible_values = None

    @abstractmethod
    def layers(self, decisions: Decisions) -> Sequence[Sequence[int]]:
        """The decisions that each layer reads, in the order in which they are read; none of them twice.

        A layer of one decision reads whether it is on. Of a layer of several at most one may be on: others are
        forbidden; where the layer has all decisions of a group of `Decisions.exactly_one`, one must be on.
        """

    @abstractmethod
    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """Follow a choice from each state of a layer.

        Parameters
        ----------
        layer : int
            Its number, from 0.
        choice : int
            Index in the layer of the decision that is on, -1 where none is.
        states : int64 (m,)
            States before the layer, ascending.

        Returns
        -------
        next : int64 (m,)
            States after the layer, at least 0; -1 forbids.
        scores : float64 (m,), or a number for all
            At most 1e12 in size; -inf forbids.
        """

    def final(self, states: IntArray) -> FloatArray | float:
        """Scores of the states after the last layer, float64 (m,); -inf forbids. By default 0."""
        return 0.0

    def relax(self, layer: int, states: IntArray) -> IntArray:
        """Coarser states, int64 (m,), for a layer with too many; those that become equal are merged.

        Whatever may follow a state must be allowed, with at least its score, after the coarser one: then bounds
        stay true. Called again while states are too many and grow fewer. By default a diagram is not relaxed.

        Parameters
        ----------
        layer : int
            The layer that the states stand before; after the last one, the number of layers.
        states : int64 (m,)
            Ascending.
        """
        raise NotImplementedError

    @property
    def can_be_relaxed(self) -> bool:
        """Whether the class defines `relax`."""
        return type(self).relax is not Diagram.relax

    def written_graph(self, layout: Layout) -> LayeredGraph | None:
        """The layered graph where it can be written down without steps; None, the default, runs the steps."""
        return None

    # --- derived

    def scope(self, decisions: Decisions) -> IntArray:
        """The decisions of all layers, ascending."""
        return self.layout(decisions).scope.copy()

    def value(self, on: BoolArray) -> float:
        """Run the steps; -inf where two decisions of a layer are on, or none of a group."""
        on = np.asarray(on, bool)
        return self._value(_kept(self).of_size(self, on.size), on)

    def _value(self, layout: Layout, on: BoolArray) -> float:
        choices = layout.chosen(on)
        if choices is None:
            return -np.inf
        state, total = np.array([start_of(self)]), 0.0
        for layer, choice in enumerate(choices):
            state, score = step_alone(self, layer, choice, state)
            if state[0] < 0 or score == -np.inf:
                return -np.inf
            total += score
        return total + float(ended(self, state)[0])

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """The longest path; of a relaxed diagram an upper bound, and the configuration of its path."""
        weights = np.asarray(weights, np.float64)
        kept = _kept(self)
        layout = kept.of_size(self, weights.size)
        value, on = kept.passes_of(self, layout).solve(-weights, layout.free)
        return value, on.view(bool)

    def best_under(self, weights: FloatArray, state: NDArray[np.int8]) -> tuple[float, BoolArray]:
        """As `best`, of the configurations that agree with a state, int8 (scope,): -1 free, 0 off, 1 on."""
        kept = _kept(self)
        value, on = kept.passes_of(self, kept.of_size(self, weights.size)).solve(-weights, state)
        return value, on.view(bool)

    def graph(self, decisions: Decisions) -> LayeredGraph:
        """The layered graph over these decisions, made once.

        Raises
        ------
        InvalidProblem
            Steps of a wrong shape, NaN, plus infinity; more nodes than `limit`.
        """
        return _kept(self).graph_of(self, self.layout(decisions))

    def largest_term(self, decisions: Decisions) -> float:
        """The largest score of a step or an end."""
        graph = self.graph(decisions)
        return max(float(scores.max(initial=0.0)) for scores in (graph.constants, graph.scores, graph.final))

    def over(self, decisions: Decisions) -> Diagram:
        """A copy that reads every configuration as one of these decisions; graphs are shared."""
        bound = copy(self)
        object.__setattr__(
            bound, "_kept", _kept(self).only(self.layout(decisions), decisions)
        )  # also where the class is frozen
        return bound

    def layout(self, decisions: Decisions) -> Layout:
        """The scope, and the places in it that each layer reads."""
        return _kept(self).over(self, decisions)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Copies and pickles know the layouts, as a copied problem does not ask for scopes again."""
        made = super().__reduce_ex__(max(protocol, 2))
        return (_copied, (_kept(self).layouts, *made[1]), *made[2:]) if isinstance(made, tuple) else made

    def compiled(self, decisions: Decisions) -> Any:
        """Compiled passes over the graph; None without compiled kernels."""
        if not gapless_kernels.COMPILED:
            return None
        layout = self.layout(decisions)
        return passes(_kept(self).graph_of(self, layout), layout.scope, partial(self._value, layout))


class _Kept:
    """Layouts, graphs and passes of one diagram; copies and pickles keep the layouts."""

    def __init__(self, layouts: Sequence[Layout] = ()) -> None:
        self._layouts: WeakKeyDictionary[Decisions, Layout] = WeakKeyDictionary()
        self._by_key: dict[Any, Layout] = {}
        self._by_size: dict[int, list[Layout]] = {}
        self._graphs: dict[Any, LayeredGraph] = {}
        self._passes: dict[Any, Any] = {}
        for layout in layouts:
            self._know(layout)

    def __reduce__(self) -> Any:
        return _Kept, (self.layouts,)

    @property
    def layouts(self) -> list[Layout]:
        """All that differ."""
        return list(self._by_key.values())

    def only(self, layout: Layout, decisions: Decisions) -> _Kept:
        """One layout of these, with the graphs and passes of all."""
        one = _Kept((layout,))
        one._layouts[decisions] = layout
        one._graphs, one._passes = self._graphs, self._passes
        return one

    def _know(self, layout: Layout) -> None:
        if layout.key not in self._by_key:
            self._by_key[layout.key] = layout
            self._by_size.setdefault(layout.scope.size, []).append(layout)

    def over(self, factor: Diagram, decisions: Decisions) -> Layout:
        found = self._layouts.get(decisions)
        if found is None:
            found = self._layouts[decisions] = laid_out(factor, decisions)
            self._know(found)
        return found

    def of_size(self, factor: Diagram, size: int) -> Layout:
        """The layout that a configuration of `size` decisions belongs to."""
        found = self._by_size.get(size, ())
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidProblem(
                f"factor {name_of(factor)}: it stands over two problems that give it {size} decisions each, but in "
                "different layers; ask factor.over(decisions)"
            )
        raise InvalidProblem(
            f"factor {name_of(factor)}: a configuration of {size} decisions, but scope() listed "
            f"{' or '.join(map(str, sorted(self._by_size))) or 'none yet; call scope(decisions) first'}"
        )

    def graph_of(self, factor: Diagram, layout: Layout) -> LayeredGraph:
        if layout.key not in self._graphs:
            written = factor.written_graph(layout)
            self._graphs[layout.key] = unrolled(factor, layout) if written is None else written
        return self._graphs[layout.key]

    def passes_of(self, factor: Diagram, layout: Layout) -> Any:
        if layout.key not in self._passes:
            self._passes[layout.key] = passes(
                self.graph_of(factor, layout), layout.scope, partial(factor._value, layout)
            )
        return self._passes[layout.key]


def _kept(factor: Diagram) -> _Kept:
    found: _Kept | None = factor.__dict__.get("_kept")
    if found is None:
        found = _Kept()
        object.__setattr__(factor, "_kept", found)  # also where the class is frozen
    return found


def _copied(layouts: Sequence[Layout], cls: Any, *arguments: Any) -> Any:
    made = cls.__new__(cls, *arguments)
    object.__setattr__(made, "_kept", _Kept(layouts))
    return made


def passes(graph: LayeredGraph, scope: IntArray, value: Any) -> Any:
    """Passes over a graph, with room of their own: compiled, or their NumPy twin."""
    if gapless_kernels.COMPILED:
        from gapless_kernels.diagrams._diagram import DiagramFactor  # noqa: PLC0415  loaded when it is used
    else:
        from gapless_kernels.diagrams._diagram_twin import DiagramFactor  # type: ignore[assignment]  # noqa: PLC0415
    return DiagramFactor(
        scope,
        graph.arrays,
        exact_value=value if graph.relaxed else None,
        checked=True,  # laid out by `packed`
    )
