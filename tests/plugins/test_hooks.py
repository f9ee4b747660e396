"""Every hook: documented, typed, and called as its docstring says. Tests are named after their hooks."""

import argparse
import inspect

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless import Limits, Stop, UnknownName, solve
from gapless.plugins import NamedStructure, hookspecs, load_plugins
from gapless.roles import SelftestInstances
from gapless.testing.examples import Selection
from gapless_chains import ChainProblem

HOOKS = sorted(name for name in vars(hookspecs) if name.startswith("gapless_"))


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_has_a_docstring_types_and_a_test(name):
    hook = getattr(hookspecs, name)
    assert len(inspect.getdoc(hook).split()) > 5
    signature = inspect.signature(hook)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values())
    assert any(test.startswith(f"test_{name}") for test in globals())


def test_there_are_hooks():
    assert len(HOOKS) >= 6


def test_gapless_register_is_called_once_with_the_registry(make, install):
    seen = []

    def register(registry):
        seen.append(registry)

    plugins = install(make.Entry("demo", make.plugin(register)))
    assert len(seen) == 1
    assert seen[0] is plugins.registry


def methods(registry, make):

    registry.method(attrs.evolve(make.SEARCH, default=False))
    registry.method(attrs.evolve(make.SEARCH, name="other", default=False))


def test_gapless_default_method_chooses_when_the_user_does_not(make, install, knapsack):
    install(
        make.Entry("demo", make.plugin(lambda registry: methods(registry, make))),
        make.Entry(
            "taste", make.plugin(gapless_default_method=lambda problem: "other" if problem is knapsack else None)
        ),
    )
    assert solve(knapsack).method == "other"
    assert solve(knapsack, "search").method == "search"
    with pytest.raises(UnknownName, match="no default method"):
        solve(Selection([1.0], [[1.0]], [1.0]))


def test_gapless_default_method_that_names_nothing_known(make, install, knapsack):
    install(
        make.Entry("demo", make.plugin(lambda registry: methods(registry, make))),
        make.Entry("taste", make.plugin(gapless_default_method=lambda problem: "serch")),
    )
    with pytest.raises(UnknownName, match=r"no method 'serch' \(did you mean 'search'"):
        solve(knapsack)


def test_gapless_observers_watch_each_solve(make, install, knapsack):
    seen, asked = [], []

    def observers(problem):
        asked.append(problem)
        return seen.append

    install(
        make.Entry("demo", make.plugin(lambda registry: registry.method(make.SEARCH))),
        make.Entry("watch", make.plugin(gapless_observers=observers)),
        make.Entry("blind", make.plugin(gapless_observers=lambda problem: None)),
    )
    mine = []
    solve(knapsack, observers=[mine.append])
    assert asked == [knapsack]
    assert seen == mine
    assert seen[0].kind == "start"


def test_gapless_finished_sees_problem_and_result(make, install, knapsack):
    seen = []
    install(
        make.Entry("demo", make.plugin(lambda registry: registry.method(make.SEARCH))),
        make.Entry("log", make.plugin(gapless_finished=lambda problem, result: seen.append((problem, result)))),
    )
    result = solve(knapsack, limits=Limits(nodes=1))
    assert result.stop is Stop.NODES
    assert seen == [(knapsack, result)]


def test_gapless_draw_of_the_first_plug_in_that_knows_the_problem(make, install, knapsack):
    def draw(problem, structure, words):
        return f"<svg>{problem is knapsack} {structure} {' '.join(words)}</svg>"

    plugins = install(
        make.Entry("other", make.plugin(gapless_draw=lambda problem, structure, words: None)),
        make.Entry("own", make.plugin(gapless_draw=draw)),
    )
    drawn = plugins.hook.gapless_draw(problem=knapsack, structure=(0, 2), words=("a", "b"), against=None)
    assert drawn == "<svg>True (0, 2) a b</svg>"


def test_gapless_selftest_instances_of_all_plug_ins(make, install, knapsack):
    instances = SelftestInstances(type(knapsack), lambda rng: knapsack)
    plugins = install(
        make.Entry("one", make.plugin(gapless_selftest_instances=lambda: [instances])),
        make.Entry("two", make.plugin(gapless_selftest_instances=lambda: [])),
    )
    assert [one for several in plugins.hook.gapless_selftest_instances() for one in several] == [instances]


def test_gapless_cli_adds_a_command(make, install):
    def cli(subparsers):
        subparsers.add_parser("greet").set_defaults(run=lambda arguments: 17)

    plugins = install(make.Entry("demo", make.plugin(gapless_cli=cli)))
    parser = argparse.ArgumentParser()
    plugins.hook.gapless_cli(subparsers=parser.add_subparsers())
    arguments = parser.parse_args(["greet"])
    assert arguments.run(arguments) == 17


def test_gapless_data_gives_registries(make, install):
    plugins = install(
        make.Entry("a", make.plugin(gapless_data=lambda: "[mini]")),
        make.Entry("b", make.plugin(gapless_data=lambda: None)),
    )
    assert plugins.hook.gapless_data() == ["[mini]"]


def test_gapless_report_header_gives_lines(make, install):
    plugins = install(
        make.Entry("a", make.plugin(gapless_report_header=lambda: "scip 9")),
        make.Entry("b", make.plugin(gapless_report_header=lambda: None)),
    )
    assert plugins.hook.gapless_report_header() == ["scip 9"]


def test_gapless_named_structure_gives_the_parts():
    hook = load_plugins().hook
    problem = ChainProblem([[1.0, 0.0], [0.0, 1.0]], np.zeros((2, 2)), labels=("DET", "NOUN"))
    parts = hook.gapless_named_structure(problem=problem, structure=gl.solve(problem).best)
    assert parts == NamedStructure("labels", ["DET", "NOUN"])
    with pytest.raises(gl.InvalidProblem, match="expected one of labels"):
        NamedStructure("words", ["a"])
    with pytest.raises(gl.InvalidProblem, match="1 heads for 2 arcs"):
        NamedStructure("arcs", ["", ""], [0])
