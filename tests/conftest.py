"""The common start of all tests, and the end of one that hangs."""

import faulthandler
import gc
import os
import signal
import sys
import threading
import time

import patience
import pytest
from hypothesis import is_hypothesis_test, settings

# Without deadlines: a loaded machine is slow; that is no failure. `make test` says the same each time.
settings.register_profile("quick", deadline=None, max_examples=8, derandomize=True, database=None)
settings.register_profile("long", deadline=None, max_examples=60, derandomize=True, database=None)
settings.register_profile("fresh", deadline=None, max_examples=120, derandomize=False, print_blob=True)


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_interrupts():
    """A shell starts background jobs with SIGINT ignored, and children inherit that; tests press Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def _no_folder_of_corpora(request, monkeypatch):
    """Tasks read what GAPLESS_DATA names; tests without the mark `corpus` are about the data of gapless itself."""
    if request.node.get_closest_marker("corpus") is None:
        monkeypatch.delenv("GAPLESS_DATA", raising=False)


def pytest_addoption(parser):
    """Name what a campaign switches off by ``-o cpu_limit=0``, and what `make test-long` says."""
    parser.addoption("--long", action="store_true", help="run what is marked `long`, and draw more examples")
    parser.addoption("--fresh", action="store_true", help="draw new examples each time, twice as many as --long")
    parser.addini("cpu_limit", "seconds of CPU time after which a test hangs; 0: none do", default=patience.CPU)
    parser.addini("idle_limit", "seconds without any CPU time after which a test hangs", default=patience.IDLE)
    parser.addini("stuck_limit", "seconds in one call that never returns to Python", default=patience.STUCK)


def pytest_configure(config):
    """Choose how much is drawn, and keep the real standard error: while a test runs, its own is captured."""
    names = [name for name in ("fresh", "long") if config.getoption(f"--{name}")]
    settings.load_profile(names[0] if names else "quick")
    config.stash[STDERR] = os.fdopen(os.dup(sys.__stderr__.fileno()), "w")


def pytest_collection_modifyitems(config, items):
    """Quick tests; with --long all others: those marked `long`, and drawn ones, whose examples are others.

    A test that is named by ``file::test`` or a mark named by ``-m`` runs in any case.
    """
    if config.getoption("markexpr") or any("::" in arg for arg in config.args):
        return
    long = config.getoption("--long")
    kept = [item for item in items if _is_long(item) == long or (long and _is_drawn(item))]
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


def pytest_collection_finish():
    """Leave what was collected, ten thousand tests and their modules, out of every later walk for garbage."""
    gc.collect()
    gc.freeze()


def _is_long(item):
    return item.get_closest_marker("long") is not None


def _is_drawn(item):
    return is_hypothesis_test(getattr(item, "function", None))


STDERR = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """End the run, and say where, when a test computes for ever, or waits for what never comes."""
    if not float(item.config.getini("cpu_limit")):
        return (yield)
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(item, over), daemon=True)
    _end_when_stuck(item)
    watcher.start()
    try:
        return (yield)
    finally:
        over.set()
        watcher.join()
        faulthandler.cancel_dump_traceback_later()


def _end_when_stuck(item):
    """In C, for calls that keep the watcher from running; put off with each turn of the watcher.

    A timer of CPU time would say it better, but while one is armed Linux counts CPU time in whole ticks, and what
    tests measure is 0.
    """
    stuck = float(item.config.getini("stuck_limit"))
    faulthandler.dump_traceback_later(stuck, exit=True, file=item.config.stash[STDERR])


def _watch(item, over):
    """Once a second: whether this process and its children still do something."""
    if over.wait(1.0):  # nearly every test: the count of the family is not asked for
        return
    cpu, idle = float(item.config.getini("cpu_limit")), int(item.config.getini("idle_limit"))
    watch = patience.Patience(os.getpid(), cpu, idle)
    while not over.wait(1.0):
        _end_when_stuck(item)
        try:
            watch.turn(own=time.thread_time())
        except patience.Hang as hang:
            stderr = item.config.stash[STDERR]
            print(f"\n{item.nodeid} hangs: {hang}", file=stderr, flush=True)
            faulthandler.dump_traceback(stderr)
            patience.kill_children(os.getpid())
            os._exit(1)


@pytest.fixture
def raised_in_callbacks(monkeypatch):
    """Errors that ctypes reports and forgets."""
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda error: seen.append(error.exc_type))
    return seen
