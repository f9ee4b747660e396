"""Plug-ins that register references: nothing is imported too early, and nothing broken stays hidden."""

import sys

import pytest

import gapless
from gapless import UnknownName
from gapless.plugins import BrokenReference, Method, Plugins, Registry, Task, is_a, load_plugins, table
from gapless.plugins.manager import PluginWarning
from gapless.plugins.reference import reference_to
from gapless.roles import DuplicateName, Maximiser
from gapless.testing.examples import Expenses, Selection

SELECTION = "gapless.testing.examples:Selection"
SOURCE = """
import gapless
from gapless.tree_search import tree_search
from gapless.roles import MostFractional
from gapless.testing.examples import OptimisticBound

def run(problem, solve, *, order="best-first"):
    return tree_search(problem, OptimisticBound(problem), MostFractional(), solve.budget, method=solve.method)

def run_many(problems, solve, *, order="best-first"):
    results = [run(problem, solve, order=order) for problem in problems]
    return gapless.BatchResult.from_results(results, total=len(results))

def add_arguments(parser):
    parser.add_argument("--loudly", action="store_true")

def do(arguments, console):
    console.info("done loudly" if arguments.loudly else "done")
    return 0
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module that nothing has imported."""
    (tmp_path / "referred.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "referred"
    sys.modules.pop("referred", None)


@pytest.fixture
def tabled(make, install, module):
    """A plug-in that is a table."""
    register = table(
        problems={"selection": SELECTION},
        methods=[
            Method("search", SELECTION, f"{module}:run", "a search", default=True, run_many=f"{module}:run_many"),
            Method("gone", SELECTION, "nowhere_at_all:run"),
        ],
        tasks=[Task("shout", "A task.", f"{module}:add_arguments", f"{module}:do")],
    )
    return install(make.Entry("tabled", make.plugin(register), "dist"))


def test_what_is_registered_is_imported_when_a_problem_is_solved(tabled, module, knapsack):
    registry = tabled.registry
    assert list(registry.problems) == ["selection"]
    assert [task.summary for task in registry.tasks.values()] == ["A task."]
    found = registry.find_method(Expenses, None)
    assert (found.name, found.summary, found.has_batch_kernel_for(1)) == ("search", "a search", True)
    assert module not in sys.modules
    assert gapless.solve(knapsack).value == 10.0
    assert module in sys.modules
    assert found.problem is Selection
    assert registry.problems["selection"] is Selection
    assert dict(found.options) == {"order": "best-first"}
    batch = gapless.solve_many([knapsack, knapsack])
    assert batch.values.tolist() == [10.0, 10.0]


def test_a_broken_reference_is_an_error_that_names_it(tabled, knapsack):
    with pytest.raises(BrokenReference, match=r"cannot import 'nowhere_at_all:run': ModuleNotFoundError"):
        gapless.solve(knapsack, "gone")
    with pytest.raises(BrokenReference, match="AttributeError"):
        _ = Method("none", SELECTION, "gapless.testing.examples:nothing").run
    assert gapless.solve(knapsack).method == "search"


def test_importing_all_reports_a_broken_plugin_once(tabled):
    with pytest.warns(
        PluginWarning, match=r"plug-in tabled \(dist\) is broken: cannot import 'nowhere_at_all:run'"
    ):
        tabled.import_all()
    tabled.import_all()
    assert "nowhere_at_all" in tabled.loaded[0].error


def test_one_package_alone_is_imported(tabled, module):
    tabled.import_all("gapless")
    assert module not in sys.modules
    tabled.import_all(module)
    assert module in sys.modules


def test_a_table_and_a_function_that_claim_one_name_are_told_apart(make):
    old = make.plugin(lambda registry: registry.method(Method("search", Selection, make.search)))
    new = make.plugin(table(methods=[Method("search", SELECTION, "somewhere:run")]))
    with pytest.raises(DuplicateName, match=r"'a \(one\)' and again by 'b \(two\)'"):
        Plugins([make.Entry("a", old, "one"), make.Entry("b", new, "two")])
    default = Method("other", SELECTION, "somewhere:run", default=True)
    registry = Registry()
    registry.method(make.SEARCH)
    with pytest.raises(DuplicateName, match="default method for Selection"):
        registry.method(default)


def test_a_method_of_the_old_kind_joins_a_problem_type_of_the_new(make, install, knapsack):
    plugins = install(
        make.Entry("new", make.plugin(table(problems={"selection": SELECTION}))),
        make.Entry("old", make.plugin(lambda registry: registry.method(make.SEARCH))),
    )
    assert gapless.solve(knapsack).value == 10.0
    assert {name: method.name for (_, name), method in plugins.registry.methods.items()} == {"search": "search"}


@pytest.fixture
def alias(monkeypatch):
    """Another reference to `Selection`, within its package."""
    monkeypatch.setattr("gapless.testing.Selection", Selection, raising=False)
    return "gapless.testing:Selection"


def test_a_class_may_be_named_by_another_module_of_its_package(make, alias):
    registry = Registry()
    registry.method(make.SEARCH)
    registry.method(Method("other", alias, "somewhere:run"))
    assert registry.find_method(Selection, "other").name == "other"
    assert (Selection, "other") in registry.methods


@pytest.mark.parametrize("look", [Registry.methods.fget, lambda registry: registry.methods_for(Selection)])
def test_a_name_claimed_by_way_of_another_module_is_claimed_twice(make, look, alias):
    registry = Registry()
    registry.method(make.SEARCH)
    registry.owner = "b (two)"
    registry.method(Method(make.SEARCH.name, alias, "somewhere:run"))
    with pytest.raises(DuplicateName, match=r"'gapless' and again by 'b \(two\)'"):
        look(registry)


def test_a_class_named_by_a_module_of_another_package_is_explained(tmp_path, monkeypatch):
    (tmp_path / "elsewhere.py").write_text("from gapless.testing.examples import Selection")
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry()
    registry.method(Method("search", "elsewhere:Selection", "somewhere:run"))
    with pytest.raises(UnknownName, match=r"'elsewhere:Selection', but the class is 'gapless.testing.examples:"):
        registry.find_method(Selection, None)


def test_a_module_that_lacks_a_library_is_broken_by_name(make, install, tmp_path, monkeypatch):
    (tmp_path / "lacking.py").write_text("import gapless\nraise gapless.MissingDependency('needs a library')")
    monkeypatch.syspath_prepend(tmp_path)
    register = table(methods=[Method("lacking", SELECTION, "lacking:run")])
    plugins = install(make.Entry("lacks", make.plugin(register), "dist"))
    assert plugins.registry.import_all() == {"lacks (dist)": "needs a library"}


def test_classes_of_one_name_are_told_apart():
    first, second = (type("Same", (Selection,), {"__module__": __name__}) for _ in range(2))
    registry = Registry()
    registry.method(Method("search", first, lambda problem, solve: None))
    assert "search" in registry.methods_for(first)
    assert "search" not in registry.methods_for(second)


def test_classes_of_functions_are_told_apart():
    def problem():
        class Local(Selection):
            pass

        return Local

    registry = Registry()
    registry.method(Method("search", problem(), lambda problem, solve: None))
    registry.method(Method("search", problem(), lambda problem, solve: None))


def test_is_a_imports_nothing(knapsack):
    assert is_a(knapsack, SELECTION)
    assert is_a(Expenses.__new__(Expenses), SELECTION)
    assert not is_a(knapsack, "nowhere_at_all:Problem")


def test_our_own_tables_name_what_there_is():
    registry = load_plugins().registry
    assert len(list(registry.references())) > 40
    ours = {owner: reason for owner, reason in registry.import_all().items() if owner.endswith("(gapless)")}
    assert ours == {}
    for name, given in registry.problems.given.items():
        if isinstance(given, str):
            assert reference_to(registry.problems[name]) == given
    for name, factor in registry.factors.items():
        assert factor.name == name
    for maximiser in registry.maximisers.values():
        assert issubclass(maximiser, Maximiser)
    for (problem, _), method in registry.methods.items():
        assert registry.find_method(problem, method.name) is method


def test_maximisers_come_by_reference_and_broken_ones_are_told(make):
    good = make.plugin(table(maximisers={"viterbi": "gapless_chains.label_maximiser:ViterbiMaximiser"}))
    bad = make.plugin(table(maximisers={"nowhere": "gapless_chains.label_maximiser:Nobody"}))
    plugins = Plugins([make.Entry("good", good, "dist", "1"), make.Entry("bad", bad, "other", "2")])
    registry = plugins.registry
    assert registry.maximisers["viterbi"].__name__ == "ViterbiMaximiser"
    assert list(registry.import_all()) == [registry.owners["maximiser", "nowhere"]]
