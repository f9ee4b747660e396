"""The record of a search stays flat until somebody asks; what is made of it is what was always there."""

import pickle

import numpy as np
import pytest

import gapless
import gapless_kernels
from gapless import Result
from gapless.arrays.serial import dumps, loads
from gapless.certificates.certificate import DeferredCertificate
from gapless.roles import TreeCertificate
from gapless_dependency import Grandchild, ParsingProblem, Sibling

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1: no compiled search")


def noise(n=9, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    shape = (n + 1,) * 3
    factors = [Sibling(rng.normal(size=shape) + shift), Grandchild(rng.normal(size=shape))]
    return ParsingProblem(rng.normal(size=shape[1:]), factors=factors)


@pytest.mark.parametrize("method", ["split-bound", "lagrangian-cut"])
def test_nothing_is_made_before_somebody_asks(method, monkeypatch):
    problem, made = noise(7), []
    honest = DeferredCertificate.resolve
    monkeypatch.setattr(DeferredCertificate, "resolve", lambda self: made.append(1) or honest(self))
    result = gapless.solve(problem, method)
    assert result.certified
    assert result.proof == "proved, with certificate"
    sent = pickle.loads(pickle.dumps(result))
    assert not made
    assert type(result.certificate) is TreeCertificate
    assert result.certificate is result.certificate
    for other in (sent, Result.from_json(result.to_json())):
        assert other.verify(problem)
        assert dumps(other.certificate) == dumps(result.certificate)
    assert not result.verify(noise(7, seed=1))


def test_a_problem_is_scored_once(monkeypatch):
    rng, asked = np.random.default_rng(3), []
    table = rng.normal(size=(7, 7, 7))

    def scores(*positions):
        asked.append(positions[0].size)
        return table[positions]

    problem = ParsingProblem(rng.normal(size=(7, 7)), factors=[Grandchild(scores)])
    result = gapless.solve(problem, "split-bound")
    assert asked == [len(problem.conjunctions[0].scopes)]
    assert result.certificate
    assert len(asked) == 1


def test_a_family_that_a_subclass_changes_is_checked_as_any_factor():
    class Wild(Grandchild):
        def positions(self, scopes, arcs):
            return tuple(p * 0 for p in super().positions(scopes, arcs))

    class Twice(Grandchild):
        def arc_sets(self, arcs):
            return np.stack([super().arc_sets(arcs)[:, 0]] * 2, axis=1)

    table = np.arange(27.0).reshape(3, 3, 3)
    problem = ParsingProblem(np.zeros((3, 3)), factors=[Wild(table)])
    assert set(problem.conjunctions[0].all_scores()) == {0.0}
    with pytest.raises(gapless.InvalidProblem, match="names a decision twice"):
        _ = ParsingProblem(np.zeros((3, 3)), factors=[Twice(table)]).conjunctions
    table[0, 1, 2] = np.nan
    with pytest.raises(gapless.InvalidProblem, match="g = 0, h = 1, m = 2 is nan"):
        gapless.solve(ParsingProblem(np.zeros((3, 3)), factors=[Grandchild(table)]), "split-bound")


def test_mostly_zeros_are_written_sparsely_and_read_back():
    for dtype, some in ((float, [1.5, -np.inf, -0.0]), (int, [3, -1]), (bool, [True])):
        whole = np.zeros((40, 10), dtype)
        whole.ravel()[: len(some)] = some
        text = dumps(whole)
        back = loads(text)
        assert back.dtype == whole.dtype
        assert back.tobytes() == whole.tobytes()
        assert len(text) < 200
    for places, size in (
        ([1, 1], 400),
        ([2, 1], 400),
        ([-1, 1], 400),
        ([1, 400], 400),
        ([1, 2], 10**12),
        ([1], 400),
    ):
        with pytest.raises(gapless.InvalidProblem):
            loads(
                f'{{"type": "array", "dtype": "f8", "shape": [{size}], "places": {places}, "values": [1.0, 2.0]}}'
            )
