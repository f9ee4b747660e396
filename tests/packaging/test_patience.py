"""No test fails by the clock, and one that hangs is ended all the same."""

import ast
import itertools
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import patience
import pytest
from syntax import dotted

CLOCKS = {"perf_counter", "monotonic", "time.perf_counter", "time.monotonic", "time.time"}
SUSPECTED = re.compile(r"timeout|\.(?:wait|join)\(\s*[\d.]|setitimer|alarm|Timer|perf_counter|monotonic|time\.time")
"""Texts that may hold such a line; only those are parsed."""
TESTS = Path(__file__).parents[1]
ENDLESS = [sys.executable, "-c", "while True: pass"]
WAITING = [sys.executable, "-c", "import signal; print('waits', flush=True); signal.pause()"]


def by_the_clock(tree):
    """Lines of waits that end by the clock, and of assertions about it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = dotted(node.func)
            words = {word.arg for word in node.keywords}
            first = node.args[0] if called.endswith((".wait", ".join")) and len(node.args) == 1 else None
            number = isinstance(first, ast.Constant) and isinstance(first.value, int | float)
            real = called.endswith("setitimer") and "ITIMER_REAL" in ast.unparse(node)
            if "timeout" in words or number or real or called in {"signal.alarm", "threading.Timer", "Timer"}:
                yield node.lineno, called
        if isinstance(node, ast.Assert) and CLOCKS & {dotted(inner) for inner in ast.walk(node.test)}:
            yield node.lineno, ast.unparse(node.test)


def test_no_test_waits_or_asserts_by_the_clock():
    found = []
    for path in TESTS.rglob("*.py"):
        if path not in {TESTS / "conftest.py", TESTS / "support" / "patience.py"}:  # they count turns
            text = path.read_text()
            if SUSPECTED.search(text):
                found += [
                    f"{path.relative_to(TESTS)}:{line}: {what}" for line, what in by_the_clock(ast.parse(text))
                ]
    assert not found, "use patience.py, or leave the timeout out: a test that hangs is ended anyway"


@pytest.mark.parametrize(
    "code",
    [
        "subprocess.run(command, timeout=5)",
        "process.communicate(timeout=5)",
        "process.wait(5)",
        "event.wait(300)",
        "thread.join(2.5)",
        "signal.alarm(3)",
        "signal.setitimer(signal.ITIMER_REAL, 1)",
        "threading.Timer(0.1, ring).start()",
        "assert time.perf_counter() - began < 2",
    ],
)
def test_the_rule_finds(code):
    assert SUSPECTED.search(code)
    assert list(by_the_clock(ast.parse(code)))


@pytest.mark.parametrize("code", ["process.wait()", "' '.join(words)", "assert time.process_time() - began < 2"])
def test_the_rule_lets_pass(code):
    assert not list(by_the_clock(ast.parse(code)))


# --- patience, with a clock and processes of its own


def turns(used, **limits):
    """After how many turns a family whose CPU time goes so is given up."""
    times = iter([0.0, *used])
    watch = patience.Patience(1, used=lambda _: next(times), **limits)
    for number in range(len(used)):
        try:
            watch.turn()
        except patience.Hang as hang:
            return number + 1, str(hang)
    return None


def test_who_computes_is_waited_for_however_little_of_the_machine_it_gets():
    assert turns([0.02 * turn for turn in range(1, 5000)], cpu=600, idle=300) is None


def test_who_computes_for_ever_is_given_up():
    after, said = turns([float(turn) for turn in range(1, 1000)], cpu=600, idle=300)
    assert after == 601
    assert "600 s of CPU time" in said


@pytest.mark.parametrize("share", [0.0, 0.002])
def test_who_does_nothing_or_only_polls_is_given_up(share):
    after, said = turns([share * turn for turn in range(1, 1000)], cpu=600, idle=300)
    assert after == 300
    assert "did nothing" in said


def test_the_count_begins_again_when_something_is_done():
    quiet = [0.0] * 299
    assert turns([*quiet, 5.0, *[5.0] * 299], cpu=600, idle=300) is None


def test_time_of_children_that_have_gone_is_not_lost():
    assert turns([3.0, 6.0, 1.0, 7.0, 2.0, 8.0], cpu=600, idle=3) is None


@pytest.mark.skipif(patience.psutil is None, reason="psutil sees other processes")
def test_processes_that_hang_are_ended():
    with subprocess.Popen(ENDLESS) as process:
        with pytest.raises(patience.Hang, match="CPU time"):
            patience.ended(process, cpu=0.5)
        assert process.returncode == -signal.SIGKILL
    with pytest.raises(patience.Hang, match="did nothing"):
        patience.run(WAITING, idle=2)


@pytest.mark.skipif(patience.psutil is None, reason="psutil sees other processes")
def test_a_process_that_is_stopped_and_goes_on_is_no_hang():
    """As on a machine that gives it a twentieth of its time."""
    code = "import time\nwhile time.process_time() < 0.6: pass\nprint('done')"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        watch = patience.Patience(process.pid, cpu=60, idle=60)
        while process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            watch.turn()
            process.send_signal(signal.SIGCONT)
            before = patience.cpu_time(process.pid)
            while process.poll() is None and patience.cpu_time(process.pid) < before + 0.05:
                pass
        assert process.stdout.read() == "done\n"


def test_commands_are_run():
    done = patience.run([sys.executable, "-c", "import sys; print('a'); sys.stderr.write('b'); sys.exit(3)"])
    assert (done.returncode, done.stdout, done.stderr) == (3, "a\n", "b")
    assert patience.run([sys.executable, "-c", "print('x' * 10**6)"], text=False).stdout == b"x" * 10**6 + b"\n"


# --- tests that hang


HANGS = {
    "computes": ("while True: pass", "cpu_limit=1", "in test_it"),
    "computes in C": ("sum(itertools.repeat(0))", "stuck_limit=3", "in test_it"),
    "waits": ("threading.Event().wait()", "idle_limit=3", "hangs: it did nothing for 3 s"),
    "waits for a child": (
        "subprocess.run([sys.executable, '-c', 'import signal; signal.pause()'])",
        "idle_limit=3",
        "hangs: it did nothing for 3 s",
    ),
    "waits for one that computes": (
        "subprocess.run([sys.executable, '-c', 'while True: pass'])",
        "cpu_limit=2",
        "hangs: it used more than 2 s of CPU time",
    ),
}


@pytest.mark.long
@pytest.mark.skipif(patience.psutil is None, reason="psutil sees other processes")
@pytest.mark.parametrize("name", HANGS)
def test_a_test_that_hangs_ends_the_run_and_is_named(tmp_path, name):
    code, option, said = HANGS[name]
    (tmp_path / "test_hangs.py").write_text(
        f"import itertools, subprocess, sys, threading\n\ndef test_it():\n    {code}\n"
    )
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {TESTS / 'support'}\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", option, str(tmp_path)]
    ended = patience.run(command, cwd=tmp_path, cpu=100, idle=100)
    assert ended.returncode != 0
    assert said in ended.stdout + ended.stderr
    assert "test_hangs.py" in ended.stdout + ended.stderr


def test_the_watch_arms_no_timer_of_cpu_time():
    """While one is armed, Linux counts CPU time in whole ticks, and short work takes none."""
    for timer in (signal.ITIMER_PROF, signal.ITIMER_VIRTUAL):
        assert signal.getitimer(timer) == (0.0, 0.0)


def test_ctrl_c_comes_after_computing_not_after_waiting():
    with patience.ctrl_c_after(0.05), pytest.raises(KeyboardInterrupt):
        sum(0 for _ in itertools.repeat(0))
    with patience.ctrl_c_after(60.0):
        os.getpid()
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
