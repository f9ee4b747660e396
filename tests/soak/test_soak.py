"""A short run shows flat memory, and one that leaks shows that it does; ``make soak`` is the long one."""

import gc
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("psutil", reason="psutil samples the memory")
SPEC = importlib.util.spec_from_file_location("soak", Path(__file__).with_name("soak.py"))
soak = importlib.util.module_from_spec(SPEC)
sys.modules["soak"] = soak
SPEC.loader.exec_module(soak)


def test_a_run_of_a_moment_says_what_it_did():
    gc.freeze()  # each sample collects: what the other tests of this process left would be gone through each time
    try:
        told = soak.soak(32)
    finally:
        gc.unfreeze()
    assert told["solved"] + told["batched"] + told["refused"] >= 32
    assert told["refused"] <= 2  # first-order and lp-full say that they are not for these factors
    assert told["verified"] > 0
    assert soak.drawn(told["samples"]).startswith("<svg")


@pytest.mark.long
def test_a_short_run_does_everything():
    told = soak.soak(700)
    assert min(told[name] for name in ("solved", "batched", "verified", "stopped early", "refused")) > 0
    assert told["bytes a problem"] - told["give or take"] < 2000  # too short for more: caches still fill
    assert soak.drawn(told["samples"]).startswith("<svg")


def test_a_leak_is_seen():
    rng = np.random.default_rng(0)
    done = np.arange(200) * 500
    noise = rng.normal(0, 50_000, 200)
    for bytes_each, flat in ((0.0, True), (10.0, True), (60.0, False), (400.0, False)):
        rise, spread = soak.slope(list(zip(done, 1e8 + noise + bytes_each * done, strict=True)))
        assert abs(rise - bytes_each) < 5
        assert (rise - spread <= soak.ALLOWED) is flat
