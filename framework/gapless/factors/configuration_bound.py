"""Bounds on the configurations of a factor, for certificates: computed, or ``best`` compared with ``value``."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.round_up import next_float, round_up_for_sum
from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.tolerance import EPSILON, rounding, score_tolerance
from gapless.decisions.decisions import FREE, OFF, ON, Decisions
from gapless.errors import InvalidProblem
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.diagrams.diagram_layout import DiagramLayout
from gapless.factors.diagrams.unrolling import checked_step, coarser_states, final_scores, start_of
from gapless.factors.error_notes import factor_name, named_after
from gapless.factors.factor import ConfigurationFactor, largest_term_of
from gapless.limits.work import charge_work, verification_cache

States = NDArray[np.int8]

ENUMERATED = 8
"""Up to so many free decisions, all configurations are scored; beyond, those that are likely to be the best."""

REWARDS = 6
"""Number of growing rewards for decisions that are on, before the dominating one."""

DOMINATING_REWARD = 1e300
"""A reward that exceeds any sum of scores, which are at most 1e12 each."""


def configuration_bound(
    factor: ConfigurationFactor, decisions: Decisions, weights: FloatArray, state: States
) -> float:
    """Bound ``value(on) + weights[on].sum()`` from above over the configurations that agree with a state.

    The steps of a `DecisionDiagram` are run as a dynamic program over states, without the compiled graph, and
    rounding is included: the bound is certain, unless the diagram has to be relaxed. For other factors with at most
    8 free decisions, all configurations are scored. With more, the bound is that of ``best``, with a reward for the
    decisions that are on (decision 045). The same author wrote ``best`` and ``value``, so the configuration that it
    returns, the empty one, single decisions and the heaviest ones of each number are scored by ``value``: a factor
    that passes all these may still be wrong.

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
        A configuration scores more than ``best`` claims, or a step is wrong.
    """
    if isinstance(factor, DecisionDiagram):
        return _diagram_bound(factor, factor.layout(decisions), weights, state)
    on = state == ON
    free = np.flatnonzero((state == FREE) & (weights > -np.inf))
    if not free.size:
        return next_float(sum(_score(factor, weights, on)))
    enumerated = free.size <= ENUMERATED
    possible_weights = np.where(state == OFF, -np.inf, weights)
    claimed, best_on = _best(factor, possible_weights)
    if not enumerated and on.any():
        claimed = min(claimed, _bound_with_all_on(factor, possible_weights, on))
    maximum = rounding_of_scores = -math.inf
    rounding_of_best = _rounding_of_best(factor, decisions, weights)
    for turned_on in _all(free) if enumerated else _likely(weights, free, best_on):
        charge_work(weights.size, 8)
        configuration = on.copy()
        configuration[list(turned_on)] = True
        score, score_rounding = _score(factor, weights, configuration)
        # Also where all are enumerated: a wrong best() would mislead the search, and its author should know.
        if score > claimed + score_tolerance(abs(score)) + rounding_of_best:
            raise InvalidProblem(
                f"factor {factor_name(factor)}: best() promises that no configuration is worth more than "
                f"{claimed:.12g}, but by value() one of {int(np.count_nonzero(configuration))} decisions is "
                f"worth {score:.12g}"
            )
        maximum, rounding_of_scores = max(maximum, score), max(rounding_of_scores, score_rounding)
    return next_float(maximum + rounding_of_scores if enumerated else claimed + rounding_of_best)


def configuration_flips(
    factor: ConfigurationFactor, decisions: Decisions, weights: FloatArray, state: States
) -> tuple[FloatArray, FloatArray] | None:
    """Bound as `configuration_bound`, but with each decision of the scope on, and with each off, in two passes.

    None for a factor that is no diagram, which needs one bound for each decision (decision 042).

    Returns
    -------
    on, off : float64 (count,)
        -inf where no configuration is allowed.
    """
    if not isinstance(factor, DecisionDiagram):
        return None
    layout = factor.layout(decisions)
    run = _all_steps(factor, layout)
    choice_scores = _choice_scores(layout, weights, state)
    below = list(_below(run, layout, choice_scores))
    through = np.full(choice_scores.size, -np.inf)
    above = np.zeros(1)
    for layer, steps in enumerate(run.layers):
        blocks = slice(*layout.first_choice[layer : layer + 2].tolist())
        charge_work(20.0 * steps.targets.size, 8 * len(steps.targets))
        prefix = above + (steps.scores + choice_scores[blocks, None])
        # `below` begins at the end: its last entry is that of layer 0, the one before that of layer 0's targets.
        through[blocks] = (prefix + below[-layer - 2][steps.targets]).max(axis=1, initial=-np.inf)
        above = np.full(steps.following + 1, -np.inf)
        np.maximum.at(above, steps.targets, prefix)
        above = above[:-1]  # without the entry that collects forbidden choices
    sizes, read = np.diff(layout.first_choice), layout.blocks
    # A decision is off if its layer takes another choice.
    without = most_of_others(through, sizes[sizes > 0])
    on, off = np.full((2, layout.scope.size), -np.inf)
    on[read[read >= 0]], off[read[read >= 0]] = through[read >= 0], without[read >= 0]
    return on, off


def _rounding_of_best(factor: ConfigurationFactor, decisions: Decisions, weights: FloatArray) -> float:
    """Bound the rounding by which ``best`` may claim less than the sum of ``value`` and the weights."""
    size = float(np.abs(weights[np.isfinite(weights)]).sum())
    return rounding(weights.size, size, largest_term_of(factor, decisions))


def _bound_with_all_on(factor: ConfigurationFactor, weights: FloatArray, on: BoolArray) -> float:
    """Bound the configurations that turn on all decisions of `on`, by ``best``; -inf if it finds none.

    With a reward for each of the decisions, these configurations score at most the claim of ``best`` less all
    rewards, whatever the reward (decision 045). It grows until the best configuration contains the decisions: then
    no other reward gives a smaller bound.
    """
    if weights[on].min() == -math.inf:
        return -math.inf
    # Begin above the weights, so that only the scores of the factor can outweigh a reward.
    reward, smallest = 1.0 + float(np.abs(weights[weights > -np.inf]).sum()), math.inf
    for _ in range(REWARDS):
        charge_work(10.0 * weights.size, 20)
        claimed, best_on = _best(factor, np.where(on, weights + reward, weights))
        if claimed == -math.inf:
            return claimed
        all_rewards = reward * int(on.sum())
        lost = EPSILON * (on.size + 4) * (abs(claimed) + all_rewards)  # digits below a large reward
        smallest = min(smallest, next_float(claimed - all_rewards + lost))
        if best_on[on].all():
            return smallest
        reward *= 16.0
    # The dominating reward hides every score: it tells only whether some configuration contains the decisions.
    _, best_on = _best(factor, np.where(on, DOMINATING_REWARD, weights))
    return smallest if best_on[on].all() else -math.inf


def factor_trust_reason(factor: ConfigurationFactor, decisions: Decisions, scope: IntArray) -> str:
    """Describe what a bound on a factor takes on trust beyond `value`; empty if everything is computed."""
    name = factor_name(factor)
    if not isinstance(factor, DecisionDiagram):
        return f"the bound on factor {name} rests on the word of its best()" if scope.size > ENUMERATED else ""
    if factor.can_be_relaxed and _all_steps(factor, factor.layout(decisions)).relaxed:
        return f"the bound on factor {name} rests on the word of its relax()"
    return ""


def _value(factor: ConfigurationFactor, on: BoolArray) -> float:
    with named_after(factor, "value"):
        value = float(factor.value(on))
    if LARGEST < abs(value) < math.inf:
        raise InvalidProblem(
            f"factor {factor_name(factor)}: value() gave {value}, expected at most {LARGEST:g} in size"
        )
    return value


def _best(factor: ConfigurationFactor, weights: FloatArray) -> tuple[float, BoolArray]:
    with named_after(factor, "best"):
        claimed, configuration = factor.best(weights)
        on: BoolArray = np.asarray(configuration, bool)
        return float(claimed), on


def _score(factor: ConfigurationFactor, weights: FloatArray, on: BoolArray) -> tuple[float, float]:
    """Return value plus weights of a configuration, and a bound on the rounding of this sum."""
    value, on_weights = _value(factor, on), weights[on]
    size = float(np.abs(on_weights[np.isfinite(on_weights)]).sum()) + (abs(value) if math.isfinite(value) else 0.0)
    return value + float(on_weights.sum()), EPSILON * (on_weights.size + 4) * size


def _all(free: IntArray) -> Iterator[tuple[int, ...]]:
    for count in range(free.size + 1):
        yield from itertools.combinations(free.tolist(), count)


def _likely(weights: FloatArray, free: IntArray, best_on: BoolArray) -> Iterator[tuple[int, ...]]:
    yield tuple(np.flatnonzero(best_on).tolist())
    # For a factor that only counts, the heaviest decisions of each number are the best of that number.
    heaviest = free[np.argsort(-weights[free], kind="stable")].tolist()
    for count in range(len(heaviest) + 1):
        yield tuple(heaviest[:count])
    for index in heaviest[1:]:
        yield (index,)


# --- diagrams


@attrs.frozen(eq=False)
class _Steps:
    """The steps of a layer.

    Parameters
    ----------
    targets : int64 (choices, m)
        Index of the state in the next layer; `following`, one past the last, for a forbidden choice.
    scores : float64 (choices, m)
        Raised by the rounding of sums that contain them.
    following : int
        Number of states in the next layer.
    """

    targets: IntArray
    scores: FloatArray
    following: int


def _diagram_bound(factor: DecisionDiagram, layout: DiagramLayout, weights: FloatArray, state: States) -> float:
    run = _all_steps(factor, layout)
    # Only the bound of the first layer counts: a deque of length 1 lets the others go at once.
    (first,) = deque(_below(run, layout, _choice_scores(layout, weights, state)), maxlen=1)
    return float(first[0])


def _below(run: _Run, layout: DiagramLayout, choice_scores: FloatArray) -> Iterator[FloatArray]:
    """Yield bounds from each state to the end, from the last layer to the first, each with one more entry of -inf.

    Forbidden choices lead to that entry.
    """
    below = np.append(run.final, -np.inf)
    yield below
    first = layout.first_choice.tolist()
    for layer in range(len(run.layers) - 1, -1, -1):
        steps = run.layers[layer]
        charge_work(10.0 * steps.targets.size, 4 * len(steps.targets))
        edge_scores = steps.scores + choice_scores[first[layer] : first[layer + 1], None]
        states = steps.targets.shape[1]
        above = np.full(states + 1, -np.inf)
        (edge_scores + below[steps.targets]).max(axis=0, initial=-np.inf, out=above[:states])
        below = above
        yield below


def _choice_scores(layout: DiagramLayout, weights: FloatArray, state: States) -> FloatArray:
    """Return the weight of each choice of each layer, raised for rounding; -inf if the state forbids the choice."""
    indices = layout.blocks
    none = indices < 0
    # An appended entry stands for "no decision" (-1): index -1 is the last entry.
    scores = np.where(none, 0.0, round_up_for_sum(np.append(weights, 0.0), 2 * layout.layers + 2)[indices])
    choice_state = np.where(none, OFF, np.append(state, OFF)[indices])
    scores[~none & (choice_state == OFF)] = -np.inf
    layer = np.repeat(np.arange(layout.layers), np.diff(layout.first_choice))
    on = np.bincount(layer[choice_state == ON], minlength=layout.layers)[layer]
    # A layer takes one choice: a decision that is on forbids the others, and two forbid all.
    scores[(on > 1) | ((on == 1) & (choice_state != ON))] = -np.inf
    return scores


def most_of_others(values: FloatArray, sizes: IntArray) -> FloatArray:
    """Return for each value the largest other value of its group, -inf if there is none.

    `sizes` (int64): of the groups, which follow one another in `values`; at least 1 each.
    """
    if not values.size:
        return values
    sizes = sizes.astype(np.intp, copy=False)
    first, group = np.cumsum(sizes) - sizes, np.repeat(np.arange(sizes.size), sizes)
    maximum = np.maximum.reduceat(values, first)[group]
    is_maximum = values == maximum
    is_unique = np.add.reduceat(is_maximum.astype(np.int64), first)[group] == 1
    second = np.maximum.reduceat(np.where(is_maximum, -np.inf, values), first)[group]
    others: FloatArray = np.where(is_maximum & is_unique, second, maximum)
    return others


@attrs.frozen(eq=False)
class _Run:
    """The steps of all layers, the scores of the states after the last, and whether states were made coarser.

    `factor` is stored so that it lives as long as the cache, whose key is its `id`.
    """

    factor: DecisionDiagram
    layers: list[_Steps]
    final: FloatArray
    relaxed: bool


def _all_steps(factor: DecisionDiagram, layout: DiagramLayout) -> _Run:
    """Return all steps, run once in a verification: the certificates of all nodes of a tree need the same ones."""
    cache = verification_cache()
    key = _Steps, id(factor), layout.key
    if key not in cache:
        steps = _run(factor, layout, None)
        relaxed = steps is None
        if steps is None:
            # The same width as in `unrolled`, so that the verifier relaxes no more than the search did.
            steps = _run(factor, layout, max(1, factor.limit // (layout.layers + 1)))
        assert steps is not None
        cache[key] = _Run(factor, *steps, relaxed)
    run: _Run = cache[key]
    return run


def _run(
    factor: DecisionDiagram, layout: DiagramLayout, width: int | None
) -> tuple[list[_Steps], FloatArray] | None:
    """Run all steps; return None if there are more states than the limit allows, and the factor can be relaxed."""
    states, layers, nodes = np.array([start_of(factor)]), [], 1
    additions = 2 * layout.layers + 2  # for each layer a score and a weight, and the final score
    for layer in range(layout.layers):
        choices = layout.choices(layer)
        charge_work(40.0 * len(choices) * states.size, 10 * len(choices) + 10)
        steps = [checked_step(factor, layer, choice, states) for choice in choices]
        # Reshaped, because a layer without choices or states gives an empty array of one axis.
        targets = np.array([following for following, _ in steps]).reshape(len(choices), states.size)
        scores = np.array([score for _, score in steps]).reshape(targets.shape)
        targets = np.where(scores == -np.inf, -1, targets)
        next_states = np.unique(targets[targets >= 0])
        numbers = np.where(targets >= 0, np.searchsorted(next_states, targets), -1)
        if width is not None and next_states.size > width:
            coarser = coarser_states(factor, layer + 1, next_states, width)
            next_states, merged = np.unique(coarser, return_inverse=True)
            numbers = np.append(merged, -1)[numbers]  # the appended -1 keeps forbidden choices forbidden
        count = next_states.size
        nodes += count
        if width is None and nodes > factor.limit and factor.can_be_relaxed:
            return None
        layers.append(_Steps(np.where(numbers >= 0, numbers, count), round_up_for_sum(scores, additions), count))
        states = next_states
    return layers, round_up_for_sum(final_scores(factor, states), additions)
