"""Mutation by intent: every deliberately wrong role is caught by the kit, under the rule that it breaks."""

import contextlib
import math

import attrs
import numpy as np
import pytest

from gapless import (
    Batch,
    BatchResult,
    Branch,
    Brancher,
    Decisions,
    LinearDualCertificate,
    MostFractional,
    Relaxed,
    Result,
    Stop,
    Tightening,
    serialisable,
)
from gapless.testing import (
    ConformanceError,
    check_brancher,
    check_factor,
    check_generator,
    check_maximiser,
    check_method,
    check_problem,
    check_relaxation,
    feasible_structures,
)
from gapless.testing.example_pricing import ItemGenerator, KnownItems
from gapless.testing.examples import ChargedCapacities, GroupMaximiser, OptimisticBound, Selection

NAN, INF = math.nan, math.inf


def caught(rule, check, *args, **kwargs):
    """The kit must name the broken rule."""
    with pytest.raises(ConformanceError) as error:
        check(*args, **kwargs)
    assert rule in error.value.rule, error.value
    assert error.value.role in str(error.value)
    assert error.value.instance
    return error.value


class Fickle:
    """Counts its calls: a source of answers that change."""

    calls = 0

    def tick(self):
        type(self).calls += 1
        return self.calls


# Problems


def mutant(**methods):
    """A selection with some methods replaced."""
    return type("Mutant", (Selection,), methods)


def worth(self, structure):
    return Selection.value(self, structure)


PROBLEMS = {
    "value is NaN": (mutant(value=lambda self, s: NAN), "never NaN"),
    "value is infinitely good": (mutant(value=lambda self, s: INF), "never NaN or infinitely good"),
    "value changes": (
        type("Changing", (Fickle, Selection), {"value": lambda self, s: worth(self, s) + self.tick()}),
        "value is deterministic",
    ),
    "value raises": (mutant(value=lambda self, s: 1 / 0), "enumerated"),
    "encode descends": (
        mutant(encode=lambda self, s: Selection.encode(self, s)[::-1].copy()),
        "encode|enumeration",
    ),
    "encode gives floats": (
        mutant(encode=lambda self, s: Selection.encode(self, s).astype(float)),
        "integer array",
    ),
    "decode forgets": (mutant(decode=lambda self, on: tuple(on[1:].tolist())), "enumeration|inverse"),
    "violations raise": (mutant(violations=lambda self, s: {}["rule"]), "enumeration|violations"),
    "violations of the feasible": (mutant(violations=lambda self, s: ["never"]), "no violations|enumeration"),
    "infeasibility speaks": (mutant(infeasibility=lambda self: ["nothing fits"]), "infeasibility() says nothing"),
    "granularity": (mutant(granularity=2.0), "multiples of the granularity"),
    "granularity of zero": (mutant(granularity=0.0), "granularity is positive"),
    "nameless": (
        mutant(decisions=property(lambda self: attrs.evolve(Selection.decisions.fget(self), name=lambda d: ""))),
        "has a name",
    ),
    "unnameable": (
        mutant(decisions=property(lambda self: attrs.evolve(Selection.decisions.fget(self), name={}.__getitem__))),
        "has a name",
    ),
    "group out of range": (
        mutant(decisions=property(lambda self: Decisions(6, exactly_one=((0, 6),)))),
        "groups name existing decisions",
    ),
    "group repeats": (
        mutant(decisions=property(lambda self: Decisions(6, exactly_one=((0, 0),)))),
        "groups list a decision once",
    ),
    "no JSON": (mutant(), "survive JSON"),
    "linear model too small": (
        mutant(
            linear_model=lambda self: attrs.evolve(
                Selection.linear_model(self), objective=Selection.linear_model(self).objective - 1.0
            )
        ),
        "linear model bounds",
    ),
    "linear model without decisions": (
        mutant(linear_model=lambda self: attrs.evolve(Selection.linear_model(self), decision_columns=[0])),
        "a column for each decision",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems(grouped, name):
    cls, rule = PROBLEMS[name]
    problem = cls(grouped.worth, grouped.weights, grouped.capacities, grouped.groups)
    structures = [f.structure for f in feasible_structures(grouped)]
    options = {"json": name == "no JSON"}
    errors = []
    for given in (structures, None):
        try:
            check_problem(problem, given, **options)
        except ConformanceError as error:
            errors.append(error)
    assert errors, "the mutant survived"
    assert any(part in error.rule for part in rule.split("|") for error in errors), errors


def test_problem_whose_groups_are_no_facts(grouped):
    lenient = mutant(violations=lambda self, s: [])
    problem = lenient(grouped.worth, grouped.weights, grouped.capacities, grouped.groups)
    with pytest.raises(ConformanceError):
        check_problem(problem, [(0, 1, 2)], json=False)


@serialisable("tests.Forgetful")
class Forgetful(Selection):
    """Its JSON loses the last capacity."""

    def to_fields(self):
        return {**super().to_fields(), "worth": self.worth * 2}


def test_problem_whose_json_lies(grouped):
    problem = Forgetful(grouped.worth, grouped.weights, grouped.capacities, grouped.groups)
    caught("survive JSON", check_problem, problem)


# Relaxations


class Bent(OptimisticBound):
    """`bend(self, relaxed, fixings, budget, incumbent, state)` changes the honest answer."""

    bend = None

    def solve(self, fixings, budget, *, incumbent=-INF, state=None):
        relaxed = super().solve(fixings, budget, incumbent=incumbent, state=state)
        return type(self).bend(self, relaxed, fixings, budget, incumbent, state)


def bent(bend):
    return type("Bent", (Bent,), {"bend": staticmethod(bend)})


def evolve(**fields):
    return bent(lambda self, r, *_: attrs.evolve(r, **{k: v(r) if callable(v) else v for k, v in fields.items()}))


def spent_is_empty(self, relaxed, fixings, budget, incumbent, state):
    return Relaxed(-INF) if budget.spent() else relaxed


def spent_is_an_error(self, relaxed, fixings, budget, incumbent, state):
    if budget.spent():
        raise TimeoutError("too late")
    return relaxed


def trusts_the_incumbent(self, relaxed, fixings, budget, incumbent, state):
    return attrs.evolve(
        relaxed, bound=max(min(relaxed.bound, incumbent), -1e9) if incumbent > -INF else relaxed.bound
    )


def trusts_its_state(self, relaxed, fixings, budget, incumbent, state):
    bound = relaxed.bound if state is None else min(relaxed.bound, state)
    return attrs.evolve(relaxed, bound=bound, state=relaxed.bound)


def fixes_everything_off(self, relaxed, fixings, budget, incumbent, state):
    step = Tightening((), tuple(fixings.free), relaxed.certificate)
    return attrs.evolve(relaxed, tightenings=(step,))


def excludes_too_little(self, relaxed, fixings, budget, incumbent, state):
    step = Tightening((), tuple(fixings.free), relaxed.certificate)
    return attrs.evolve(relaxed, tightenings=(step,), excluded=-50.0) if incumbent > 10 else relaxed


def ignores_fixings(self, relaxed, fixings, budget, incumbent, state):
    found = self.maximiser.solve(self.prices.scores, attrs.evolve(fixings, state=np.full(6, -1)))
    point = np.zeros(6)
    point[found.on_ids] = 1.0
    return attrs.evolve(relaxed, bound=found.value, point=point)


def fickle(self, relaxed, fixings, budget, incumbent, state):
    Fickle.calls += 1
    return attrs.evolve(relaxed, bound=relaxed.bound + Fickle.calls)


RELAXATIONS = {
    "bound too low": (evolve(bound=lambda r: r.bound - 3.0), "dominates every feasible value"),
    "bound is NaN": (evolve(bound=NAN), "never NaN"),
    "raises": (bent(lambda *_: 1 / 0), "solve returns a Relaxed"),
    "returns nothing": (bent(lambda *_: None), "solve returns a Relaxed"),
    "point of another size": (evolve(point=np.zeros(3)), "a number in [0, 1]"),
    "point outside": (evolve(point=np.full(6, 1.5)), "a number in [0, 1]"),
    "point with NaN": (evolve(point=np.full(6, NAN)), "a number in [0, 1]"),
    "ignores fixings": (bent(ignores_fixings), "point respects the fixings"),
    "attains too much": (evolve(attained=lambda r: r.bound + 1.0), "attained lies below"),
    "empty when spent": (bent(spent_is_empty), "dominates|true when the budget is spent"),
    "fails when spent": (bent(spent_is_an_error), "a spent budget is no error"),
    "trusts the incumbent": (bent(trusts_the_incumbent), "dominates every feasible value"),
    "trusts its state": (bent(trusts_its_state), "dominates every feasible value"),
    "fixes too much": (bent(fixes_everything_off), "keep every structure better"),
    "excludes too little": (bent(excludes_too_little), "excluded bounds|keep every structure"),
    "changes its mind": (bent(fickle), "answer alike"),
    "certificate too weak": (evolve(certificate=ChargedCapacities([9.0])), "certificate proves the bound"),
    "certificate unreadable": (evolve(certificate=LinearDualCertificate([1.0])), "a certificate holds"),
    "certificate false": (
        evolve(certificate=type("Lie", (ChargedCapacities,), {"upper_bound": lambda *_: -5.0})([0.0])),
        "proves nothing false",
    ),
}


@pytest.mark.parametrize("name", RELAXATIONS)
def test_relaxations(grouped, name):
    cls, rule = RELAXATIONS[name]
    with pytest.raises(ConformanceError) as error:
        check_relaxation(lambda: cls(grouped), grouped)
    assert any(part in error.value.rule for part in rule.split("|")), error.value


# Maximisers


class BentMaximiser(GroupMaximiser):
    bend_solve = None
    bend_slacks = None

    def solve(self, weights, fixings):
        found = super().solve(weights, fixings)
        bend = type(self).bend_solve
        return bend(self, found, weights, fixings) if bend else found

    def slacks(self, weights, fixings):
        slacks = super().slacks(weights, fixings)
        bend = type(self).bend_slacks
        return bend(slacks, weights, fixings) if bend else slacks


def bent_solve(bend):
    return type("BentMaximiser", (BentMaximiser,), {"bend_solve": staticmethod(bend)})


def bent_slacks(bend):
    return type("BentMaximiser", (BentMaximiser,), {"bend_slacks": staticmethod(bend)})


def second_best(self, found, weights, fixings):
    group = self.groups[0]
    chosen = np.intersect1d(found.on_ids, group)
    wider = fixings.fix(off=chosen)
    other = None if wider is None or not chosen.size else GroupMaximiser.solve(self, weights, wider)
    return found if other is None or other.value == -INF else other


def blind_to_fixings(self, found, weights, fixings):
    return GroupMaximiser.solve(self, weights, attrs.evolve(fixings, state=np.full(6, -1)))


def blind_to_infinity(self, found, weights, fixings):
    tame = np.maximum(weights, -100.0)
    return GroupMaximiser.solve(self, tame, fixings)


def scribbles(self, found, weights, fixings):
    weights[0] += 1.0
    return found


def alternates(self, found, weights, fixings):
    Fickle.calls += 1
    ids = found.on_ids if Fickle.calls % 2 else found.on_ids[::-1].copy()
    return attrs.evolve(found, on_ids=ids)


MAXIMISERS = {
    "value too high": (bent_solve(lambda self, f, *_: attrs.evolve(f, value=f.value + 1)), "value is the maximum"),
    "value too low": (bent_solve(lambda self, f, *_: attrs.evolve(f, value=f.value - 1)), "value is the maximum"),
    "value is NaN": (bent_solve(lambda self, f, *_: attrs.evolve(f, value=NAN)), "value is the maximum"),
    "second best": (bent_solve(second_best), "value is the maximum"),
    "blind to fixings": (bent_solve(blind_to_fixings), "value is the maximum|respects the fixings"),
    "blind to -inf": (bent_solve(blind_to_infinity), "value is the maximum"),
    "value of another structure": (
        bent_solve(lambda self, f, *_: attrs.evolve(f, on_ids=f.on_ids[:-1])),
        "sum of the weights|returns a structure|respects the fixings",
    ),
    "no structure": (
        bent_solve(lambda self, f, w, x: attrs.evolve(f, on_ids=np.arange(6)) if not w.any() else f),
        "returns a structure|respects the fixings",
    ),
    "raises": (bent_solve(lambda *_: 1 / 0), "solve answers"),
    "returns a tuple": (bent_solve(lambda self, f, *_: (f.value, f.on_ids)), "returns a Maximised"),
    "scribbles on the weights": (bent_solve(scribbles), "weights are left alone"),
    "alternates": (bent_solve(alternates), "equal questions"),
    "slack too large": (bent_slacks(lambda s, *_: attrs.evolve(s, on=s.on + 0.5)), "slacks are exact"),
    "slack too small": (bent_slacks(lambda s, *_: attrs.evolve(s, on=s.on * 0)), "slacks are exact|number >= 0"),
    "slack negative": (bent_slacks(lambda s, *_: attrs.evolve(s, on=s.on - 1.0)), "a slack is a number >= 0"),
    "slack is NaN": (bent_slacks(lambda s, *_: attrs.evolve(s, off=np.full(6, NAN))), "a slack is a number >= 0"),
    "slack of some": (bent_slacks(lambda s, *_: attrs.evolve(s, on=s.on[:3])), "speak of all decisions"),
    "slack off swapped": (bent_slacks(lambda s, *_: attrs.evolve(s, off=s.on)), "slacks are exact"),
    "slacks raise": (bent_slacks(lambda *_: {}["x"]), "slacks answers"),
}


@pytest.mark.parametrize("name", MAXIMISERS)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_maximisers(grouped, name):
    cls, rule = MAXIMISERS[name]
    unlimited = attrs.evolve(grouped, capacities=[99.0])
    on_sets = [f.on_ids for f in feasible_structures(unlimited)]
    with pytest.raises(ConformanceError) as error:
        check_maximiser(cls(grouped), grouped.decisions, on_sets)
    assert any(part in error.value.rule for part in rule.split("|")), error.value


# Generators


class BentGenerator(ItemGenerator):
    bend = None

    def query(self, view, *, limit=None):
        return type(self).bend(self, super().query(view, limit=limit), view)


def bent_query(bend):
    return type("BentGenerator", (BentGenerator,), {"bend": staticmethod(bend)})


def drops_item_two(self, answer, view):
    keys = answer.batch.columns.keys
    if 2 not in keys:
        return answer
    kept = np.flatnonzero(keys != 2)
    return attrs.evolve(answer, batch=Batch(answer.batch.columns.take(kept)), slack=0.0)


def forgets_item_two(self, answer, view):
    """As if item 2 did not exist."""
    state = view.fixings.state.copy()
    state[2] = 0
    return ItemGenerator.query(self, type(view)(attrs.evolve(view.fixings, state=state), view.known, view.best))


def ignores_the_fixings(self, answer, view):
    free = attrs.evolve(view.fixings, state=np.full(6, -1))
    return ItemGenerator.query(self, type(view)(free, view.known, view.best))


def wavers(self, answer, view):
    Fickle.calls += 1
    return attrs.evolve(answer, slack=None if answer.slack is None else answer.slack + Fickle.calls)


def nan_objective(self, answer, view):
    columns = answer.batch.columns
    return attrs.evolve(answer, batch=Batch(attrs.evolve(columns, objective=columns.objective * NAN)))


GENERATORS = {
    "drops a column": (bent_query(drops_item_two), "nothing feasible is missing|slack bounds what is missing"),
    "forgets an item": (bent_query(forgets_item_two), "nothing feasible is missing|slack bounds what is missing"),
    "halves its slack": (
        bent_query(lambda self, a, v: attrs.evolve(a, slack=None if a.slack is None else a.slack / 4)),
        "slack bounds what is missing",
    ),
    "claims zero": (bent_query(lambda self, a, v: attrs.evolve(a, slack=0.0)), "slack bounds what is missing"),
    "claims less than zero": (
        bent_query(lambda self, a, v: attrs.evolve(a, slack=-1.0)),
        "a slack is a number >= 0",
    ),
    "claims NaN": (
        bent_query(lambda self, a, v: attrs.evolve(a, slack=NAN)),
        "equal views|a slack is a number >= 0",
    ),
    "claims nothing": (bent_query(lambda self, a, v: attrs.evolve(a, slack=None)), "a slack is owed"),
    "ignores the fixings": (bent_query(ignores_the_fixings), "banned by the fixings"),
    "wavers": (bent_query(wavers), "equal views get equal answers"),
    "raises": (bent_query(lambda *_: 1 / 0), "query answers"),
    "returns nothing": (bent_query(lambda *_: None), "query returns an Answer"),
    "prices with NaN": (bent_query(nan_objective), "no NaN"),
    "returns the same for ever": (
        bent_query(lambda self, a, v: attrs.evolve(a, batch=Batch(self.columns([0])), slack=0.0)),
        "nothing feasible is missing|banned|slack bounds",
    ),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_generators(grouped, name):
    cls, rule = GENERATORS[name]
    with pytest.raises(ConformanceError) as error:
        check_generator(cls(grouped), lambda: KnownItems(grouped, (1, 3)), grouped)
    assert any(part in error.value.rule for part in rule.split("|")), error.value


def test_generator_that_never_runs_dry(grouped):
    class Endless(KnownItems):
        def extend(self, batch):
            super().extend(batch)
            return 1

    class Chatty(ItemGenerator):
        def query(self, view, *, limit=None):
            free = [d for d in range(6) if view.fixings.state[d] != 0]
            return attrs.evolve(super().query(view, limit=limit), batch=Batch(self.columns(free)))

    caught("runs dry", check_generator, Chatty(grouped), lambda: Endless(grouped), grouped)


# Branchers


class Split(Brancher):
    def __init__(self, function):
        self.function = function

    def split(self, fixings, relaxed):
        return self.function(fixings, relaxed, MostFractional().split(fixings, relaxed))


class HalfPoints(OptimisticBound):
    """Every free decision at one half."""

    def solve(self, fixings, budget, *, incumbent=-INF, state=None):
        relaxed = super().solve(fixings, budget, incumbent=incumbent, state=state)
        return attrs.evolve(relaxed, point=np.where(fixings.state == -1, 0.5, fixings.state).astype(float))


class OneFraction(OptimisticBound):
    """Only the last free decision is fractional."""

    def solve(self, fixings, budget, *, incumbent=-INF, state=None):
        relaxed = super().solve(fixings, budget, incumbent=incumbent, state=state)
        point = np.maximum(fixings.state, 0).astype(float)
        if fixings.free.size:
            point[fixings.free[-1]] = 0.5
        return attrs.evolve(relaxed, point=point)


def shuffles(fixings, relaxed, honest):
    Fickle.calls += 1
    return honest if Fickle.calls % 2 else honest[::-1]


def first_free(fixings, relaxed, honest):
    free = fixings.free
    return (Branch(on=(free[0],)), Branch(off=(free[0],))) if free.size else ()


def group_without_the_rest(fixings, relaxed, honest):
    """Branches on the items of a group, but forgets one."""
    return [Branch(on=(0,))] if fixings.state[0] == -1 and fixings.state[1] == -1 else honest


BRANCHERS = {
    "forgets a child": (lambda f, r, h: h[:1], "children cover the parent"),
    "forgets one of a group": (group_without_the_rest, "children cover the parent"),
    "contradicts itself": (
        lambda f, r, h: (Branch(on=h[0].on, off=h[0].on), h[1]) if h else h,
        "children cover the parent",
    ),
    "repeats the parent": (lambda f, r, h: (*h, Branch()) if h else h, "no child repeats"),
    "gives up": (lambda f, r, h: (), "children are given while something is open"),
    "names what is not there": (lambda f, r, h: (*h, Branch(on=(6,))) if h else h, "existing decisions"),
    "counts from the end": (lambda f, r, h: (*h, Branch(on=(-1,))) if h else h, "existing decisions"),
    "keeps the point": (first_free, "exclude a fractional point"),
    "shuffles": (shuffles, "equal questions"),
    "raises": (lambda f, r, h: 1 / 0, "split answers"),
    "returns nothing": (lambda f, r, h: None, "split answers"),
}


@pytest.mark.parametrize("name", BRANCHERS)
def test_branchers(grouped, name):
    function, rule = BRANCHERS[name]
    relaxation = OneFraction(grouped) if name == "keeps the point" else HalfPoints(grouped)
    check_brancher(MostFractional(), grouped, relaxation)
    caught(rule, check_brancher, Split(function), grouped, relaxation)


# Factors

BY_SIZE = [lambda self, scopes: np.zeros(len(scopes)) + len(scopes), "do not depend on what else is asked"]


def drifting(self, scopes):
    Fickle.calls += 1
    return np.zeros(len(scopes)) - Fickle.calls


def pairs(*listed):
    return lambda self, decisions: list(listed)


FACTORS = {
    "bound below the score": ({"upper_bound": lambda self, s: np.cos(s.sum(axis=1)) - 1e-3}, "dominates score"),
    "bound is NaN": ({"upper_bound": lambda self, s: np.full(len(s), NAN)}, "never NaN"),
    "score depends on the batch": (
        {"score": BY_SIZE[0], "upper_bound": lambda self, s: np.full(len(s), INF)},
        BY_SIZE[1],
    ),
    "score drifts": ({"score": drifting}, "what else is asked, or when"),
    "score is a column": ({"score": lambda self, s: np.zeros((len(s), 1))}, "scores have shape"),
    "score of one": ({"score": lambda self, s: np.zeros(1)}, "scores have shape"),
    "score is NaN": ({"score": lambda self, s: np.where(s[:, 0] == 2, NAN, 0.0)}, "never NaN"),
    "score is infinite": ({"score": lambda self, s: np.where(s[:, 0] == 2, INF, 0.0)}, "plus infinity"),
    "score raises": ({"score": lambda self, s: 1 / 0}, "scores can be computed"),
    "scopes raise": ({"scopes": lambda self, d: {}["x"]}, "scopes can be listed"),
    "scopes of two lengths": ({"scopes": pairs((0, 1), (2,))}, "one length"),
    "scope repeats a decision": ({"scopes": pairs((0, 0))}, "repeats no decision"),
    "scope is not there": ({"scopes": pairs((0, 6))}, "existing decisions"),
    "scope listed twice": ({"scopes": pairs((0, 1), (1, 0))}, "listed twice"),
    "scopes change": (
        {"scopes": lambda self, d: [(0, 1)] if Fickle().tick() % 2 else [(1, 2)]},
        "listed the same way",
    ),
    "nameless": ({"name": ""}, "has a name"),
}


@pytest.mark.parametrize("name", FACTORS)
def test_factors(honest, name):
    changes, rule = FACTORS[name]
    caught(rule, check_factor, type("BentPair", (honest.Pair,), changes)(), Decisions(6))


def greedy(self, weights):
    """Ignores the value."""
    on = self.scope[weights > 0]
    return self.value(on) + weights[weights > 0].sum(), on


def boasts(self, weights):
    value, on = type(self).__mro__[1].best(self, weights)
    return value + 1, on


CONFIGURATIONS = {
    "best is greedy": ({"best": greedy}, "best equals enumeration"),
    "best boasts": (
        {"best": boasts},
        "best equals enumeration",
    ),
    "best shows another": (
        {"best": lambda self, w: (self.__class__.__mro__[1].best(self, w)[0], self.scope)},
        "states what its configuration scores",
    ),
    "best leaves the scope": (
        {"best": lambda self, w: (self.__class__.__mro__[1].best(self, w)[0], np.array([1]))},
        "decisions of the scope",
    ),
    "value by order": ({"value": lambda self, on: float(on[0]) if len(on) else 0.0}, "order or time"),
    "value is NaN": ({"value": lambda self, on: NAN}, "never NaN"),
    "value raises": ({"value": lambda self, on: 1 / 0}, "has a value"),
    "scope unsorted": ({"scope": np.array([3, 0])}, "ascending"),
    "scope not there": ({"scope": np.array([3, 9])}, "existing decisions"),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configuration_factors(honest, name):
    changes, rule = CONFIGURATIONS[name]
    caught(rule, check_factor, type("BentAtMost", (honest.AtMost,), changes)(), Decisions(6))


# Methods


def of(problem, structures, bound, solve, stop=Stop.PROVED, **how):
    return Result.of(problem, structures, bound, stop, method=solve.method, **how)


def ranked(problem):
    return sorted(feasible_structures(problem), key=lambda f: -f.score)


def claims_the_second(problem, solve):
    second = ranked(problem)[1]
    return of(problem, [second.structure], second.score, solve)


def keeps_the_second(problem, solve):
    second = ranked(problem)[1]
    return of(problem, [second.structure], second.score + 50.0, solve, Stop.NODES)


def claims_nothing_is_feasible(problem, solve):
    return of(problem, [], -INF, solve)


def ignores_k(problem, solve):
    best = ranked(problem)[0]
    return of(problem, [best.structure], best.score, solve)


def repeats_for_k(problem, solve):
    best = ranked(problem)[0]
    return of(problem, [best.structure] * solve.k, best.score, solve)


def skips_the_second(problem, solve):
    found = ranked(problem)
    kept = [found[0], *found[2 : solve.k + 1]]
    return of(problem, [f.structure for f in kept], found[0].score, solve)


def fails_on_time(problem, solve):
    if solve.budget.spent():
        raise TimeoutError("time is up")
    return ignores_k(problem, solve)


def lies_on_time(problem, solve):
    best = ranked(problem)[-1]
    if solve.budget.spent():
        return of(problem, [best.structure], best.score, solve)
    return ignores_k(problem, solve)


def draws(problem, solve):
    Fickle.calls += 1
    found = ranked(problem)[0]
    return of(problem, [found.structure], found.score + 1e-13 * Fickle.calls, solve)


def swallows(problem, solve):
    with contextlib.suppress(LookupError):
        solve.budget.emit("node", 1.0, 0.0)
    return ignores_k(problem, solve)


def bad_evidence(problem, solve):
    best = ranked(problem)[0]
    return of(problem, [best.structure], best.score, solve, certificate=ChargedCapacities([0.0]))


def infeasible_structures(problem, solve):
    return of(problem, [(0, 2, 4, 5)], 99.0, solve, Stop.NODES)


def anonymous(problem, solve):
    return attrs.evolve(ignores_k(problem, solve), method="x")


def unwritable(problem, solve):
    best = ranked(problem)[0]

    class Own(tuple):
        __slots__ = ()

    result = of(problem, [best.structure], best.score, solve)
    return attrs.evolve(result, explanation=[object()])


def ignores_the_start(problem, solve):
    if solve.budget.spent():
        return of(problem, [], INF, solve, Stop.TIME)
    return ignores_k(problem, solve)


def drops_decimals(problem, solve):
    result = ignores_k(problem, solve)
    return attrs.evolve(
        result,
        solutions=tuple(attrs.evolve(s, value=s.value - 0.25) for s in result.solutions),
        bound=result.bound - 0.25,
    )


METHODS = {
    "second best": (claims_the_second, {}, "bound dominates"),
    "gives up early": (keeps_the_second, {}, "an exact method proves its answer"),
    "gives up, not exact": (keeps_the_second, {"exact": False}, None),
    "calls it infeasible": (claims_nothing_is_feasible, {}, "bound dominates"),
    "infeasible structures": (infeasible_structures, {}, "solutions are feasible"),
    "values of its own": (drops_decimals, {}, "values are the problem's own"),
    "ignores k": (ignores_k, {"k_best": True}, "the k best are the enumerated ones"),
    "repeats for k": (repeats_for_k, {"k_best": True}, "the k best are different"),
    "skips one of k": (skips_the_second, {"k_best": True}, "the k best are the enumerated ones"),
    "fails on time": (fails_on_time, {}, "a solve ends without an error"),
    "lies on time": (lies_on_time, {}, "bound dominates"),
    "draws without the seed": (draws, {}, "a seed fixes the answer"),
    "swallows errors": (swallows, {}, "errors of observers reach the caller"),
    "bad evidence": (bad_evidence, {}, "a certificate verifies"),
    "anonymous": (anonymous, {}, "names the method"),
    "cannot be written": (unwritable, {}, "survives JSON"),
    "ignores the start": (ignores_the_start, {"warm_start": True}, "no worse than the start"),
    "returns nothing": (lambda problem, solve: None, {}, "returns a Result"),
    "raises": (lambda problem, solve: 1 / 0, {}, "a solve ends without an error"),
    "honest": (ignores_k, {"warm_start": True}, None),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(honest, grouped, name):
    run, changes, rule = METHODS[name]
    declared = {"k_best": False, "warm_start": False, **changes}
    method = attrs.evolve(honest.method, run=run, **declared)
    if rule is None:
        check_method(method, [grouped])
    else:
        caught(rule, check_method, method, [grouped])


def many(change):
    def run_many(problems, solve):
        results = [ignores_k(p, solve) for p in problems]
        return change(results)

    return run_many


BATCHES = {
    "loses one": (lambda rs: BatchResult.from_results(rs[:-1], len(rs) - 1), "answers every problem"),
    "turns them round": (lambda rs: BatchResult.from_results(rs[::-1], len(rs)), "as a solve does"),
    "raises": (lambda rs: 1 / 0, "a batch answers"),
    "lies in its arrays": (
        lambda rs: attrs.evolve(BatchResult.from_results(rs, len(rs)), bounds=np.array([r.bound + 1 for r in rs])),
        "as a solve does",
    ),
    "makes others": (
        lambda rs: attrs.evolve(BatchResult.from_results(rs, len(rs)), make=lambda i: rs[0]),
        "makes the results it states",
    ),
    "honest": (lambda rs: BatchResult.from_results(rs, len(rs)), None),
}


@pytest.mark.parametrize("name", BATCHES)
def test_batches(honest, grouped, name):
    change, rule = BATCHES[name]
    other = attrs.evolve(grouped, capacities=[4.0])
    method = attrs.evolve(honest.method, run=ignores_k, k_best=False, warm_start=False, run_many=many(change))
    if rule is None:
        check_method(method, [grouped, other])
    else:
        caught(rule, check_method, method, [grouped, other])
