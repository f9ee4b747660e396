"""One choice of an instruction set for all kernels."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import gapless_kernels

if not gapless_kernels.COMPILED:
    pytest.skip("the compiled kernels are switched off by GAPLESS_PURE", allow_module_level=True)

from gapless_kernels.lanes import _sets

ROOT = Path(__file__).parents[2] / "cython_ext"
PACKAGE = ROOT / "gapless_kernels"


def with_versions():
    """Sources of the kernels that hold a version for each instruction set."""
    spec = importlib.util.spec_from_file_location("parallel_build", ROOT / "parallel_build.py")
    assert spec is not None
    assert spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("parallel_build", build)
    spec.loader.exec_module(build)
    lanes = PACKAGE / "lanes" / "lanes.h"
    return [source for source in PACKAGE.rglob("*.pyx") if lanes in build.headers(source, PACKAGE)]


def follows(source):
    return "\nfrom gapless_kernels.lanes cimport _sets\n" in source and "\n_sets.follow()\n" in source


def test_kernels_follow_the_chosen_set():
    """One that does not would run plain C for ever, and no result would show it."""
    sources = with_versions()
    assert len(sources) > 12
    assert [str(source) for source in sources if not follows(source.read_text(encoding="utf-8"))] == []


def test_check_sees_a_kernel_that_does_not_follow():
    source = (PACKAGE / "trees" / "_trees.pyx").read_text(encoding="utf-8")
    assert follows(source)
    assert not follows(source.replace("_sets.follow()\n", ""))


def test_only_lanes_names_instruction_sets():
    """Only lanes/ names a set: templates see SET, callers GAPLESS_CALL."""
    named = [
        str(header)
        for header in PACKAGE.rglob("*.h")
        if header.parent.name != "lanes" and re.search("GAPLESS_(X86|AVX|PLAIN)|_avx", header.read_text())
    ]
    assert named == []


def test_choice_returns_the_set_before():
    names = _sets.instruction_sets()
    assert names[0] == "plain"
    assert names[-1] == gapless_kernels.INSTRUCTION_SET
    before = _sets.choose_instruction_set("plain")
    assert _sets.choose_instruction_set(before) == "plain"
    with pytest.raises(ValueError, match="instruction set 'mmx': this process can use plain"):
        _sets.choose_instruction_set("mmx")
