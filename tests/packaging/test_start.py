"""Imports of a process before it answers: nothing that it was not asked for."""

import json
import os
import subprocess
import sys

HEAVY = {"scipy", "networkx", "pyscipopt", "rich", "joblib", "sklearn", "jinja2", "plotly", "dask", "torch"}
TOLD = "print('MODULES', json.dumps(sorted(sys.modules)))"
SOLVE = """
import json, sys
import gapless
from gapless_chains import ChainProblem
problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
"""
COMMAND = """
import contextlib, json, sys
from gapless.cli import main
for line in sys.argv[1:]:
    with contextlib.suppress(SystemExit):
        main(line.split())
"""


def modules(code, folder, *arguments):
    """The modules that a fresh process holds after some code; strangers' plug-ins are left out."""
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", f"{code}\n{TOLD}", *arguments],
        cwd=folder,
        env={**os.environ, "GAPLESS_DISABLE_PLUGINS": "all"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.rpartition("MODULES ")[2])
    return set(found)


def tops(names):
    """The top-level packages among modules."""
    return {name.partition(".")[0] for name in names}


def tables(packages):
    """Imports of every plug-in: its package, which is lazy, and its table."""
    ours = {name for name, folder in packages.items() if (folder / "plugin.py").exists()}
    return {*ours, *(f"{name}.plugin" for name in ours)}


CALLS = """
gapless.solve(problem)
gapless.solve(problem, "viterbi", k=2)
gapless.solve_many([problem, problem])
list(gapless.solve_stream([problem]))
gapless.solve(problem).verify(problem)
"""


def test_a_chain_is_solved_without_anything_heavy(tmp_path, packages):
    found = modules(SOLVE + CALLS, tmp_path)
    assert tops(found) & HEAVY == set()
    others = {name for name in found if name.startswith("gapless_") and name.partition(".")[0] in packages}
    others -= tables(packages)
    assert {name.partition(".")[0] for name in others} <= {"gapless_chains", "gapless_kernels"}


def test_a_stored_chain_is_read_without_the_other_plugins(tmp_path):
    (tmp_path / "problem.json").write_text(
        '{"type": "gapless_chains.ChainProblem", "unary": [[1.0]], "transition": [[0.0]]}', "utf-8"
    )
    code = "import json, sys, gapless; gapless.loads(open('problem.json').read())"
    found = modules(code, tmp_path)
    assert "gapless_chains.problem" in found
    assert tops(found) & HEAVY == set()
    assert "gapless_linking.problem" not in found


def test_the_help_imports_no_plugin(tmp_path, packages):
    found = modules(COMMAND, tmp_path, "--help", "--version", "run --help")
    assert {name for name in found if name.startswith("gapless_")} <= tables(packages)
    assert "numpy" not in found
    assert tops(found | modules(COMMAND, tmp_path, "data no-such-action")) & HEAVY == set()


def test_the_help_of_a_task_imports_that_task(tmp_path):
    found = modules(COMMAND, tmp_path, "run title-generation --help")
    assert tops(found) & {"rich", "joblib", "sklearn", "jinja2", "plotly"} == set()
    assert not any(
        name.startswith(("gapless_linking.", "gapless_splitbound."))
        for name in found - {"gapless_linking.plugin", "gapless_splitbound.plugin"}
    )
