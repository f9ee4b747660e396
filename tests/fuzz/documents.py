"""Problems, results, certificates and command lines: valid ones, and what must hold of a changed one."""

import contextlib
import io
import itertools
import json
import tempfile
from functools import cache
from pathlib import Path

import crafted
import numpy as np
import truth

import gapless as gl
from gapless.cli import main
from gapless.plugins import load_plugins

EXIT_CODES = {0, 1, 2, 3, 4}

# --- problems, results and certificates


@cache
def records():
    """Answers of every method to small instances of every problem type."""
    plugins = load_plugins()
    found = []
    for given in itertools.chain.from_iterable(plugins.hook.gapless_selftest_instances()):
        for number in range(6):
            problem = given.draw(np.random.default_rng([9, number]))
            for name, method in plugins.registry.methods_for(type(problem)).items():
                limits = gl.Limits(nodes=2) if number == 5 else gl.Limits()
                with contextlib.suppress(gl.GaplessError):
                    k = 2 if method.k_best and number == 4 else 1
                    found.append(
                        gl.Record(problem, gl.solve(problem, name, limits=limits, k=k), f"{name} {number}")
                    )
    return found


def record_seeds():
    """Each answer once, of equal ones the first; and certificates that keep a checker busy."""
    busy = [crafted.CRAFTED[name] for name in crafted.SHORT]
    busy = [gl.Record(problem, crafted.claiming(problem, evidence)) for problem, evidence in busy]
    return sorted({gl.dumps(record).encode() for record in (*records(), *busy)})


def value_seeds():
    """Problems, results and certificates by themselves."""
    parts = itertools.chain.from_iterable((r.problem, r.result, r.result.certificate) for r in records())
    return sorted({gl.dumps(part).encode() for part in parts})


def file_seeds():
    """Files of several records."""
    lines = record_seeds()
    return [b"\n".join(lines[at : at + 3]) for at in range(0, len(lines), 3)]


judges = cache(truth.brute_force)


def check_value(path):
    truth.check_round_trip(gl.loads(path.read_bytes().decode("utf-8", "surrogateescape")))


def check_record(path):
    record = gl.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
    truth.check_round_trip(record)
    if isinstance(record, gl.Record):
        truth.check_record(record, judges())


def check_values(path):
    for value in gl.read_values(path):
        truth.check_round_trip(value)


def check_verify_command(path):
    with quiet():
        assert main(["verify", str(path), f"--work={truth.WORK}"]) in EXIT_CODES


def check_solve_command(path):
    with quiet():
        assert main(["solve", str(path), "--time", "0.2", "--json"]) in EXIT_CODES


@contextlib.contextmanager
def quiet():
    """The output of a command as text, which it must be."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


OPTION_TEXT = [
    "0",
    "1",
    "-1",
    "2",
    "nan",
    "inf",
    "1e400",
    "true",
    "null",
    "[]",
    "{}",
    "x",
    "",
    "0.5",
    '"a"',
    "[1,2]",
]
OPTION_TEXT += ["9" * 30, "1e-300", '"1"']


@cache
def problem_files():
    """For each problem type a file with one problem, and the names of its methods with their options."""
    folder = Path(tempfile.mkdtemp())
    plugins = load_plugins()
    found = []
    for given in itertools.chain.from_iterable(plugins.hook.gapless_selftest_instances()):
        problem = given.draw(np.random.default_rng([3, 1]))
        path = folder / f"{given.problem.__name__}.json"
        path.write_text(gl.dumps(problem))
        methods = plugins.registry.methods_for(given.problem)
        found.append((str(path), {name: sorted(method.options) for name, method in methods.items()}))
    return found


def option_seeds():
    """Command lines, as JSON."""
    return [
        json.dumps(["solve", path, "--method", name, *(f"--option={option}=1" for option in options)]).encode()
        for path, methods in problem_files()
        for name, options in methods.items()
    ]


def changed_options(data, random):
    """Other values of options, limits out of range, names that are not there."""
    line = json.loads(data)
    made = line[:4]
    for part in line[4:]:
        if random.random() < 0.4:
            made.append(f"{part.rpartition('=')[0]}={random.choice(OPTION_TEXT)}")
    for limit in ("-k", "--nodes=", "--gap=", "--iterations=", "--target=", "--seed="):
        if random.random() < 0.2:
            made.append(f"{limit}{random.choice(OPTION_TEXT)}")
    made.append(f"--time={random.choice(['0', '0.5', '0.5', '-1', 'nan', 'x'])}")
    return json.dumps(made).encode()


def check_options(path):
    with quiet():
        try:
            code = main(json.loads(path.read_text()))
        except SystemExit as left:
            code = left.code
    assert code in EXIT_CODES
