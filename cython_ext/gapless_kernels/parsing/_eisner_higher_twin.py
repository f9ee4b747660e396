"""Python twin of the compiled kernels for higher-order projective parsing: same signatures, same values.

The recursions are memoised and carry their trees along, so the twin shares no chart with the kernels.
Max-marginals come from forcing each arc in turn. Sums may be rounded differently.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from gapless_kernels.parsing._arguments import check_parts, check_weights

__all__ = [
    "eisner_carreras",
    "eisner_carreras_max_marginals",
    "eisner_grand_sibling",
    "eisner_grand_sibling_max_marginals",
    "eisner_sibling",
    "eisner_sibling_max_marginals",
]

Floats = npt.NDArray[np.float64]
Heads = npt.NDArray[np.int64]
Arcs = tuple[tuple[int, int], ...]
Item = tuple[float, Arcs]

NOTHING: Item = (0.0, ())
IMPOSSIBLE: Item = (-np.inf, ())


def eisner_sibling(weights: Floats, sibling: Floats | None, single_root: bool) -> tuple[float, Heads]:
    """Find a best projective tree under scores of arcs and of adjacent siblings, in O(n^3) time when compiled.

    Parameters
    ----------
    weights : (n+1, n+1) array of float64
        Weight of the arc [head, modifier], ``n >= 1``; 0 is the root; ``-inf`` means that there is no such arc.
        Column 0 and the diagonal are ignored.
    sibling : (n+1, n+1, n+1) array of float64, or None
        ``sibling[h, s, m]`` is counted for every two adjacent modifiers s, m of h on one side of it, m the farther,
        and ``sibling[h, h, m]`` for the first modifier m on a side; ``-inf`` forbids. No copy is made where the
        last axis but one is contiguous in memory (``numpy.swapaxes(array, 1, 2)`` of a C-contiguous array).
    single_root : bool
        Whether exactly one word is headed by the root; otherwise at least one is.

    Returns
    -------
    value : float
        The best sum; ``-inf`` when there is no tree.
    heads : (n+1,) array of int64
        The head of each word, -1 for position 0; all -1 when there is no tree.

    Raises
    ------
    TypeError
        If an array is not of float64.
    ValueError
        If a shape is wrong, or a score is NaN or plus infinity.

    Notes
    -----
    McDonald and Pereira 2006, section 2.2.
    """
    table = check_weights(weights)
    parts = check_parts("sibling", sibling, len(table), (0, 1, 2))
    return _answer(len(table), _best_of_siblings(table, None, parts, None, single_root))


def eisner_sibling_max_marginals(
    weights: Floats, sibling: Floats | None, single_root: bool
) -> tuple[float, Heads, Floats]:
    """Find a best tree as `eisner_sibling` does, and the best value with each arc forced.

    Parameters
    ----------
    weights, sibling, single_root
        As for `eisner_sibling`.

    Returns
    -------
    value, heads
        As for `eisner_sibling`.
    marginals : (n+1, n+1) array of float64
        The best value of a tree that contains the arc; ``-inf`` where there is none.

    Raises
    ------
    TypeError, ValueError
        As for `eisner_sibling`.
    """
    return _force_each(lambda table: eisner_sibling(table, sibling, single_root), weights)


def eisner_carreras(
    weights: Floats, sibling: Floats | None, grandchild: Floats | None, single_root: bool
) -> tuple[float, Heads]:
    """Find a best projective tree under scores of arcs, adjacent siblings, outermost grandchildren, in O(n^4) time.

    Parameters
    ----------
    weights, sibling, single_root
        As for `eisner_sibling`.
    grandchild : (n+1, n+1, n+1) array of float64, or None
        ``grandchild[h, m, c]`` is counted twice for every arc h -> m, for the farthest modifier c of m on the left
        and for the one on the right of m; c = m where there is none on that side. ``-inf`` forbids.

    Returns
    -------
    value, heads
        As for `eisner_sibling`.

    Raises
    ------
    TypeError, ValueError
        As for `eisner_sibling`.

    Notes
    -----
    Carreras 2007, section 3. Needs memory for (n+1)^3 numbers in addition to the scores.
    """
    table = check_weights(weights)
    siblings = check_parts("sibling", sibling, len(table), (0, 1, 2))
    grandchildren = check_parts("grandchild", grandchild, len(table), (0, 1, 2))
    return _answer(len(table), _best_of_outermost(table, siblings, grandchildren, single_root))


def eisner_carreras_max_marginals(
    weights: Floats, sibling: Floats | None, grandchild: Floats | None, single_root: bool
) -> tuple[float, Heads, Floats]:
    """Find a best tree as `eisner_carreras` does, and the best value with each arc forced.

    Parameters
    ----------
    weights, sibling, grandchild, single_root
        As for `eisner_carreras`.

    Returns
    -------
    value, heads, marginals
        As for `eisner_sibling_max_marginals`.

    Raises
    ------
    TypeError, ValueError
        As for `eisner_sibling`.
    """
    return _force_each(lambda table: eisner_carreras(table, sibling, grandchild, single_root), weights)


def eisner_grand_sibling(
    weights: Floats,
    grandchild: Floats | None,
    sibling: Floats | None,
    grand_sibling: Floats | None,
    single_root: bool,
) -> tuple[float, Heads]:
    """Find a best projective tree under scores of arcs, grandchildren and grand-siblings, in O(n^4) time.

    Parameters
    ----------
    weights, sibling, single_root
        As for `eisner_sibling`.
    grandchild : (n+1, n+1, n+1) array of float64, or None
        ``grandchild[g, h, m]`` is counted for every two arcs g -> h and h -> m, h >= 1; ``-inf`` forbids. No copy
        is made where it is ``array.transpose(2, 0, 1)`` of a C-contiguous array [h, m, g].
    grand_sibling : (n+1, n+1, n+1, n+1) array of float64, or None
        ``grand_sibling[g, h, s, m]`` is counted where ``sibling[h, s, m]`` is, g being the head of h, and g = 0 for
        h = 0; ``-inf`` forbids. No copy is made where it is ``array.transpose(3, 0, 2, 1)`` of a C-contiguous array
        [h, m, s, g].

    Returns
    -------
    value, heads
        As for `eisner_sibling`.

    Raises
    ------
    TypeError, ValueError
        As for `eisner_sibling`.

    Notes
    -----
    Koo and Collins 2010, section 4.1 (model 1). Needs memory for 3 (n+1)^3 numbers in addition to the scores.
    """
    table = check_weights(weights)
    size = len(table)
    grandchildren = check_parts("grandchild", grandchild, size, (0, 1, 2))
    siblings = check_parts("sibling", sibling, size, (0, 1, 2))
    both = check_parts("grand_sibling", grand_sibling, size, (0, 1, 2, 3))
    return _answer(size, _best_of_siblings(table, grandchildren, siblings, both, single_root))


def eisner_grand_sibling_max_marginals(
    weights: Floats,
    grandchild: Floats | None,
    sibling: Floats | None,
    grand_sibling: Floats | None,
    single_root: bool,
) -> tuple[float, Heads, Floats]:
    """Find a best tree as `eisner_grand_sibling` does, and the best value with each arc forced.

    Parameters
    ----------
    weights, grandchild, sibling, grand_sibling, single_root
        As for `eisner_grand_sibling`.

    Returns
    -------
    value, heads, marginals
        As for `eisner_sibling_max_marginals`.

    Raises
    ------
    TypeError, ValueError
        As for `eisner_sibling`.
    """
    return _force_each(
        lambda table: eisner_grand_sibling(table, grandchild, sibling, grand_sibling, single_root), weights
    )


def _answer(size: int, best: Item) -> tuple[float, Heads]:
    heads = np.full(size, -1, np.int64)
    for head, modifier in best[1]:
        heads[modifier] = head
    return float(best[0]), heads


def _force_each(solve: Callable[[Floats], tuple[float, Heads]], weights: Floats) -> tuple[float, Heads, Floats]:
    value, heads = solve(weights)
    marginals = np.full(weights.shape, -np.inf)
    for head, modifier in np.argwhere(weights > -np.inf).tolist():
        if modifier not in (0, head):
            forced = weights.copy()
            forced[:, modifier] = -np.inf
            forced[head, modifier] = weights[head, modifier]
            marginals[head, modifier] = solve(forced)[0]
    return value, heads, marginals


def _join(score: float, *items: Item) -> Item:
    """Join items into one; the arcs are kept only if it is possible."""
    total = score + sum(value for value, _ in items)
    return (total, sum((arcs for _, arcs in items), ())) if total > -np.inf else IMPOSSIBLE


def _best(items: Iterator[Item]) -> Item:
    return max(items, key=lambda item: item[0], default=IMPOSSIBLE)


def _until(head: int, end: int) -> range:
    """List the positions from beside `head` to `end`, which may lie on either side."""
    return range(head + 1, end + 1) if head < end else range(head - 1, end - 1, -1)


def _by_distance(size: int) -> Iterator[tuple[int, int]]:
    """List all pairs of positions in both orders, short spans first, so that no recursion goes deep."""
    for distance in range(1, size):
        for start in range(size - distance):
            yield start, start + distance
            if start:
                yield start + distance, start


def _best_of_siblings(
    weights: Floats, grandchild: Floats | None, sibling: Floats | None, both: Floats | None, single_root: bool
) -> Item:
    """Find the best tree if the score of an arc depends on the head of its head and the next nearer modifier."""
    size = len(weights)
    knows = grandchild is not None or both is not None

    def score(g: int, h: int, s: int, m: int) -> float:
        total = float(weights[h, m])
        if sibling is not None:
            total += sibling[h, s, m]
        if grandchild is not None and h:
            total += grandchild[g, h, m]
        if both is not None:
            total += both[g, h, s, m]
        return total

    def above(h: int) -> int:
        """Head of h as far as a part below h depends on it: h, or 0 where no score does."""
        return h if knows else 0

    @cache
    def span(g: int, h: int, e: int) -> Item:
        if h == e:
            return NOTHING
        return _best(_join(0.0, arc(g, h, m), span(above(h), m, e)) for m in _until(h, e))

    @cache
    def arc(g: int, h: int, m: int) -> Item:
        if weights[h, m] == -np.inf:
            return IMPOSSIBLE
        first = _join(score(g, h, h, m), span(above(h), m, _until(h, m)[0]), (0.0, ((h, m),)))
        if h == 0 and single_root:
            return first
        return _best(
            iter(
                [
                    first,
                    *(
                        _join(
                            score(g, h, s, m),
                            arc(g, h, s),
                            between(above(h), min(s, m), max(s, m)),
                            (0.0, ((h, m),)),
                        )
                        for s in _until(h, m)[:-1]
                    ),
                ]
            )
        )

    @cache
    def between(h: int, s: int, m: int) -> Item:
        return _best(_join(0.0, span(h, s, r), span(h, m, r + 1)) for r in range(s, m))

    for h, e in _by_distance(size):
        for g in range(size if knows and h else 1):
            span(g, h, e)
    return span(0, 0, size - 1)


def _best_of_outermost(
    weights: Floats, sibling: Floats | None, grandchild: Floats | None, single_root: bool
) -> Item:
    """Find the best tree if the score of an arc depends on the farthest modifiers of its modifier."""

    @cache
    def reach(h: int, m: int, e: int) -> Item:
        """Find the best span of m to e, m being a modifier of h."""
        farthest = _until(m, e) if m != e else [m]
        return _best(
            _join(0.0 if grandchild is None else float(grandchild[h, m, c]), span(m, e, c)) for c in farthest
        )

    @cache
    def near(h: int, e: int, m: int) -> Item:
        """Find the best span of h to e, m being the next modifier of h."""
        nearer = _until(h, e) if h != e else [h]
        return _best(_join(0.0 if sibling is None else float(sibling[h, s, m]), span(h, e, s)) for s in nearer)

    @cache
    def span(h: int, e: int, m: int) -> Item:
        return NOTHING if h == e else _join(0.0, arc(h, m), reach(h, m, e))

    @cache
    def arc(h: int, m: int) -> Item:
        if weights[h, m] == -np.inf:
            return IMPOSSIBLE
        ends = [h, *_until(h, m)]
        splits = list(pairwise(ends))[: 1 if h == 0 and single_root else None]
        inner = _best(_join(0.0, near(h, end, m), reach(h, m, start)) for end, start in splits)
        return _join(float(weights[h, m]), inner, (0.0, ((h, m),)))

    size = len(weights)
    for h, m in _by_distance(size):
        arc(h, m)
    return _best(span(0, size - 1, m) for m in range(1, size))
