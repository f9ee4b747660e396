"""The path search: its twins agree on values, and refuse what is no graph."""

from typing import Any

import numpy as np
import pytest
from drawn import generators, numbers, seeing
from hypothesis import given

import gapless_kernels
from gapless_kernels.paths import _path_search_twin

KERNELS = [_path_search_twin.path_search]
if gapless_kernels.COMPILED:
    from gapless_kernels.paths import _path_search

    KERNELS.append(_path_search.path_search)

both = pytest.mark.parametrize("kernel", KERNELS, ids=["numpy", "compiled"][: len(KERNELS)])


def graphs(seed, count):
    """Ties or floats, forbidden edges, few classes or many."""
    rng = numbers(seed)
    for _ in range(count):
        n = int(rng.integers(1, 14))
        classes = int(rng.integers(1, n + 1))
        tied, forbidden = rng.random() < 0.5, rng.choice([0.0, 0.3, 0.7])

        def draw(*shape: int, tied: bool = tied, forbidden: float = forbidden) -> Any:
            scores = rng.integers(-3, 3, shape).astype(float) if tied else rng.normal(size=shape)
            return np.where(rng.random(shape) < forbidden, -np.inf, scores)

        groups = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
        yield draw(n), draw(n, n), draw(n), groups, int(rng.integers(1, min(classes, 5) + 2))


@pytest.mark.usefixtures("instruction_set")
@seeing("feasible")
@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@pytest.mark.parametrize("wanted", [1, 7])
@given(rng=generators())
def test_twins_agree(seen, rng, wanted):
    graph = next(graphs(rng, 1))
    answers = [kernel(*graph, wanted=wanted) for kernel in KERNELS]
    for answer in answers:
        assert answer.proved
        assert answer.open is None
        start, ordering, end, groups, _ = graph
        for path, value in zip(answer.paths, answer.values, strict=True):
            assert np.unique(groups[path]).size == path.size
            score = start[path[0]] + ordering[path[:-1], path[1:]].sum() + end[path[-1]]
            assert value == pytest.approx(score)
    np.testing.assert_allclose(answers[0].values, answers[1].values, atol=1e-9)
    assert answers[0].bound == pytest.approx(answers[1].bound)
    seen["feasible"] += answers[0].values.size > 0


@seeing("seen")
@both
@given(rng=generators())
def test_what_is_left_bounds_every_path(seen, rng, kernel):
    """Tables of an unfinished search bound every path that is better than those known."""
    best = _path_search_twin.path_search
    start, ordering, end, groups, length = next(graphs(rng, 1))
    some = kernel(start, ordering, end, groups, length, rounds=1)
    if some.open is None:
        return
    seen["seen"] += 1
    left, known = some.open, max(some.values, default=-np.inf)
    assert left.prices.min() >= 0
    for path in best(start, ordering, end, groups, length, wanted=20).paths:
        score = start[path[0]] + ordering[path[:-1], path[1:]].sum() + end[path[-1]]
        if score <= known + 1e-9:
            continue
        assert some.bound >= score - 1e-9
        for place, vertex in enumerate(path):
            at = np.flatnonzero(left.vertices == vertex)
            assert at.size == 1
            through = left.before[place, at[0]] + left.after[place, at[0]] - left.prices[groups[vertex]]
            assert through + left.prices.sum() >= score - 1e-9


@both
def test_known_paths_are_kept(kernel):
    scores = np.zeros((3, 3))
    found = kernel(np.array([5.0, 0, 0]), scores, np.zeros(3), np.arange(3), 2, begin=np.array([[0, 1]]))
    assert found.values.tolist() == [5.0]


@both
def test_pulse_ends_the_search_or_its_error_does(kernel):
    rng = np.random.default_rng(1)
    points = rng.random((40, 2))
    far = np.linalg.norm(points[:, None] - points[None], axis=2)
    graph = (rng.random(40), -far, rng.random(40), np.arange(40), 14)
    stopped = kernel(*graph, pulse=lambda *_: True)
    assert not stopped.proved
    assert stopped.bound > -np.inf

    def fail(bound: float, value: float, steps: int, labels: int) -> bool:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        kernel(*graph, pulse=fail)


@both
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"start": np.zeros(3, np.float32)}, TypeError, "start must be float64"),
        ({"ordering": np.zeros((3, 2))}, ValueError, "ordering must have shape"),
        ({"end": np.array([0.0, np.inf, 0.0])}, ValueError, r"end\[1\] is inf"),
        ({"ordering": np.diag([0.0, 0.0, np.nan])}, ValueError, r"ordering\[2, 2\] is nan"),
        ({"classes": np.array([0, 1, 5])}, ValueError, "classes"),
        ({"length": 0}, ValueError, "length is 0"),
        ({"wanted": 0}, ValueError, "wanted 0"),
        ({"begin": np.array([[0, 7]])}, ValueError, "begin must hold paths"),
        ({"begin": np.array([[0, 1, 2]])}, ValueError, "begin must hold paths"),
    ],
)
def test_what_is_no_graph(kernel, change, error, message):
    given = {
        "start": np.zeros(3),
        "ordering": np.zeros((3, 3)),
        "end": np.zeros(3),
        "classes": np.arange(3),
        "length": 2,
        **change,
    }
    with pytest.raises(error, match=message):
        kernel(**given)
