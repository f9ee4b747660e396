"""Names are unique, clashes name both owners, typos are answered with the nearest name."""

import attrs
import pytest

from gapless import UnknownName, UnknownOption
from gapless.arrays.spelling_hint import spelling_hint
from gapless.roles import DuplicateName, Factor, Method, Registry, Task
from gapless.testing.examples import Expenses, Selection, SelectionMaximiser


def run(problem, solve, *, order="best-first", steps=10):
    raise NotImplementedError


def other(problem, solve):
    raise NotImplementedError


class Pair(Factor):
    name = "pair"

    def scopes(self, decisions):
        return ()

    def score(self, scopes, decisions):
        return scopes.sum(axis=1)


METHOD = Method("search", Selection, run)
TASK = Task("tag", "", lambda parser: None, lambda arguments, console: 0)
CLAIMS = {
    "problem": (lambda r: r.problem("selection", Selection), "problem 'selection'"),
    "method": (lambda r: r.method(METHOD), "method 'Selection/search'"),
    "factor": (lambda r: r.factor(Pair), "factor 'pair'"),
    "maximiser": (lambda r: r.maximiser("groups", SelectionMaximiser), "maximiser 'groups'"),
    "task": (lambda r: r.task(TASK), "task 'tag'"),
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_a_clash_names_both(kind):
    claim, label = CLAIMS[kind]
    registry = Registry()
    registry.owner = "first (one)"
    claim(registry)
    registry.owner = "second (two)"
    with pytest.raises(
        DuplicateName, match=rf"{label} is registered by 'first \(one\)' and again by 'second \(two\)'"
    ):
        claim(registry)


def test_two_defaults_for_one_type_name_both():
    registry = Registry()
    registry.owner = "first (one)"
    registry.method(attrs.evolve(METHOD, default=True))
    registry.owner = "second (two)"
    with pytest.raises(DuplicateName, match=r"'search' of 'first \(one\)' and by 'other' of 'second \(two\)'"):
        registry.method(Method("other", Selection, other, default=True))
    registry.method(Method("other", Expenses, other, default=True))


def test_methods_of_the_nearest_class_win():
    registry = Registry()
    registry.method(METHOD)
    assert registry.find_method(Expenses, "search") is METHOD
    own = Method("search", Expenses, other)
    registry.method(own)
    assert registry.find_method(Expenses, "search") is own
    assert registry.find_method(Selection, "search") is METHOD


def test_the_default_of_the_nearest_class_wins():
    registry = Registry()
    general = Method("general", Selection, run, default=True)
    registry.method(general)
    assert registry.find_method(Expenses, None) is general
    special = Method("special", Expenses, run, default=True)
    registry.method(special)
    assert registry.find_method(Expenses, None) is special
    assert registry.find_method(Selection, None) is general


def test_unknown_names_give_the_nearest():
    registry = Registry()
    with pytest.raises(UnknownName, match="no plug-in registered a method for Selection"):
        registry.find_method(Selection, "search")
    registry.method(METHOD)
    with pytest.raises(UnknownName, match=r"no method 'serach' \(did you mean 'search'\?\); it has: search"):
        registry.find_method(Selection, "serach")
    with pytest.raises(UnknownName, match="no method 'zzz'; it has: search"):
        registry.find_method(Selection, "zzz")
    with pytest.raises(UnknownName, match="Selection has no default method; name one of: search"):
        registry.find_method(Selection, None)


def test_unknown_options_give_the_nearest():
    assert dict(METHOD.options) == {"order": "best-first", "steps": 10}
    with pytest.raises(
        UnknownOption, match=r"no option 'oder' \(did you mean 'order'\?\); its options are: order, steps"
    ):
        METHOD.check({"oder": 1}, 1, ())
    with pytest.raises(UnknownOption, match="its options are: none"):
        Method("other", Selection, other).check({"x": 1}, 1, ())
    METHOD.check({"steps": 1}, 1, ())


@pytest.mark.parametrize(
    ("k", "start", "message"),
    [(0, (), "k is 0"), (2, (), "one best structure only"), (1, ((0,),), "cannot use a start")],
)
def test_what_a_method_cannot_do_is_refused(k, start, message):
    with pytest.raises(UnknownOption, match=message):
        METHOD.check({}, k, start)


def test_hints_only_when_something_is_near():
    assert spelling_hint("viterby", ["viterbi", "astar"]) == " (did you mean 'viterbi'?)"
    assert spelling_hint("x", ["viterbi"]) == ""
    assert spelling_hint("x", []) == ""
