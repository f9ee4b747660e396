"""Many chains through the fused kernel: what the role objects say, for every option, type and kind of list."""

import functools
import gc
import weakref
from itertools import product

import numpy as np
import pytest
from drawn import examples, generators, mostly_long, numbers, seeing
from hypothesis import given

import gapless
from gapless import Limits, Status, Stop
from gapless_chains import ChainModel, ChainProblem
from gapless_chains.column_generation.method import ONE_BY_ONE, _tables, _tables_for

METHOD = "column-generation"
INF = float("inf")


def model_and_rows(seed, k=12, sentences=15, longest=10, *, sharpness=1.0, forbidden=0.0, dtype=np.float64):
    rng = numbers(seed)
    transition = rng.normal(size=(k, k))
    transition[rng.random((k, k)) < forbidden] = -INF
    model = ChainModel(transition, initial=rng.normal(size=k), final=rng.normal(size=k))
    lengths = rng.integers(1, longest + 1, sentences)
    return model, (sharpness * rng.normal(size=(lengths.sum(), k))).astype(dtype), lengths


OPTIONS = [{}, {"first": "local"}, {"centred": False}, {"reduced_cost": "alpha"}]
COMBINED = list(product([np.float32, np.float64], [0.0, 0.4], OPTIONS))
# Half of them, in which any two values of two parameters meet.
HALF = [place for place in range(len(COMBINED)) if (place // 8 + place // 4 + place) % 2 == 0]


@pytest.mark.parametrize(("dtype", "forbidden", "options"), mostly_long(COMBINED, quick=HALF))
@pytest.mark.parametrize("seeds", mostly_long([range(3), range(3, 9)], quick=[0]), ids=str)
def test_a_batch_says_what_the_role_objects_say(dtype, forbidden, options, seeds):
    infeasible = 0
    for seed in seeds:
        model, rows, lengths = model_and_rows(
            seed, sentences=10, sharpness=4.0 ** (seed % 3 - 1), forbidden=forbidden, dtype=dtype
        )
        if forbidden:
            rows[seed] = -INF
        batch = model.batch(rows, lengths)
        many = gapless.solve_many(batch, METHOD, **options)
        for i, problem in enumerate(batch):
            single, result = gapless.solve(problem, METHOD, **options), many[i]
            assert many.statuses[i] is result.status is single.status
            assert result.verify(problem)
            if single.status is Status.INFEASIBLE:
                infeasible += 1
                assert many.bounds[i] == -INF
                said = [line for line in result.explanation if not line.endswith(ONE_BY_ONE)]
                assert said == list(single.explanation)
                continue
            assert result.value == many.values[i] == pytest.approx(single.value, rel=1e-12)
            assert many.bounds[i] == pytest.approx(single.bound, rel=1e-12)
            np.testing.assert_array_equal(many.structure(i), result.best)
    assert (infeasible > 0) is (forbidden > 0)


def test_lists_of_chains_are_batched_and_odd_ones_are_not_lost():
    rng = np.random.default_rng(0)
    model, rows, lengths = model_and_rows(1)
    problems = list(model.batch(rows, lengths))
    problems.insert(3, ChainProblem(rng.normal(size=(4, 12)), rng.normal(size=(3, 12, 12))))
    problems.append(ChainProblem(rng.normal(size=(2, 5)), rng.normal(size=(5, 5))))
    many = gapless.solve_many(problems, METHOD)
    assert list(many.values) == pytest.approx([gapless.solve(p).value for p in problems], abs=1e-9)
    assert all(result.verify(p) for result, p in zip(many, problems, strict=True))


def test_counts_come_as_arrays_and_with_each_result():
    model, rows, lengths = model_and_rows(2, sharpness=6.0)
    batch = model.batch(rows, lengths)
    many = gapless.solve_many(batch, METHOD)
    assert set(many.arrays) == {"labels", "offsets", "rounds", "domain_sizes", "candidates"}
    assert (many.arrays["rounds"] >= 1).all()
    assert (many.arrays["domain_sizes"] >= lengths).all()
    for i, result in enumerate(many):
        assert result.stats.iterations == many.arrays["rounds"][i]
        assert result.stats.extra == {
            "mean_domain_size": many.arrays["domain_sizes"][i] / lengths[i],
            "oracle_candidates": many.arrays["candidates"][i],
        }


@seeing("early")
@examples(4)
@given(rng=generators())
def test_a_gap_holds_for_each_sentence_and_is_proved(seen, rng):
    model, rows, lengths = model_and_rows(rng, k=60, sentences=10, sharpness=2.0)
    batch = model.batch(rows, lengths)
    exact = gapless.solve_many(batch, METHOD)
    by_option = gapless.solve_many(batch, METHOD, gap=0.2)
    by_limit = gapless.solve_many(batch, METHOD, limits=Limits(relative_gap=0.2))
    np.testing.assert_array_equal(by_option.bounds, by_limit.bounds)
    np.testing.assert_array_equal(by_option.values, by_limit.values)
    assert (by_option.bounds >= exact.values - 1e-9).all()
    left = by_option.bounds - by_option.values
    assert (left <= 0.2 * np.maximum(1, np.abs(by_option.values)) + 1e-12).all()
    for i in np.flatnonzero(left > 1e-6):
        seen["early"] += 1
        assert by_option[i].stop is Stop.GAP
        assert by_option[i].status is by_option.statuses[i] is Status.FEASIBLE
        assert by_option[i].verify(batch[int(i)])


def test_other_limits_go_to_the_role_objects():
    model, rows, lengths = model_and_rows(4, k=20, sharpness=0.5)
    batch = model.batch(rows, lengths)
    many = gapless.solve_many(batch, METHOD, limits=Limits(iterations=1), first="local")
    stops = {many[i].stop for i in range(len(batch))}
    assert Stop.ITERATIONS in stops
    assert all(many[i].verify(batch[i]) for i in range(len(batch)))
    assert not many.arrays
    assert many[0].explanation[0] == f"Limits(iterations=1): {ONE_BY_ONE}"
    formula = gapless.solve_many(batch, METHOD, reduced_cost="alpha", limits=Limits(time=60.0))
    assert formula[0].explanation[0] == f"reduced_cost='alpha' and Limits(time=60.0): {ONE_BY_ONE}"
    assert not gapless.solve_many(batch, METHOD, limits=Limits(relative_gap=0.1))[0].explanation


def test_unknown_options_are_refused_before_anything_is_decoded():
    model, rows, lengths = model_and_rows(6)
    batch = model.batch(rows, lengths)
    doors = (functools.partial(gapless.solve_many, batch), functools.partial(gapless.solve, batch[0]))
    for options, message in (
        ({"first": "last"}, "expected one of greedy, local"),
        ({"reduced_cost": "x"}, "expected one of"),
    ):
        for door in doors:
            with pytest.raises(gapless.UnknownOption, match=message):
                door(METHOD, **options)
    for door in doors:
        with pytest.raises(ValueError, match="gap is -1"):
            door(METHOD, gap=-1)


def test_tables_are_made_once_for_a_model():
    model, rows, lengths = model_and_rows(7)
    batch = model.batch(rows, lengths)
    assert _tables_for(batch, True) is _tables_for(batch[:5], True)
    assert _tables_for(batch, True) is not _tables_for(batch, False)
    single = model.batch(rows.astype(np.float32), lengths)
    assert _tables_for(single, True).forward.dtype == np.float32


def test_tables_are_few_and_die_with_their_model():
    rng = np.random.default_rng(0)
    model = ChainModel(rng.normal(size=(4, 4)))
    for power in range(40):
        batch = model.batch(rng.normal(size=(5, 4)) * 2.0**power, [5])
        assert gapless.solve_many(batch, "column-generation").proved_share == 1.0
    assert len(_tables(model.transition)) <= 6
    transition = weakref.ref(model.transition)
    del model, batch
    gc.collect()
    assert transition() is None
