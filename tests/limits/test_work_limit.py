"""No certificate keeps its checker busy for ever: work is counted, limited and reported."""

import math
import threading

import attrs
import numpy as np
import pytest
from crafted import CRAFTED, claiming

import gapless as gl
from gapless.certificates.certificate import Certificate
from gapless.limits.work import CALL, DEFAULT_WORK, WorkLimitReached, charge_work, work_limit
from gapless.roles import BoundCertificate, Branch, Tightening, TreeCertificate, serialisable
from gapless_chains import ChainProblem
from gapless_dependency import ParsingProblem, Sibling

SOME = 1e8
"""Steps: a tenth of a second."""

SMALLER = {"deep_tree": 1e7}
"""Less for tests that are long because their file is long."""


@pytest.fixture
def chain():
    return ChainProblem(np.eye(3), np.zeros((3, 3)))


def stopped(problem, certificate, work=SOME):
    """The verdict of a check that is stopped; it may overshoot its limit by one step of NumPy."""
    for verdict in (
        claiming(problem, certificate).verify(problem, work=work),
        checked_within(work, certificate, problem),
    ):
        assert not verdict
        assert verdict.undecided
        assert "undecided" in verdict.reason
        assert "--work" in verdict.reason
        assert "work=" in verdict.reason
        assert work < verdict.work < 10 * work
    return verdict


def checked_within(work, certificate, problem):
    with work_limit(work):
        return certificate.verify(problem)


# --- crafted certificates: each kept its checker busy for longer than anyone waits


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_certificate_ends_undecided(name):
    problem, certificate = CRAFTED[name]
    stopped(problem, certificate, work=SMALLER.get(name, SOME))


def test_a_long_list_of_flips(chain):
    evidence = gl.solve(chain).certificate
    step = Tightening((), tuple(range(1, 9)), evidence)
    flips = TreeCertificate((-1,), (Branch(),), {"0": evidence}, {"0": [step] * 10_000})
    stopped(chain, flips, work=1e7)


# --- classes of strangers, which know nothing of all this


@serialisable("tests.OldSignature")
@attrs.frozen
class OldSignature(Certificate):
    """As it was written for the first version."""

    def verify(self, problem, fixings=None):
        """Hold."""
        return gl.Verdict(True, "as ever", "", 2.0)


@serialisable("tests.Swallowing")
@attrs.frozen
class Swallowing(BoundCertificate):
    """Handles every error that it meets."""

    def upper_bound(self, problem, fixings):
        """Never more than 0, whatever happened."""
        try:
            charge_work(math.inf)
        except Exception:
            return 0.0
        return 0.0


def test_the_signature_of_the_first_version_still_works(chain):
    result = claiming(chain, OldSignature())
    assert attrs.evolve(result, bound=2.0).verify(chain)
    tree = TreeCertificate((-1,), (Branch(),), {"0": OldSignature()})
    assert tree.verify(chain).bound == 2.0
    long = TreeCertificate(
        (-1,), (Branch(),), {"0": OldSignature()}, {"0": [Tightening((), (1,), OldSignature())] * 10**4}
    )
    stopped(chain, long, work=1e6)


def test_no_one_turns_a_stopped_check_into_a_proof(chain):
    verdict = claiming(chain, Swallowing()).verify(chain)
    assert not verdict
    assert verdict.undecided
    assert verdict.bound == math.inf


# --- the limit itself


def test_the_count_is_the_same_each_time_and_decides(chain):
    result = gl.solve(chain)
    first, again = result.verify(chain), result.verify(chain)
    assert first
    assert first.work == again.work > CALL
    assert result.verify(chain, work=first.work)
    assert result.verify(chain, work=first.work - 1).undecided
    with work_limit(first.work - 1):
        assert result.verify(chain).undecided
        assert result.certificate.verify(chain, None)
        assert result.verify(chain, work=math.inf)
        assert gl.Record(chain, result).verify().undecided
        assert gl.Record(chain, result).verify(work=DEFAULT_WORK)
    assert result.verify(chain)


def test_what_was_laid_out_before_is_counted_again():
    rng = np.random.default_rng(0)
    parse = ParsingProblem(rng.normal(size=(8, 8)), factors=[Sibling(rng.normal(size=(8, 8, 8)))], projective=False)
    result = gl.solve(parse)
    same = ParsingProblem(parse.scores, factors=parse.factors, projective=False)
    assert len({result.verify(problem).work for problem in (parse, same, same, parse)}) == 1


@pytest.mark.parametrize("method", ["viterbi", "dominance", "column-generation"])
def test_pair_scores_are_announced_and_counted(method):
    rng = np.random.default_rng(0)
    chain = ChainProblem(np.zeros((6, 300)), rng.random((300, 300)))
    result = gl.solve(chain, method)
    verdict = result.verify(chain)
    assert verdict.work > 300 * (len(result.certificate.labels) if method != "column-generation" else 5 * 300)
    assert 0.1 * verdict.work < result.certificate.work_to_verify(chain) < 10 * verdict.work


@pytest.mark.parametrize("work", [0, -1, math.nan, "1", True])
def test_a_limit_that_cannot_be_is_refused(chain, work):
    with pytest.raises(gl.InvalidLimits, match="work limit"):
        gl.solve(chain).verify(chain, work=work)


def test_work_outside_of_a_verification_is_not_counted():
    charge_work(math.inf)


def test_two_threads_have_two_accounts(chain):
    result = gl.solve(chain)
    alone, seen = result.verify(chain).work, []
    threads = [threading.Thread(target=lambda: seen.append(result.verify(chain).work)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [alone] * 4


def test_out_of_work_is_an_error_of_ours():
    assert issubclass(WorkLimitReached, gl.GaplessError)
