"""A bound on the configurations of a factor, for certificates: computed, or compared with ``value``."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.decisions import FREE, OFF, ON, Decisions
from gapless.core.diagram import Diagram
from gapless.core.diagram_layout import Layout
from gapless.core.errors import InvalidProblem
from gapless.core.factor import ConfigurationFactor, largest_term_of, name_of, named_after
from gapless.core.score_array import LARGEST
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import EPSILON, margin, rounding
from gapless.core.unrolling import coarser_states, ended, start_of, stepped
from gapless.core.work import kept_meanwhile, spend_work

States = NDArray[np.int8]

ENUMERATED = 8
"""Over so many free decisions all configurations are scored; over more, those that are likely to be the best."""

REWARDS, CERTAIN = 6, 1e300
"""Growing rewards for decisions that are on, and one that outweighs any sum of scores."""


def configuration_bound(
    factor: ConfigurationFactor, decisions: Decisions, weights: FloatArray, state: States
) -> float:
    """An upper bound on ``value(on) + weights[on].sum()`` over the configurations that agree with a state.

    The steps of a `Diagram` are run as a dynamic program over states, whatever the compiled graph says, with what
    float64 may round away counted: certain, unless it has to be relaxed. Of other factors all configurations
    are scored where at most 8 decisions are free. Over more, the bound is ``best``, with a reward for what is on;
    whoever wrote the factor wrote that, too. The configuration that it names, the empty one, single decisions and
    the heaviest ones for each number are scored: a factor that passes all these may still be wrong.

    Parameters
    ----------
    weights : float64 (count,)
        In the order of the scope; -inf forbids.
    state : int8 (count,)
        -1 free, 0 off, 1 on.

    Returns
    -------
    float
        -inf where no configuration is allowed.

    Raises
    ------
    InvalidProblem
        A configuration is worth more than ``best`` said, or a step is wrong.
    """
    if isinstance(factor, Diagram):
        return _diagram_bound(factor, factor.layout(decisions), weights, state)
    on = state == ON
    free = np.flatnonzero((state == FREE) & (weights > -np.inf))
    if not free.size:
        return _rounded_up(*_worth(factor, weights, on))
    enumerated = free.size <= ENUMERATED
    claimed, named = _best(factor, np.where(state == OFF, -np.inf, weights))
    if not enumerated and on.any():
        claimed = min(claimed, _holding(factor, np.where(state == OFF, -np.inf, weights), on))
    most = size = -math.inf
    lost = _lost_by_best(factor, decisions, weights)
    for chosen in _all(free) if enumerated else _likely(weights, free, named):
        spend_work(weights.size, 8)
        configuration = on.copy()
        configuration[list(chosen)] = True
        worth, scale = _worth(factor, weights, configuration)
        if worth > claimed + margin(abs(worth)) + lost:
            raise InvalidProblem(
                f"factor {name_of(factor)}: best() promises that no configuration is worth more than "
                f"{claimed:.12g}, but by value() one of {int(np.count_nonzero(configuration))} decisions is "
                f"worth {worth:.12g}"
            )
        most, size = max(most, worth), max(size, scale)
    return _rounded_up(most, size) if enumerated else _rounded_up(claimed, lost)


def configuration_flips(
    factor: ConfigurationFactor, decisions: Decisions, weights: FloatArray, state: States
) -> tuple[FloatArray, FloatArray] | None:
    """Upper bounds as `configuration_bound` with each decision of the scope on, and with each off; in one pass.

    None for a factor that is no diagram: it has to be asked decision by decision.

    Returns
    -------
    on, off : float64 (count,)
        -inf where no configuration is allowed.
    """
    if not isinstance(factor, Diagram):
        return None
    layout = factor.layout(decisions)
    run = _all_steps(factor, layout)
    worth = _worth_of_choices(layout, weights, state)
    below = list(_below(run, layout, worth))
    through = np.full(worth.size, -np.inf)
    above = np.zeros(1)
    for layer, steps in enumerate(run.layers):
        blocks = slice(*layout.first_choice[layer : layer + 2].tolist())
        spend_work(20.0 * steps.targets.size, 8 * len(steps.targets))
        reached = above + (steps.scores + worth[blocks, None])
        through[blocks] = (reached + below[-layer - 2][steps.targets]).max(axis=1, initial=-np.inf)
        above = np.full(steps.following + 1, -np.inf)
        np.maximum.at(above, steps.targets, reached)
        above = above[:-1]
    sizes, read = np.diff(layout.first_choice), layout.blocks
    without = most_of_others(through, sizes[sizes > 0])
    on, off = np.full((2, layout.scope.size), -np.inf)
    on[read[read >= 0]], off[read[read >= 0]] = through[read >= 0], without[read >= 0]
    return on, off


def _lost_by_best(factor: ConfigurationFactor, decisions: Decisions, weights: FloatArray) -> float:
    """Rounding by which ``best`` may claim less than ``value`` and the weights sum to, at most."""
    size = float(np.abs(weights[np.isfinite(weights)]).sum())
    return rounding(weights.size, size, largest_term_of(factor, decisions))


def _holding(factor: ConfigurationFactor, weights: FloatArray, on: BoolArray) -> float:
    """The promise of ``best`` about the configurations that hold some decisions; -inf where it knows none.

    With any reward for each of them, those are worth no more than it promises, less all rewards. The reward grows
    until the configuration that it names holds them: then no other reward gives less.
    """
    if weights[on].min() == -math.inf:
        return -math.inf
    reward, least = 1.0 + float(np.abs(weights[weights > -np.inf]).sum()), math.inf
    for _ in range(REWARDS):
        spend_work(10.0 * weights.size, 20)
        promised, named = _best(factor, np.where(on, weights + reward, weights))
        if promised == -math.inf:
            return promised
        paid = reward * int(on.sum())
        least = min(least, _rounded_up(promised - paid, EPSILON * (on.size + 4) * (abs(promised) + paid)))
        if named[on].all():
            return least
        reward *= 16.0
    _, named = _best(factor, np.where(on, CERTAIN, weights))
    return least if named[on].all() else -math.inf


def allows_configuration(factor: ConfigurationFactor, decisions: Decisions, state: States) -> bool:
    """Whether some configuration that agrees with a state scores more than -inf.

    Of a factor that is no diagram and has more than 8 free decisions, ``best`` is asked with weights that outweigh
    any sum of scores: it then leaves out a decision that is on only where no allowed configuration has them all.
    """
    free = np.flatnonzero(state == FREE)
    if isinstance(factor, Diagram) or free.size <= ENUMERATED:
        if isinstance(factor, Diagram):
            return configuration_bound(factor, decisions, np.zeros(state.size), state) > -np.inf
        for chosen in _all(free):
            spend_work(state.size, 4)
            configuration = state == ON
            configuration[list(chosen)] = True
            if _value(factor, configuration) > -np.inf:
                return True
        return False
    spend_work(10.0 * state.size, 20)
    value, named = _best(factor, np.where(state == ON, CERTAIN, np.where(state == FREE, 0.0, -np.inf)))
    return bool(value != -np.inf and np.all(np.asarray(named, bool)[state == ON]))


def word_of_factor(factor: ConfigurationFactor, decisions: Decisions, scope: IntArray) -> str:
    """In words, what a bound on a factor rests on beyond `value`; empty where all is computed."""
    name = name_of(factor)
    if not isinstance(factor, Diagram):
        return f"the bound on factor {name} rests on the word of its best()" if scope.size > ENUMERATED else ""
    if factor.can_be_relaxed and _all_steps(factor, factor.layout(decisions)).relaxed:
        return f"the bound on factor {name} rests on the word of its relax()"
    return ""


def _value(factor: ConfigurationFactor, on: BoolArray) -> float:
    with named_after(factor, "value"):
        value = float(factor.value(on))
    if LARGEST < abs(value) < math.inf:
        raise InvalidProblem(
            f"factor {name_of(factor)}: value() gave {value}, expected at most {LARGEST:g} in size"
        )
    return value


def _best(factor: ConfigurationFactor, weights: FloatArray) -> tuple[float, BoolArray]:
    with named_after(factor, "best"):
        claimed, named = factor.best(weights)
        on: BoolArray = np.asarray(named, bool)
        return float(claimed), on


def _worth(factor: ConfigurationFactor, weights: FloatArray, on: BoolArray) -> tuple[float, float]:
    """Worth of a configuration, and the rounding that its sum may lose."""
    value, own = _value(factor, on), weights[on]
    size = float(np.abs(own[np.isfinite(own)]).sum()) + (abs(value) if math.isfinite(value) else 0.0)
    return value + float(own.sum()), EPSILON * (own.size + 4) * size


def _rounded_up(worth: float, lost: float) -> float:
    return math.nextafter(worth + lost, math.inf) if worth > -math.inf else worth


def _all(free: IntArray) -> Iterator[tuple[int, ...]]:
    for count in range(free.size + 1):
        yield from itertools.combinations(free.tolist(), count)


def _likely(weights: FloatArray, free: IntArray, named: BoolArray) -> Iterator[tuple[int, ...]]:
    yield tuple(np.flatnonzero(named).tolist())
    heaviest = free[np.argsort(-weights[free], kind="stable")].tolist()
    for count in range(len(heaviest) + 1):
        yield tuple(heaviest[:count])
    for place in heaviest[1:]:
        yield (place,)


# --- diagrams


@attrs.frozen(eq=False)
class _Steps:
    """The steps of a layer.

    Parameters
    ----------
    targets : int64 (choices, m)
        Number of the state in the next layer; that of none where a choice is forbidden.
    scores : float64 (choices, m)
        Raised by what the sums may round away.
    following : int
        Number of states in the next layer.
    """

    targets: IntArray
    scores: FloatArray
    following: int


def _diagram_bound(factor: Diagram, layout: Layout, weights: FloatArray, state: States) -> float:
    run = _all_steps(factor, layout)
    (first,) = deque(_below(run, layout, _worth_of_choices(layout, weights, state)), maxlen=1)
    return float(first[0])


def _below(run: _Run, layout: Layout, worth: FloatArray) -> Iterator[FloatArray]:
    """Bounds from each state to the end, from the last layer to the first; one of -inf more, for no state."""
    below = np.append(run.final, -np.inf)
    yield below
    first = layout.first_choice.tolist()
    for layer in range(len(run.layers) - 1, -1, -1):
        steps = run.layers[layer]
        spend_work(10.0 * steps.targets.size, 4 * len(steps.targets))
        own = steps.scores + worth[first[layer] : first[layer + 1], None]
        states = steps.targets.shape[1]
        above = np.full(states + 1, -np.inf)
        (own + below[steps.targets]).max(axis=0, initial=-np.inf, out=above[:states])
        below = above
        yield below


def _worth_of_choices(layout: Layout, weights: FloatArray, state: States) -> FloatArray:
    """Worth of each choice of each layer: a weight, which is raised; -inf where the state forbids it."""
    places = layout.blocks
    none = places < 0
    worth = np.where(none, 0.0, _raised(np.append(weights, 0.0), 2 * layout.layers + 2)[places])
    seen = np.where(none, OFF, np.append(state, OFF)[places])
    worth[~none & (seen == OFF)] = -np.inf
    layer = np.repeat(np.arange(layout.layers), np.diff(layout.first_choice))
    on = np.bincount(layer[seen == ON], minlength=layout.layers)[layer]
    worth[(on > 1) | ((on == 1) & (seen != ON))] = -np.inf
    return worth


def most_of_others(values: FloatArray, sizes: IntArray) -> FloatArray:
    """For each value the largest other one of its group, -inf where there is none; groups one after another.

    `sizes` (int64): of the groups, at least 1.
    """
    if not values.size:
        return values
    sizes = sizes.astype(np.intp, copy=False)
    first, group = np.cumsum(sizes) - sizes, np.repeat(np.arange(sizes.size), sizes)
    most = np.maximum.reduceat(values, first)[group]
    is_most = values == most
    alone = np.add.reduceat(is_most.astype(np.int64), first)[group] == 1
    second = np.maximum.reduceat(np.where(is_most, -np.inf, values), first)[group]
    found: FloatArray = np.where(is_most & alone, second, most)
    return found


@attrs.frozen(eq=False)
class _Run:
    """The steps of all layers, the scores of the states after the last, and whether states were made coarser.

    `factor` is held, so that its number stays its own.
    """

    factor: Diagram
    layers: list[_Steps]
    final: FloatArray
    relaxed: bool


def _all_steps(factor: Diagram, layout: Layout) -> _Run:
    """Run once in a verification: the certificates of a tree all ask for the same."""
    kept = kept_meanwhile()
    key = _Steps, id(factor), layout.key
    if key not in kept:
        found = _run(factor, layout, None)
        relaxed = found is None
        if found is None:
            found = _run(factor, layout, max(1, factor.limit // (layout.layers + 1)))
        assert found is not None
        kept[key] = _Run(factor, *found, relaxed)
    result: _Run = kept[key]
    return result


def _run(factor: Diagram, layout: Layout, width: int | None) -> tuple[list[_Steps], FloatArray] | None:
    """All steps; None where there are more states than the limit allows, and the factor can be relaxed."""
    states, layers, nodes = np.array([start_of(factor)]), [], 1
    additions = 2 * layout.layers + 2
    for layer in range(layout.layers):
        choices = layout.choices(layer)
        spend_work(40.0 * len(choices) * states.size, 10 * len(choices) + 10)
        made = [stepped(factor, layer, choice, states) for choice in choices]
        targets = np.array([following for following, _ in made]).reshape(len(choices), states.size)
        scores = np.array([score for _, score in made]).reshape(targets.shape)
        targets = np.where(scores == -np.inf, -1, targets)
        reached = np.unique(targets[targets >= 0])
        numbers = np.where(targets >= 0, np.searchsorted(reached, targets), -1)
        if width is not None and reached.size > width:
            reached, merged = np.unique(coarser_states(factor, layer + 1, reached, width), return_inverse=True)
            numbers = np.append(merged, -1)[numbers]
        nodes += reached.size
        if width is None and nodes > factor.limit and factor.can_be_relaxed:
            return None
        layers.append(
            _Steps(np.where(numbers >= 0, numbers, reached.size), _raised(scores, additions), reached.size)
        )
        states = reached
    return layers, _raised(ended(factor, states), additions)


def _raised(scores: FloatArray, additions: int) -> FloatArray:
    """Each score raised by what so many additions may round away of it."""
    size = np.where(np.isfinite(scores), np.abs(scores), 0.0)
    higher: FloatArray = scores + size * (EPSILON * (additions + 4))
    return higher
