"""The plug-in's table names every task; no task is imported before it is asked for."""

import argparse
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


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_task_is_registered_and_its_references_lead_to_a_job(task):
    assert load_plugins().registry.tasks[task.name].summary == task.summary
    parser = argparse.ArgumentParser()
    task.add_arguments(parser)
    assert parser.parse_args(["--overwrite"]).overwrite
    assert callable(task.run)


def test_loading_the_plug_in_imports_no_task():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"gapless_tasks", "gapless_tasks.plugin"}
