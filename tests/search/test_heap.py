"""The heap is kept between searches: pages that are given back and asked for again took a third of the time."""

import os
import subprocess
import sys

import pytest

SOLVES = """
import resource
import numpy as np
import gapless as gl
from gapless_dependency import Grandchild, ParsingProblem

rng = np.random.default_rng(0)
n = 41
arcs, parts = rng.normal(size=(n, n)), 0.01 * rng.normal(size=(n, n, n))

def solve():
    gl.solve(ParsingProblem(arcs, factors=[Grandchild(parts)], projective=False), "split-bound")

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

for _ in range(5):
    solve()
before = faults()
for _ in range(10):
    solve()
print((faults() - before) / 10)
"""
KEEPS = """
import numpy as np
import gapless as gl
from gapless.search.allocator import keep_heap
from gapless_dependency import Grandchild, ParsingProblem

rng = np.random.default_rng(0)
kept = []
for n in (12, 31):
    kept.append(keep_heap.cache_info().currsize)
    problem = ParsingProblem(rng.normal(size=(n, n)), factors=[Grandchild(0.01 * rng.normal(size=(n, n, n)))])
    gl.solve(problem, "split-bound")
print(*kept, keep_heap.cache_info().currsize)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts pages as glibc's heap gets them")
def test_a_search_gets_no_pages_that_the_one_before_had():
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_TUNABLES"))}
    told = subprocess.check_output([sys.executable, "-W", "ignore", "-c", SOLVES], env=kept, text=True)
    assert float(told) < 60, f"{told} page faults a search, of 4 kB each"


def test_heap_of_the_process_is_left_alone_until_a_large_search_begins():
    said = subprocess.check_output([sys.executable, "-W", "ignore", "-c", KEEPS], text=True)
    assert said.split() == ["0", "0", "1"]
