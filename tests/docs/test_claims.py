"""Sentences of the docs that a program can check: which kernels have a twin, and which the selftest compares."""

import re
from pathlib import Path

from gapless.testing import kernel_twins as twins

ROOT = Path(__file__).parents[2]


def read(name):
    return (ROOT / name).read_text("utf-8")


def test_contributing_names_every_kernel_without_a_twin():
    kernels = ROOT / "cython_ext"
    # lanes/ holds no kernel: it chooses between instruction sets of the others. Nor are public modules kernels:
    # they declare roles to fill in.
    compiled = {file for file in kernels.rglob("_*.pyx") if file.parent.name != "lanes"}
    alone = {f"{p.parent.name}/{p.stem}" for p in compiled if not p.with_name(f"{p.stem}_twin.py").exists()}
    rule = re.search(r"\*\*A kernel has a twin\.\*\*.*?\n\n", read("CONTRIBUTING.md"), re.DOTALL)
    assert compiled
    assert rule is not None
    place = re.search(r"exceptions stand in `TWINLESS` of\s+`([\w/.]+)`", rule[0])
    assert place is not None
    excepted = re.search(r"^TWINLESS = \{\n(.*?)^\}", read(place[1]), re.DOTALL | re.MULTILINE)
    assert excepted is not None
    assert alone == set(re.findall(r'^    "([\w/]+)":', excepted[1], re.MULTILINE)) - {"lanes/_sets"}


def test_trust_names_the_kernels_that_the_selftest_compares():
    page = read("docs/explanation/trust.md")
    assert [name for name in twins._KERNELS if name.replace("edge lists", "reader of edge lists") not in page] == []
