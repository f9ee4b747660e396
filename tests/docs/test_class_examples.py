"""Every public class has an example in its docstring, and the examples are true."""

import doctest
import importlib
import inspect

import pytest

PACKAGES = (
    "gapless",
    "gapless.factors",
    "gapless.roles",
    "gapless_chains",
    "gapless_dependency",
    "gapless_linking",
    "gapless_ordering",
    "gapless_splitbound",
)
CLASSES = {
    f"{package}.{name}": found
    for package in PACKAGES
    for name in importlib.import_module(package).__all__
    if inspect.isclass(found := getattr(importlib.import_module(package), name))
}


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_class_has_a_true_example(name):
    said = inspect.getdoc(CLASSES[name]) or ""
    assert "\nExamples\n--------\n>>> " in said
    (test,) = doctest.DocTestFinder(recurse=False).find(CLASSES[name], name, globs={})
    printed = []
    failures = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=printed.append)
    assert failures.attempted
    assert not failures.failed, "".join(printed)
