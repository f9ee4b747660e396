"""The plug-in's table names every task; no task is imported before it is asked for."""

import importlib
import subprocess
import sys

import pytest

from gapless.plugins import load_plugins
from gapless_tasks.plugin import TASKS

LOADED = """
import sys
from gapless.plugins import load_plugins
registry = load_plugins().registry
assert "pos-tagging" in registry.tasks
print(*sorted(m for m in sys.modules if m.startswith(("gapless_tasks", "gapless_models", "benchmarks"))))
"""


@pytest.mark.parametrize("name", TASKS)
def test_the_table_says_what_the_task_says(name):
    summary, place = TASKS[name]
    module, _, attribute = place.partition(":")
    whole = getattr(importlib.import_module(module), attribute)
    assert (whole.name, whole.summary) == (name, summary)
    assert load_plugins().registry.tasks[name].summary == summary


def test_every_task_is_registered():
    assert TASKS.keys() <= load_plugins().registry.tasks.keys()


def test_loading_the_plug_in_imports_no_task():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"gapless_tasks", "gapless_tasks.moved", "gapless_tasks.plugin"}
