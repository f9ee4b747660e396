"""`check_generator` and generators of rows: no false alarm when a cut lowers the master, and lies are caught."""

import re
from pathlib import Path

import attrs
import numpy as np
import pytest
from drawn import examples, numbers, seeded
from hypothesis import given

from gapless.column_generation.master import LinearMaster
from gapless.roles import Batch, Formulation, Generator, GeneratorResult, Rows, Sparse
from gapless.testing import ConformanceError, check_generator

PAGE = Path(__file__).parents[2] / "docs/howto/branch-price-and-cut.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def page():
    """The problem `Cables` and the generator `Cuts`, as the how-to writes them."""
    names = {"__name__": "page"}
    for block in BLOCK.findall(PAGE.read_text("utf-8"))[:2]:
        exec(block, names)
    return names


def checked(page, source, kind=None, first=None):
    problem = page["Cables"](numbers(source).random((5, 2)))
    generator = (kind or page["Cuts"])(problem)
    batch = (first or page["first_rows_and_columns"])(problem)
    return check_generator(generator, lambda: LinearMaster(problem, Formulation(batch, [generator])), problem)


def all_checked(page, kind=None, first=None):
    for seed in range(6):
        checked(page, seed, kind, first)


@examples(3)
@given(rng=seeded())
def test_the_cuts_of_the_how_to_pass(rng, page):
    checked(page, rng)


def test_a_cut_that_cuts_off_an_answer_is_caught_and_named(page):
    class TooMany(page["Cuts"]):
        """Two cables out of every set of sites: a path has sets with one."""

        def rows(self, rows):
            return attrs.evolve(super().rows(rows), lower=np.full(len(rows), 2.0))

    with pytest.raises(ConformanceError, match="nothing feasible is missing") as error:
        all_checked(page, TooMany)
    assert re.search(r"with rows \[\d+", str(error.value)), "which rows"


class PricesAndCuts(Generator):
    """Prices cables that are missing, and claims what `claim` makes of their gains; then asks `Cuts`."""

    def __init__(self, cuts, columns, claim):
        self.cuts, self.columns, self.claim = cuts, columns, claim

    def query(self, view, *, limit=None):
        missing = self.columns.take(np.flatnonzero(~np.isin(self.columns.keys, view.column_keys)))
        entered = self.with_cuts(missing, view)
        gain = view.reduced_costs(entered)
        better = np.flatnonzero(gain > 1e-9)
        there = self.cuts.query(view).batch.rows
        if len(there):
            columns = [there.coefficients.row(r)[0] for r in range(len(there))]
            kept = Sparse.from_rows([c[np.isin(c, view.column_keys)] for c in columns])
            return GeneratorResult(
                Batch(rows=attrs.evolve(there, coefficients=kept)), pricing_gap=self.claim(gain[better])
            )
        return GeneratorResult(Batch(entered.take(better)), pricing_gap=self.claim(gain[better]))

    def with_cuts(self, columns, view):
        """Their entries in the cuts that the master holds."""
        rows = {key: part for part, key in self.cuts.known.items() if key in view.row_keys}
        ends = self.cuts.problem.ends[columns.keys]
        entries = [
            [*columns.coefficients.row(c)[0], *(k for k, part in rows.items() if (a in part) != (b in part))]
            for c, (a, b) in enumerate(ends.tolist())
        ]
        return attrs.evolve(columns, coefficients=Sparse.from_rows(entries))


def pricing(page, claim, generator=PricesAndCuts):
    """Only every second cable is there at first."""
    every = {}

    def kind(problem):
        every["batch"] = page["first_rows_and_columns"](problem)
        return generator(page["Cuts"](problem), every["batch"].columns, claim)

    def first(problem):
        batch = every["batch"]
        return attrs.evolve(batch, columns=batch.columns.take(np.arange(0, len(batch.columns), 2)))

    return {"kind": kind, "first": first}


@examples(3)
@given(rng=seeded())
def test_columns_and_cuts_of_an_honest_generator_pass(rng, page):
    checked(page, rng, **pricing(page, lambda gain: gain.sum()))


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_slack_that_lies_is_caught_though_cuts_follow(page, share):
    with pytest.raises(ConformanceError, match="pricing gap bounds what is missing") as error:
        all_checked(page, **pricing(page, lambda gain: share * gain.sum()))
    assert re.search(r"round \d+: .*, but .* (is reached in round \d+|is feasible)", str(error.value))


def test_columns_without_their_entries_in_cuts_are_caught(page):
    class Forgets(PricesAndCuts):
        """As if no cut were there."""

        def with_cuts(self, columns, view):
            return columns

    with pytest.raises(ConformanceError, match=r"Forgets breaks the rule '(nothing feasible|the pricing gap)"):
        all_checked(page, **pricing(page, lambda gain: gain.sum(), Forgets))


def test_cuts_without_the_entries_of_some_columns_are_caught(page):
    class Half(page["Cuts"]):
        """Every other cable that leaves the set."""

        def rows(self, rows):
            return super().rows([(key, cables[::2]) for key, cables in rows])

    with pytest.raises(ConformanceError, match="nothing feasible is missing"):
        all_checked(page, Half)


def test_a_generator_that_remembers_what_it_returned_is_caught(page):
    class Once(page["Cuts"]):
        """Never returns a cut again."""

        def query(self, view, *, limit=None):
            before = set(self.known)
            rows = super().query(view).batch.rows
            new = [r for r, key in enumerate(rows.keys.tolist()) if key not in {self.known[p] for p in before}]
            kept = Rows(
                rows.keys[new], rows.lower[new], rows.upper[new], rows.coefficients.take(np.array(new, int))
            )
            return GeneratorResult(Batch(rows=kept), pricing_gap=0.0)

    with pytest.raises(ConformanceError, match="equal views get equal answers") as error:
        all_checked(page, Once)
    assert re.search(r"rows \[\d.*\].* and then columns \[\], rows \[\]", str(error.value))
    assert "not what it has returned" in str(error.value)


def test_one_key_for_two_rows_is_caught(page):
    class Clashes(page["Cuts"]):
        def rows(self, rows):
            named = super().rows(rows)
            return attrs.evolve(named, keys=np.full(len(named), 99), upper=9.0 + np.arange(len(named)))

    with pytest.raises(ConformanceError, match=r"a key names one row.*row 99 was another one before"):
        all_checked(page, Clashes)
