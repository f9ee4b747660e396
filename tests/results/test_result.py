"""A result refuses contradictions, keeps senses apart, and re-checks itself."""

import json
import math

import attrs
import numpy as np
import pytest

from gapless import Event, InvalidProblem, InvalidResult, NoSolution, Result, Solution, Status, Stop
from gapless.arrays.serial import dumps
from gapless.roles import BoundCertificate, NoCertificate, PointCertificate, ProbabilisticCertificate, Sense, Stats
from gapless.testing.examples import ChargedCapacities, Expenses, Selection

COLOURS = ProbabilisticCertificate(trials=50, colours=6, size=4)
MAX, MIN = Sense.MAXIMISE, Sense.MINIMISE


def solutions(*values):
    return tuple(Solution((i,), v) for i, v in enumerate(values))


def result(status, stop, values, bound, certificate=None, sense=MAX):
    return Result(status, stop, solutions(*values), bound, certificate or NoCertificate(), sense)


CONTRADICTIONS = {
    "nan value": ((Status.FEASIBLE, Stop.TIME, (math.nan,), 1.0), "NaN"),
    "nan bound": ((Status.FEASIBLE, Stop.TIME, (1.0,), math.nan), "NaN"),
    "worst first": ((Status.FEASIBLE, Stop.TIME, (1.0, 2.0), 3.0), "not best first"),
    "better than the bound": ((Status.FEASIBLE, Stop.TIME, (3.1,), 3.0), "better than the bound"),
    "optimal by time": ((Status.OPTIMAL, Stop.TIME, (3.0,), 3.0), "OPTIMAL, but the reason for stopping is TIME"),
    "optimal by error": (
        (Status.OPTIMAL, Stop.ERROR, (3.0,), 3.0),
        "OPTIMAL, but the reason for stopping is ERROR",
    ),
    "optimal with a gap": ((Status.OPTIMAL, Stop.PROVED, (3.0,), 3.1), "OPTIMAL with a gap of 0.1"),
    "optimal unbounded": ((Status.OPTIMAL, Stop.PROVED, (3.0,), math.inf), "OPTIMAL with a gap"),
    "optimal without solution": ((Status.OPTIMAL, Stop.PROVED, (), 3.0), "OPTIMAL with 0 solutions"),
    "feasible without solution": ((Status.FEASIBLE, Stop.TIME, (), 3.0), "FEASIBLE with 0 solutions"),
    "likely without solution": ((Status.LIKELY_OPTIMAL, Stop.TIME, (), 3.0, COLOURS), "with 0 solutions"),
    "nothing with a solution": ((Status.NO_SOLUTION, Stop.TIME, (3.0,), 4.0), "NO_SOLUTION with 1 solutions"),
    "infeasible with a solution": ((Status.INFEASIBLE, Stop.PROVED, (3.0,), 4.0), "INFEASIBLE with 1 solutions"),
    "infeasible by nodes": (
        (Status.INFEASIBLE, Stop.NODES, (), -math.inf),
        "INFEASIBLE, but the reason for stopping is NODES",
    ),
    "infeasible with a bound": ((Status.INFEASIBLE, Stop.PROVED, (), 3.0), "INFEASIBLE with the bound 3"),
    "likely without chances": ((Status.LIKELY_OPTIMAL, Stop.ITERATIONS, (3.0,), 4.0), "probabilistic"),
    "likely by error": (
        (Status.LIKELY_OPTIMAL, Stop.ERROR, (3.0,), 4.0, COLOURS),
        "LIKELY_OPTIMAL, but the reason",
    ),
    "proved but feasible": ((Status.FEASIBLE, Stop.PROVED, (3.0,), 3.0), "PROVED, but the status is FEASIBLE"),
    "proved but nothing": ((Status.NO_SOLUTION, Stop.PROVED, (), 3.0), "PROVED, but the status is NO_SOLUTION"),
    "proved but likely": (
        (Status.LIKELY_OPTIMAL, Stop.PROVED, (3.0,), 3.0, COLOURS),
        "PROVED, but the status is LIKELY",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_raise(name):
    fields, message = CONTRADICTIONS[name]
    with pytest.raises(InvalidResult, match=message):
        result(*fields)


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_raise_for_minimising_problems(name):
    (status, stop, values, bound, *rest), _ = CONTRADICTIONS[name]
    with pytest.raises(InvalidResult):
        result(status, stop, [-v for v in values], -bound, *(rest or [None]), sense=MIN)


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_in_json_raise_too(name):
    """No file brings in a value that construction refuses."""
    good = result(Status.FEASIBLE, Stop.TIME, (3.0,), 4.0, COLOURS)
    (status, stop, values, bound, *rest), message = CONTRADICTIONS[name]
    for field, value in (
        ("status", status),
        ("stop", stop),
        ("solutions", solutions(*values)),
        ("bound", bound),
        ("_certificate", rest[0] if rest else NoCertificate()),
    ):
        object.__setattr__(good, field, value)
    with pytest.raises(InvalidResult, match=message):
        Result.from_json(good.to_json())


@pytest.mark.parametrize(
    "fields",
    [
        (Status.OPTIMAL, Stop.PROVED, (3.0,), 3.0),
        (Status.OPTIMAL, Stop.PROVED, (3.0, 3.0, -math.inf), 3.0 + 1e-9),
        (Status.FEASIBLE, Stop.INTERRUPTED, (3.0, 2.0), math.inf),
        (Status.NO_SOLUTION, Stop.ERROR, (), math.inf),
        (Status.INFEASIBLE, Stop.PROVED, (), -math.inf),
        (Status.LIKELY_OPTIMAL, Stop.ITERATIONS, (3.0,), 5.0, COLOURS),
    ],
)
def test_what_is_consistent_is_accepted(fields):
    held = result(*fields)
    copy = Result.from_json(held.to_json())
    assert (copy.status, copy.stop, copy.bound, copy.sense) == (held.status, held.stop, held.bound, held.sense)
    assert [s.value for s in copy.solutions] == [s.value for s in held.solutions]
    mirrored = result(*fields[:2], [-v for v in fields[2]], -fields[3], *fields[4:], sense=MIN)
    assert mirrored.gap == held.gap
    assert held.status.name in repr(held)


def test_nothing_held_is_an_error_only_when_asked_for():
    empty = result(Status.NO_SOLUTION, Stop.TIME, (), 7.0)
    assert empty.gap == math.inf
    assert not empty.proved
    for ask in ("best", "value"):
        with pytest.raises(NoSolution, match=r"no solution: no solution \(time limit\)"):
            getattr(empty, ask)
    with pytest.raises(LookupError):
        _ = empty.best


@pytest.fixture(params=[MAX, MIN])
def problem(request):
    """Two items, one fits; values 3 and 2 (or costs -3 and -2)."""
    cls, sign = (Selection, 1.0) if request.param is MAX else (Expenses, -1.0)
    return cls([3.0 * sign, 2.0 * sign], [[1.0, 1.0]], [1.0])


def test_of_recomputes_sorts_and_turns_back(problem):
    sign = problem.sense.sign
    held = Result.of(problem, [(1,), (), (0,)], 5.0, Stop.TIME, method="m")
    assert [s.structure for s in held.solutions] == [(0,), (1,), ()]
    assert (held.value, held.bound, held.gap) == (3.0 * sign, 5.0 * sign, 2.0)
    assert (held.status, held.stop, held.method, held.sense) == (Status.FEASIBLE, Stop.TIME, "m", problem.sense)


@pytest.mark.parametrize("stop", list(Stop))
def test_of_says_what_is_proved(problem, stop):
    failed = stop is Stop.ERROR
    held = Result.of(problem, [(0,)], 3.0, stop)
    assert held.status is (Status.FEASIBLE if failed else Status.OPTIMAL)
    assert held.stop is (Stop.ERROR if failed else Stop.PROVED)
    nothing = Result.of(problem, [], -math.inf, stop)
    assert nothing.status is (Status.INFEASIBLE if stop is Stop.PROVED else Status.NO_SOLUTION)
    if stop is not Stop.PROVED:
        assert Result.of(problem, [(1,)], 3.0, stop).status is Status.FEASIBLE
        likely = Result.of(problem, [(1,)], 3.0, stop, certificate=COLOURS)
        assert likely.status is (Status.FEASIBLE if failed else Status.LIKELY_OPTIMAL)


@pytest.mark.parametrize("stop", [s for s in Stop if s not in (Stop.PROVED, Stop.ERROR)])
def test_of_takes_no_tolerance_for_a_proof_when_the_search_stopped_early(stop):
    """Scores of 1e-9 all meet within the margin; only a finished search may call one of them the best."""
    tiny = Selection([3e-9, 2e-9], [[1.0, 1.0]], [1.0])
    assert Result.of(tiny, [(1,)], 3e-9, stop).status is Status.FEASIBLE
    assert Result.of(tiny, [(0,)], 3e-9, stop).status is Status.OPTIMAL


def test_of_lifts_a_bound_that_rounding_left_below_the_value(problem):
    held = Result.of(problem, [(0,)], 3.0 - 1e-9, Stop.PROVED)
    assert (held.status, abs(held.bound)) == (Status.OPTIMAL, 3.0)


def test_of_refuses_a_value_above_the_bound(problem):
    with pytest.raises(InvalidResult, match="better than the bound"):
        Result.of(problem, [(0,)], 2.0, Stop.TIME)


def test_of_refuses_proved_without_proof(problem):
    with pytest.raises(InvalidResult, match="PROVED"):
        Result.of(problem, [(1,)], 3.0, Stop.PROVED)


def test_verify_checks_feasibility_value_sense_and_bound(problem):
    honest = Result.of(problem, [(0,), (1,)], 3.0, Stop.PROVED, certificate=ChargedCapacities([2.5]))
    verdict = honest.verify(problem)
    assert verdict
    assert verdict.bound == 3.0
    sign = problem.sense.sign
    for changed, place in (
        ({"solutions": (Solution((0, 1), 5.0 * sign),), "bound": 5.0 * sign}, "solutions[0]"),
        ({"solutions": (Solution((0,), 3.0 * sign), Solution((1,), 2.5 * sign))}, "solutions[1]"),
        ({"solutions": (Solution("nonsense", 3.0 * sign),)}, "solutions[0]"),
        ({"solutions": (Solution(None, 3.0 * sign),)}, "solutions[0]"),
        ({"solutions": (Solution(({},), 3.0 * sign),)}, "solutions[0]"),
        ({"certificate": ChargedCapacities([1.0])}, "certificate"),
        ({"certificate": ChargedCapacities([1.0, 2.0])}, "certificate"),
        ({"certificate": NoCertificate()}, "certificate"),
        ({"certificate": PointCertificate()}, "certificate"),
        ({"certificate": "trust me"}, "certificate"),
    ):
        verdict = attrs.evolve(honest, **changed).verify(problem)
        assert not verdict, changed
        assert place in verdict.location
    other = Selection if problem.sense is MIN else Expenses
    turned = other(-problem.worth, problem.weights, problem.capacities)
    assert not honest.verify(turned)


def test_verify_refuses_one_structure_named_twice(problem):
    best = Result.of(problem, [(0,)], math.inf, Stop.TIME)
    twice = attrs.evolve(best, solutions=(*best.solutions, *best.solutions))
    verdict = twice.verify(problem)
    assert (bool(verdict), verdict.location) == (False, "solutions[1]")
    assert "the same structure as solutions[0]" in verdict.reason


def test_chances_prove_no_optimum(problem):
    """A colour coding beside a bound without a proof: neither OPTIMAL nor the bound is evident from that."""
    likely = Result.of(problem, [(1,)], math.inf, Stop.ITERATIONS, certificate=COLOURS)
    assert likely.status is Status.LIKELY_OPTIMAL
    assert likely.verify(problem)
    assert "probability" in likely.verify(problem).reason
    bounded = Result.of(problem, [(1,)], 3.0, Stop.ITERATIONS, certificate=COLOURS)
    assert "is claimed" in bounded.verify(problem).reason
    claimed = Result.of(problem, [(0,)], 3.0, Stop.PROVED, certificate=COLOURS)
    assert claimed.status is Status.OPTIMAL
    verdict = claimed.verify(problem)
    assert not verdict
    assert "is claimed" in verdict.reason


def test_no_bound_claimed_needs_no_evidence(problem):
    assert Result.of(problem, [(1,)], math.inf, Stop.TIME).verify(problem)


def test_everything_survives_json(problem):
    held = Result.of(
        problem,
        [(0,), (1,)],
        3.5,
        Stop.NODES,
        certificate=ChargedCapacities([0.5]),
        method="m",
        stats=Stats(seconds=0.5, nodes=3, warm_start_used=True, extra={"kept": 0.25, "flag": np.True_}),
        trace=[Event("node", 0.1, math.inf, -math.inf, {"depth": 1})],
        explanation=["so it is"],
    )
    copy = Result.from_json(held.to_json())
    assert copy.to_json() == held.to_json()
    assert copy.stats == attrs.evolve(held.stats, extra={"kept": 0.25, "flag": True})
    assert list(copy.trace) == list(held.trace)
    assert list(copy.explanation) == ["so it is"]
    assert copy.verify(problem).bound == held.verify(problem).bound
    assert "\n" not in held.to_json()


@pytest.mark.parametrize("text", ["3", "[]", '{"a": 1}', '{"type": "gapless.Stats"}', "null"])
def test_json_that_holds_no_result(text):
    with pytest.raises(InvalidResult, match="holds no result"):
        Result.from_json(text)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bound", '"high"'),
        ("solutions", '["x"]'),
        ("solutions", "3"),
        ("sense", "1"),
        ("status", "null"),
        ("bound", "[]"),
    ],
)
def test_json_of_a_wrong_shape_names_the_type(field, value):
    text = '{"type": "gapless.Result", "status": {"type": "gapless.Status", "value": "feasible"}, '
    text += '"stop": {"type": "gapless.Stop", "value": "time"}, "solutions": [], "bound": 3.0}'
    known = {
        "bound": '"bound": 3.0',
        "solutions": '"solutions": []',
        "status": '{"type": "gapless.Status", "value": "feasible"}',
    }
    old = known.get(field, '"bound": 3.0')
    new = {"sense": f'"sense": {value}, "bound": 3.0', "status": value}.get(field, f'"{field}": {value}')
    assert old in text
    with pytest.raises(InvalidProblem, match=r"gapless\.Result"):
        Result.from_json(text.replace(old, new))


class Unnamed(BoundCertificate):
    """A plug-in's first certificate: nothing but the formula."""

    def upper_bound(self, problem, fixings):
        return 7.0


def test_a_certificate_needs_no_kind():
    verdict = Unnamed().verify(Selection([1.0], [[1.0]], [1.0]))
    assert verdict
    assert verdict.reason == "evidence: nothing scores more than 7"


def test_stats_are_a_dict_for_whoever_wants_one():
    stats = Stats(seconds=1.5, nodes=3, extra={"passes": 2})
    held = dict(stats)
    assert held["seconds"] == 1.5
    assert held["extra"] == {"passes": 2}
    assert held == attrs.asdict(stats)
    assert Stats(**held) == stats
    assert {**stats}["nodes"] == stats["nodes"] == 3
    for name in ("node", "keys", "__class__", 0):
        with pytest.raises(KeyError):
            stats[name]


def test_json_of_stats_stays_as_it_is():
    written = json.loads(dumps(Stats(nodes=3)))
    assert list(written) == ["type", *dict(Stats())]


def test_outcomes_and_reasons_read_as_words():
    """No "optimal, stopped by proved": each reason for stopping has words that fit into a sentence."""
    assert [stop.words for stop in Stop] == [
        *("proved", "gap limit", "time limit", "node limit", "iteration limit", "target reached"),
        *("restricted", "relaxed", "interrupted", "error"),
    ]
    optimal = result(Status.OPTIMAL, Stop.PROVED, (3.0,), 3.0)
    assert optimal.outcome == "optimal (proved)"
    assert repr(optimal).startswith("<Result OPTIMAL: value=3, gap=0, ")
    early = result(Status.FEASIBLE, Stop.TIME, (3.0,), 4.0)
    assert early.outcome == "feasible (time limit)"
    assert repr(early).startswith("<Result FEASIBLE (time limit): value=3, gap=1, ")


@pytest.mark.parametrize("wanted", [0, -1])
def test_a_list_of_no_structures_is_refused(wanted):
    """The gap is counted to the last structure that was asked for."""
    good = result(Status.FEASIBLE, Stop.TIME, (3.0, 2.0), 4.0)
    with pytest.raises(InvalidResult, match=f"{wanted} structures were asked for"):
        attrs.evolve(good, requested_k=wanted)
