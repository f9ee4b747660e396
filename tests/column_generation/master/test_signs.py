"""Sign facts, on random linear programs: gains, prices, strong duality, Farkas rays."""

import numpy as np
import pytest
from drawn import examples, generators, numbers
from hypothesis import example, given

from gapless.roles import Batch, Columns, Fixings, SolveBudget

TOLERANCE = 1e-7


def random_program(seed):
    rng = numbers(seed)
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 8))
    entries = rng.integers(-3, 4, (m, n)) * (rng.random((m, n)) < 0.7)
    lower = rng.integers(-4, 4, m).astype(float)
    upper = lower + rng.integers(0, 4, m)
    lower[rng.random(m) < 0.4] = -np.inf
    upper[rng.random(m) < 0.3] = np.inf
    bounds = np.where(rng.random(n) < 0.3, np.inf, rng.integers(0, 4, n))
    # Nothing may be unbounded: whoever has no bound of its own stands in a row that limits it.
    entries = np.vstack([entries, np.ones(n)])
    lower, upper = np.append(lower, -np.inf), np.append(upper, 5.0)
    return rng.integers(-5, 6, n).astype(float), entries, lower, upper, bounds, rng


def fixings_for(n, rng):
    return Fixings(rng.choice([-1, -1, -1, 0, 1], n))


def columns_of(objective, entries, to_sparse):
    n = len(objective)
    return Columns(50 + np.arange(n), objective, to_sparse(entries.T), to_sparse(np.eye(n)))


def judge(objective, entries, lower, upper, bounds, fixings):
    """The same program by SCIP's other interface, which maximises itself."""
    import pyscipopt  # noqa: PLC0415

    model = pyscipopt.Model()
    model.hideOutput()
    top = np.where(fixings.state == 0, 0.0, bounds)
    z = [model.addVar(lb=0, ub=None if np.isinf(u) else u, obj=c) for c, u in zip(objective, top, strict=True)]
    for d in fixings.on:
        model.addCons(z[d] >= 1)
    for row, low, high in zip(entries, lower, upper, strict=True):
        total = pyscipopt.quicksum(a * v for a, v in zip(row, z, strict=True))
        if np.isfinite(low):
            model.addCons(total >= low)
        if np.isfinite(high):
            model.addCons(total <= high)
    model.setMaximize()
    model.optimize()
    status = model.getStatus()
    value = model.getObjVal() if status == "optimal" else -np.inf
    model.freeProb()
    return value


@examples(50)
@given(rng=generators())
@example(rng=130044)  # with its presolve on, SoPlex returned duals of 0 here
def test_signs_at_an_optimum_and_at_a_farkas_ray(make, to_sparse, rng):
    objective, entries, lower, upper, bounds, rng = random_program(rng)
    n = len(objective)
    master = make(objective, entries, lower, upper, bounds=bounds)
    for fixings in (Fixings.none(n), fixings_for(n, rng), fixings_for(n, rng), Fixings.none(n)):
        relaxed = master.solve(fixings, SolveBudget())
        view = master.view()
        prices = view.prices(np.arange(len(entries)))
        usage = view.usage_prices()
        gains = view.reduced_costs(columns_of(objective, entries, to_sparse))
        value = judge(objective, entries, lower, upper, bounds, fixings)
        banned = fixings.state == 0
        top = np.where(banned, 0.0, bounds)
        assert np.all(np.isinf(usage) == banned)
        assert np.all(gains[banned] == -np.inf)
        assert np.all(usage[fixings.state == -1] == 0)
        assert np.all(usage[fixings.state == 1] <= 0), "a forced use is subsidised"
        assert np.all(prices[np.isinf(upper)] <= 0)
        assert np.all(prices[np.isinf(lower)] >= 0)
        sides = np.where(prices > 0, upper, lower)
        paid = (prices * np.where(prices == 0, 0.0, sides)).sum() + usage[fixings.state == 1].sum()
        profit = np.where(gains > TOLERANCE, gains, 0.0)
        assert not np.any(np.isinf(top) & (profit > 0)), "a column without a bound has no positive gain"
        profit = (profit * np.where(profit > 0, top, 0.0)).sum()
        if value == -np.inf:
            assert relaxed.bound == -np.inf
            assert view.objective_weight == 0
            assert view.point is None
            if not np.any((fixings.state == 1) & (top < 1)):
                assert paid + profit < 0, "the ray proves that nothing is feasible"
            continue
        assert view.objective_weight == 1
        assert relaxed.bound == pytest.approx(value, abs=TOLERANCE)
        assert relaxed.primal_value == pytest.approx(value, abs=TOLERANCE)
        assert relaxed.bound >= value - 1e-9
        assert paid + profit == pytest.approx(value, abs=TOLERANCE), "strong duality"
        z = master._lp.point()
        inside = (z > TOLERANCE) & (z < top - TOLERANCE)
        assert np.allclose(gains[inside], 0, atol=TOLERANCE), "basic columns"
        assert np.all(gains[~banned & (z < top - TOLERANCE)] <= TOLERANCE), "no column below its bound improves"
        assert np.allclose(relaxed.point, np.clip(z, 0, 1), atol=TOLERANCE)


@examples(20)
@given(rng=generators())
def test_a_column_of_positive_farkas_gain_is_what_repairs(make, to_sparse, rng):
    """Adding columns by Farkas gain ends feasible exactly when the whole program is."""
    objective, entries, lower, upper, bounds, _ = random_program(rng)
    n = len(objective)
    whole = columns_of(objective, entries, to_sparse)
    whole = Columns(whole.keys, whole.objective, whole.coefficients, whole.uses, bounds)
    first = {"keys": [50], "uses": np.eye(n)[:1], "bounds": bounds[:1]}
    master = make(objective[:1], entries[:, :1], lower, upper, **first)
    missing = list(range(1, n))
    while True:
        relaxed = master.solve(Fixings.none(n), SolveBudget())
        gains = master.view().reduced_costs(whole)[missing]
        if relaxed.bound > -np.inf or not missing or gains.max() <= 1e-9:
            break
        best = missing.pop(int(np.argmax(gains)))
        assert master.extend(Batch(whole.take(np.array([best])))) == 1
    feasible = judge(objective, entries, lower, upper, bounds, Fixings.none(n)) > -np.inf
    assert (relaxed.bound > -np.inf) == feasible
