"""Chains with factors beside general solvers, from arrays to the proved answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import attrs
import numpy as np

from benchmarks.factors import mip_peer, toulbar2_peer
from benchmarks.factors.instances import SkipChain, programmes, skip_chains
from benchmarks.factors.programme import AS_BACKBONE, AS_DIAGRAM, proved
from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.marks import Marks, line
from benchmarks.frame.peers import HIGHS, TOULBAR2
from benchmarks.frame.turns import Both, Compared, Side, time_interleaved
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import Decisions, Factor
from gapless_chains import ChainProblem

SKIPS_OVER: dict[str, Marks] = {"HiGHS": (50.0, 300.0), "toulbar2": (5.0, 20.0)}
SPOTS_OVER_HIGHS: Marks = (1.0, 10.0)
SPOTS = 400
_TOLERANCE = 1e-6


@attrs.frozen(eq=False)
class SameLabel(Factor):
    """A reward for each skip whose two tokens have one label."""

    name: ClassVar[str] = "same label"
    chain: SkipChain

    def scopes(self, decisions: Decisions) -> IntArray:
        """Return both tokens' decisions for each skip and label."""
        k = self.chain.unary.shape[1]
        pairs: IntArray = self.chain.pairs[:, None, :] * k + np.arange(k)[None, :, None]
        return pairs.reshape(-1, 2)

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Look up the rewards; each pair of tokens has one skip."""
        k, n = self.chain.unary.shape[1], len(self.chain.unary)
        reward = np.zeros((n, n))
        reward[self.chain.pairs[:, 0], self.chain.pairs[:, 1]] = self.chain.reward
        found: FloatArray = reward[scopes[:, 0] // k, scopes[:, 1] // k]
        return found


def _tied(chain: SkipChain) -> ChainProblem:
    return ChainProblem(chain.unary, chain.transition, factors=[SameLabel(chain)])


def skip_lines(bench: Bench) -> Iterator[Measurement]:
    """Compare on chains with rewards for equal labels of distant tokens."""
    chains = list(skip_chains(bench.seeds))
    peers = {"HiGHS": mip_peer.SKIPS} if HIGHS.installed else {}
    peers |= {"toulbar2": toulbar2_peer.SKIPS} if TOULBAR2.installed else {}
    yield from _compared(
        bench, "24 tokens, 45 labels, 20 skips", chains, {"split-bound": Side.of(proved, _tied)}, peers, SKIPS_OVER
    )


def spots_lines(bench: Bench) -> Iterator[Measurement]:
    """Compare on spots in a programme, modelled as a chain with a budget and as one diagram."""
    peers = {"HiGHS": mip_peer.SPOTS} if HIGHS.installed else {}
    ours = {"chain and budget": AS_BACKBONE, "one diagram": AS_DIAGRAM}
    marks = {"HiGHS": SPOTS_OVER_HIGHS}
    yield from _compared(bench, f"{SPOTS} spots", list(programmes(bench.seeds, SPOTS)), ours, peers, marks)


def _compared(
    bench: Bench,
    scores: str,
    instances: list[Any],
    ours: dict[str, Side[Any, float]],
    peers: dict[str, Side[Any, float]],
    marks: dict[str, Marks],
) -> Iterator[Measurement]:
    found = time_interleaved({**ours, **peers}, instances, bench.console, f"{scores}: {', '.join([*ours, *peers])}")
    for name, both in found.items():
        bench.wrong += _differences(scores, name, both, found[next(iter(ours))])
    for name in ours:
        yield line(name, scores, found[name].from_arrays.milliseconds, "ms")
        for peer in peers:
            yield Compared(name, peer, "", scores, (found[name], found[peer]), marks[peer])


def _differences(scores: str, name: str, both: Both[float], first: Both[float]) -> Iterator[str]:
    for number, (one, other) in enumerate(zip(both.from_arrays.answers, first.from_arrays.answers, strict=True)):
        if not abs(one - other) <= _TOLERANCE * max(1.0, abs(one)):
            yield f"{scores}, instance {number}: {name} proves {one}, the first way {other}"
