"""The beam parser: scores as the problem does, never beats the best tree, and finds it when nothing is cut."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gapless as gl
from drawn import generators
from gapless_dependency import ParsingProblem
from gapless_dependency.factors import ArcConjunctions, Grandchild, Sibling, Valency
from gapless_models.parsing.beam import BeamParser
from hypothesis import given


def random_problem(rng, n: int, *, projective: bool, single_root: bool) -> ParsingProblem:
    def score(parts):
        return np.cos(parts @ np.arange(3.0, 3.0 + parts.shape[1]))

    return ParsingProblem(
        rng.normal(size=(n + 1, n + 1)),
        factors=[Grandchild(score), Sibling(score)],
        projective=projective,
        single_root=single_root,
    )
