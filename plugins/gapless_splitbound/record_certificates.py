"""From the record that the compiled search writes to a certificate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gapless import Certificate
from gapless.roles import Branch, NoCertificate, Tightening, TreeCertificate
from gapless_dependency import ParsingProblem
from gapless_splitbound.certificate import SplitMultipliers
from gapless_splitbound.enumerated import EnumeratedTrees
from gapless_splitbound.multipliers import Split

ENUMERATED = -2
"""In the place of a leaf's multipliers: all its trees were looked at."""


def certificate_of(problem: ParsingProblem, proof: Mapping[str, Any], *, group: bool) -> Certificate:
    """The tree of a search as a `TreeCertificate` with multipliers at its leaves and fixings.

    `proof`: as `gapless_kernels.SplitBoundSearch.proof` describes it. `group`: whether the search grouped pairs.
    """
    split = Split(problem, group=group)
    empty = np.zeros(0, bool)
    mine = np.concatenate([empty, *(block.grouped for block in split.blocks)])
    if np.any(proof["grouped"] & ~mine):
        return NoCertificate("the search grouped scopes that the certificate cannot group")
    alone = np.flatnonzero(mine & ~proof["grouped"])

    def at(row: int) -> SplitMultipliers | EnumeratedTrees:
        if row == ENUMERATED:
            return EnumeratedTrees()
        # Where the fixings leave no tree, or nothing was bounded yet, any multipliers say what there is to say.
        table = proof["multipliers"]
        held = table[row] if row >= 0 else np.zeros(proof["multiplier_first"][-1])
        return SplitMultipliers(split.orientation, held, alone, loss=split.loss)

    return tree_certificate(proof, at)


def tree_certificate(proof: Mapping[str, Any], at: Callable[[int], Certificate]) -> TreeCertificate:
    """The tree of a search.

    `proof`: as `gapless_kernels.SplitBoundSearch.proof` describes it. `at`: from a row of multipliers to what they
    prove; `ENUMERATED` stands for no multipliers.
    """
    parents = proof["parent"].tolist()
    inner = set(parents)
    branches = [
        Branch() if parent < 0 else Branch(on=(arc,)) if on else Branch(off=(arc,))
        for parent, arc, on in zip(parents, proof["arc"].tolist(), proof["on"].tolist(), strict=True)
    ]
    leaves = {str(n): at(row) for n, row in enumerate(proof["multipliers_at"].tolist()) if n not in inner}
    first, off = proof["step_first"], proof["off"]
    tightenings: dict[str, tuple[Tightening, ...]] = {}
    for step, node in enumerate(proof["step_node"].tolist()):
        fixed = Tightening((), tuple(off[first[step] : first[step + 1]]), at(int(proof["step_multipliers"][step])))
        tightenings[str(node)] = (*tightenings.get(str(node), ()), fixed)
    return TreeCertificate(tuple(parents), tuple(branches), leaves, tightenings)
