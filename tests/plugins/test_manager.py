"""Loading plug-ins: broken ones are reported and skipped, and leave nothing behind."""

import sys

import pytest

from gapless.plugins import Plugins, load_plugins
from gapless.plugins.manager import PluginWarning
from gapless.roles import DuplicateName, Method
from gapless.testing.examples import Expenses, Selection


def registering(*claims):
    def register(registry):
        for claim in claims:
            claim(registry)

    return register


def selection(registry):
    registry.problem("selection", Selection)


def noting(order, name):
    def register(registry):
        del registry
        order.append(name)

    return register


def failing(_registry):
    raise ZeroDivisionError("half way")


def kept(plugins):
    """Everything that plug-ins can leave behind."""
    registry = plugins.registry
    return (
        dict(registry.problems),
        dict(registry.methods),
        dict(registry.factors),
        dict(registry.maximisers),
        dict(registry.tasks),
        dict(registry.owners),
        plugins.manager.get_plugins(),
    )


def test_a_good_plugin_is_listed(make):
    good = make.plugin(registering(selection), gapless_report_header=lambda: "x 1.0")
    plugins = Plugins([make.Entry("good", good, "dist", "3.1")])
    (loaded,) = plugins.loaded
    assert (loaded.name, loaded.distribution, loaded.version, loaded.error) == ("good", "dist", "3.1", "")
    assert loaded.hooks == ("gapless_register", "gapless_report_header")
    assert plugins.registry.owners["problem", "selection"] == "good (dist)"


def unmarked_hook(make):
    return make.plugin(registering(selection), gapless_defualt_method=lambda problem: None)


def wrong_argument(make):
    return make.plugin(registering(selection), gapless_observers=lambda problems: None)


def half_way(make):
    return make.plugin(registering(selection, failing))


def not_importable(_make):
    return ImportError("no module named torch")


def ends_the_process(_make):
    return SystemExit("usage: my_script FILE")


def ends_the_process_half_way(make):
    return make.plugin(registering(selection, lambda _: sys.exit(2)))


def not_a_function(make):
    broken = make.plugin()
    broken.gapless_register = 7
    return broken


BROKEN = {
    "unknown hook": (unmarked_hook, "PluginValidationError: unknown hook 'gapless_defualt_method'"),
    "wrong argument": (wrong_argument, r"PluginValidationError: (.|\n)*'problems'"),
    "raises half way": (half_way, "ZeroDivisionError: half way"),
    "not importable": (not_importable, "ImportError: no module named torch"),
    "ends the process": (ends_the_process, "SystemExit: usage: my_script FILE"),
    "ends the process half way": (ends_the_process_half_way, "SystemExit: 2"),
    "not a function": (not_a_function, "TypeError"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_reported_and_leaves_nothing(make, name):
    broken, message = BROKEN[name]
    good = make.plugin(registering(lambda r: r.problem("expenses", Expenses)))
    before = kept(Plugins([make.Entry("good", good)]))
    with pytest.warns(PluginWarning, match=rf"plug-in bad \(dist\) was skipped: (.|\n)*{message}"):
        plugins = Plugins([make.Entry("bad", broken(make), "dist"), make.Entry("good", good)])
    assert kept(plugins) == before
    assert {entry.name: bool(entry.error) for entry in plugins.loaded} == {"bad": True, "good": False}
    assert plugins.hook.gapless_observers(problem=None) == []


def test_a_plugin_listed_twice_is_skipped_once(make):
    good = make.plugin(registering(selection))
    with pytest.warns(PluginWarning, match="registered twice"):
        plugins = Plugins([make.Entry("a", good), make.Entry("b", good)])
    assert list(plugins.registry.problems) == ["selection"]
    assert len(plugins.manager.get_plugins()) == 1


def test_a_clash_is_an_error_that_names_both_distributions(make):
    entries = [
        make.Entry("a", make.plugin(registering(selection)), "dist-one"),
        make.Entry("b", make.plugin(registering(selection)), "dist-two"),
    ]
    with pytest.raises(DuplicateName, match=r"'a \(dist-one\)' and again by 'b \(dist-two\)'"):
        Plugins(entries)


def test_the_own_distribution_comes_first(make):
    order = []
    entries = [
        make.Entry(name, make.plugin(noting(order, name)), distribution)
        for name, distribution in (("z", "other"), ("b", "gapless"), ("a", "gapless"), ("c", ""))
    ]
    plugins = Plugins(entries)
    assert order == ["a", "b", "c", "z"]
    assert [entry.distribution for entry in plugins.loaded] == ["gapless", "gapless", "unknown", "other"]


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("", ["own", "one", "two"]),
        ("1", ["own"]),
        ("ALL", ["own"]),
        (" one , two ", ["own"]),
        ("two", ["own", "one"]),
        ("own", ["one", "two"]),
        ("nonsense", ["own", "one", "two"]),
    ],
)
def test_plugins_can_be_disabled(make, monkeypatch, setting, expected):
    monkeypatch.setenv("GAPLESS_DISABLE_PLUGINS", setting)
    entries = [
        make.Entry("own", make.plugin(), "gapless"),
        make.Entry("one", make.plugin(), "x"),
        make.Entry("two", make.plugin(), "y"),
    ]
    assert [entry.name for entry in Plugins(entries).loaded] == expected


def test_a_disabled_plugin_is_not_even_imported(make, monkeypatch):
    monkeypatch.setenv("GAPLESS_DISABLE_PLUGINS", "bad")
    assert Plugins([make.Entry("bad", AssertionError("imported"))]).loaded == []


@pytest.mark.parametrize(("setting", "traced"), [("1", True), ("0", False), ("", False)])
def test_hook_calls_can_be_traced(make, monkeypatch, capsys, setting, traced):
    monkeypatch.setenv("GAPLESS_TRACE_PLUGINS", setting)
    plugins = Plugins([make.Entry("demo", make.plugin(gapless_report_header=lambda: "x"))])
    plugins.hook.gapless_report_header()
    assert ("gapless_report_header" in capsys.readouterr().err) == traced


def test_control_c_while_loading_passes_through_and_leaves_nothing(make):
    def interrupted(registry):
        selection(registry)
        raise KeyboardInterrupt

    plugins = Plugins([])
    with pytest.raises(KeyboardInterrupt):
        plugins.add(make.plugin(interrupted), "x")
    assert kept(plugins) == kept(Plugins([]))


def test_later_registrations_are_found_by_earlier_questions(make):
    plugins = Plugins([make.Entry("demo", make.plugin(lambda registry: registry.method(make.SEARCH)))])
    assert list(plugins.registry.methods_for(Selection)) == ["search"]
    plugins.add(make.plugin(lambda registry: registry.method(Method("more", Selection, make.search))), "later")
    assert list(plugins.registry.methods_for(Selection)) == ["search", "more"]


def test_plugins_are_loaded_once():
    assert load_plugins() is load_plugins()
