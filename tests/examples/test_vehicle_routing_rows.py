"""Capacity cuts and subset rows: they hold for every plan, are found where they are violated, and are paid for."""

import itertools

import attrs
import numpy as np
import pytest
from drawn import examples, mostly_long
from hypothesis import given
from hypothesis import strategies as st
from routing_judges import METHODS, all_plans, problems, proved

from gapless.roles import Fixings, TreeCertificate
from gapless_vehicle_routing import CapacityCuts, RoutePriceCertificate, VehicleRoutingProblem, random_instance
from gapless_vehicle_routing.subset_rows import SubsetRow, SubsetRows


@examples(25)
@given(problems(), st.integers(0, 2**32 - 1))
def test_capacity_cuts_hold_for_every_plan(problem, seed):
    cuts, plans = CapacityCuts(problem), list(itertools.islice(all_plans(problem), 60))
    usage = np.random.default_rng(seed).random(len(problem.network)) / 2
    rows = cuts.rows(cuts.violated(problem.network.flow(usage)))
    quantity = problem.decisions.quantity_index()
    for plan in plans:
        use = np.bincount(quantity[problem.encode(plan)], minlength=len(problem.network)).astype(float)
        assert np.all(rows.uses.dot(use) >= rows.lower)


def test_a_circle_beyond_the_capacity_is_cut_off():
    problem = VehicleRoutingProblem(np.ones((5, 5), int), [0, 2, 2, 2, 2], 4)
    use = np.zeros(len(problem.network))
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 0)):
        use[problem.network.number[a, b]] += 1
    cuts = CapacityCuts(problem)
    rows = cuts.rows(cuts.violated(problem.network.flow(use)))
    assert sorted(set((rows.lower - rows.uses.dot(use)) * 2)) == [4.0]
    assert {1, 2, 3, 4} in [cuts.of_key(key) for key in rows.keys.tolist()]


class Point:
    """A master with a few walks of these values, and no other rows than customers."""

    def __init__(self, walks, values):
        self.walks, self.column_values = walks, np.array(values)
        self.column_keys, self.row_keys = np.arange(len(walks)), np.zeros(0, np.int64)

    def prices(self, keys):
        return np.zeros(keys.size)

    time_left = np.inf

    def of(self, keys):
        return [self.walks[key] for key in keys.tolist()]


@examples(40)
@given(problems(customers=4), st.integers(0, 2**32 - 1))
def test_subset_rows_hold_for_every_plan(problem, seed):
    rng, places = np.random.default_rng(seed), problem.demands.size
    customers = np.arange(1, places)
    rows = []
    for size in (1, 3):
        members = sorted(rng.permutation(customers)[:size].tolist())
        others = customers[rng.random(customers.size) < 0.5].tolist()
        rows.append(SubsetRow(tuple(members), tuple(sorted({*members, *others}))))
    registry = SubsetRows(places, 9)
    for plan in itertools.islice(all_plans(problem), 60):
        paid = registry.coefficients(plan, rows).sum(axis=0)
        assert np.all(paid <= [row.most for row in rows])


def test_walks_pay_for_every_second_visit_within_the_memory():
    registry = SubsetRows(8, 9)
    rows = [SubsetRow((1, 2, 3), (1, 2, 3)), SubsetRow((1, 2, 3), (1, 2, 3, 7)), SubsetRow((7,), (1, 7))]
    walks = [(1, 2), (1, 7, 2), (1, 4, 2), (1, 2, 3), (7, 1, 7), (7, 4, 7), (1, 7, 2, 3, 7, 1), ()]
    assert registry.coefficients(walks, rows).tolist() == [
        [1, 1, 0],
        [0, 1, 0],
        [0, 0, 0],
        [1, 1, 0],
        [0, 0, 1],
        [0, 0, 0],
        [1, 2, 0],
        [0, 0, 0],
    ]


def test_a_triangle_of_halves_and_a_circle_are_cut_off():
    """Three routes of one half, each over two of three customers; and a walk that comes back to a customer."""
    registry = SubsetRows(9, 9)
    point = Point([(1, 5, 2), (2, 3), (1, 3), (4, 6, 4), (7,)], [0.5, 0.5, 0.5, 0.5, 1.0])
    rows = registry.separate(point, point.of)
    assert set(registry.of(rows.keys)) == {SubsetRow((1, 2, 3), (1, 2, 3, 5)), SubsetRow((4,), (4, 6))}
    entries = np.zeros((len(rows), 5))
    entries[rows.coefficients.row_numbers(), rows.coefficients.indices] = rows.coefficients.values
    assert np.all(entries @ point.column_values > rows.upper + 0.4)
    point.column_values = np.array([0.3, 0.3, 0.3, 0.0, 1.0])
    assert not len(registry.separate(point, point.of))
    assert not len(SubsetRows(9, 0).separate(point, point.of))


def leaves(result):
    evidence = result.certificate
    parts = [*evidence.leaves.values()] if isinstance(evidence, TreeCertificate) else [evidence]
    found = [part for part in parts if isinstance(part, RoutePriceCertificate)]
    assert len(found) == len(parts)
    return found


@pytest.mark.parametrize("seeds", mostly_long([[4, 5], [1, 4, 5, 6]], quick=[0]))
@pytest.mark.parametrize("method", METHODS)
def test_subset_rows_close_nodes(method, seeds):
    """The same optimum with and without them, fewer nodes with them, and certificates that name them."""
    nodes = np.zeros(2, int)
    paid = 0
    for seed in seeds:
        problem = random_instance(seed, 15, per_route=3.4)
        both = [proved(problem, method, subset_rows=most) for most in (60, 0)]
        assert both[0].value == both[1].value
        nodes += [result.stats.nodes for result in both]
        if method == METHODS[0]:
            assert all(result.verify(problem) for result in both)
            paid += sum(len(leaf.subsets) for leaf in leaves(both[0]))
            assert not any(leaf.subsets for leaf in leaves(both[1]))
    assert nodes[0] < nodes[1]
    assert paid or method != METHODS[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"subset_prices": []}, "memory and a price"),
        ({"subsets": [[1, 1, 2]], "memories": [[1, 2]], "subset_prices": [5]}, "twice"),
        ({"subsets": [[1, 2, 9]], "memories": [[1, 2]], "subset_prices": [5]}, "does not exist"),
        ({"subsets": [[1, 2, 3]], "memories": [[0]], "subset_prices": [5]}, "does not exist"),
        ({"subsets": [[1, 2, 3]], "memories": [[1]], "subset_prices": [-5]}, "at least 0"),
        ({"subsets": [[1, 2, 3]], "memories": [[1]], "subset_prices": [2**60]}, "larger than"),
    ],
)
def test_forged_prices_of_subsets_are_refused(change, said):
    problem = random_instance(0, 8)
    evidence = RoutePriceCertificate(1, [3] * 8, subsets=[[1, 2, 3]], memories=[[1, 2, 3]], subset_prices=[1])
    assert evidence.verify(problem)
    fields = {"subsets": [[1, 2, 3]], "memories": [[1, 2, 3]], "subset_prices": [1]} | change
    verdict = RoutePriceCertificate(1, [3] * 8, **fields).verify(problem)
    assert not verdict
    assert said in verdict.reason


def test_a_subset_without_its_price_proves_less():
    """The price of second visits is needed: without it some route is cheap, and the bound falls."""
    for seed in range(20):
        problem = random_instance(seed, 15, per_route=3.4)
        evidence = proved(problem, METHODS[0]).certificate
        if isinstance(evidence, RoutePriceCertificate) and evidence.subsets:
            break
    fixings = Fixings.none(problem.decisions.count)
    without = {"subsets": (), "memories": (), "subset_prices": ()}
    cheaper = attrs.evolve(evidence, **without, least=-(2**40))
    assert cheaper.upper_bound(problem, fixings) > evidence.upper_bound(problem, fixings) + 1e-3
