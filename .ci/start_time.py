"""Processor time until gapless answers: the command's help, and the first solve of a process.

``start_time.py [PYTHON ...]`` measures each interpreter in turn, so that versions stand beside each other in one
run: the least of nine processes, the first of which caches bytecode. Ratios are over ``import numpy``.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

ROUNDS = 9
CHAIN = """
import time
import numpy as np
rng = np.random.default_rng(0)
unary, transition = rng.normal(size=(24, 12)), rng.normal(size=(12, 12))
marks = [time.process_time()]
import gapless
marks.append(time.process_time())
from gapless_chains import ChainProblem
problem = ChainProblem(unary, transition)
marks.append(time.process_time())
gapless.solve(problem)
marks.append(time.process_time())
print(*(1000 * (after - before) for before, after in zip(marks, marks[1:])))
"""
STEPS = ("import gapless", "import and build a chain", "first gapless.solve")


def processor_seconds(command: list[str], variables: dict[str, str]) -> float:
    """Processor time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=variables)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(python: Path, variables: dict[str, str]) -> dict[str, float]:
    """Milliseconds of one round."""
    commands = {
        "import numpy": [str(python), "-c", "import numpy"],
        "gapless --help": [str(python.with_name("gapless")), "--help"],
        "import gapless, in a process": [str(python), "-c", "import gapless"],
    }
    found = {name: 1000 * processor_seconds(command, variables) for name, command in commands.items()}
    told = subprocess.run([python, "-c", CHAIN], check=True, capture_output=True, text=True, env=variables).stdout
    return found | dict(zip(STEPS, map(float, told.split()), strict=True))


def main(pythons: list[Path]) -> None:
    """Print one line for each number of each interpreter."""
    variables = {**os.environ, "GAPLESS_DISABLE_PLUGINS": "all"}  # strangers' plug-ins cost their own time
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    rounds = [[measured(python, variables) for python in pythons] for _ in range(ROUNDS)]
    for number, python in enumerate(pythons):
        print(python)
        least = {name: min(one[number][name] for one in rounds) for name in rounds[0][number]}
        for name, milliseconds in least.items():
            print(f"  {name:30} {milliseconds:8.1f} ms  {milliseconds / least['import numpy']:6.2f}x")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or [Path(sys.executable)])
