"""A problem that is only decisions, so that masters can be built over any columns and rows."""

import numpy as np
import pytest

from gapless import Problem
from gapless.column_generation.master import LinearMaster
from gapless.roles import Batch, Columns, Decisions, Formulation, Rows, Sparse


class Blank(Problem):
    def __init__(self, decisions, refused=()):
        self._decisions, self.refused = decisions, refused

    @property
    def decisions(self):
        return self._decisions

    def value(self, structure):
        return 0.0

    def violations(self, structure):
        return []

    def encode(self, structure):
        return np.asarray(structure)

    def decode(self, on_ids):
        ids = tuple(np.asarray(on_ids).tolist())
        if ids in self.refused:
            raise ValueError("cannot be read")
        return ids


def sparse(dense):
    dense = np.atleast_2d(dense)
    return Sparse.from_rows([np.flatnonzero(row) for row in dense], [row[np.flatnonzero(row)] for row in dense])


def master(objective, entries, lower, upper, uses=None, *, bounds=None, decisions=None, keys=None, **more):
    """Columns 10, 11, ... and rows 0, 1, ...; entries are (rows, columns), uses are (columns, quantities)."""
    entries = np.asarray(entries, float).reshape(len(lower), len(objective))
    uses = np.eye(len(objective)) if uses is None else np.asarray(uses, float)
    columns = Columns(
        10 + np.arange(len(objective)) if keys is None else keys,
        objective,
        sparse(entries.T) if entries.size else Sparse.empty(len(objective)),
        sparse(uses),
        **({} if bounds is None else {"upper": bounds}),
    )
    problem = Blank(decisions or Decisions(uses.shape[1]), more.pop("refused", ()))
    return LinearMaster(problem, Formulation(Batch(columns, Rows(np.arange(len(entries)), lower, upper)), **more))


@pytest.fixture(scope="session")
def make():
    return master


@pytest.fixture(scope="session")
def to_sparse():
    return sparse
