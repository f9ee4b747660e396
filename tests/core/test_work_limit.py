"""No certificate keeps its checker busy for ever: work is counted, limited, and told."""

import math
import threading

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.core.certificate import Certificate
from gapless.core.work import CALL, DEFAULT_WORK, OutOfWork, spend_work, work_limit
from gapless.testing.examples import random_selection
from gapless_chains import ChainProblem
from gapless_dependency import ParsingProblem
from gapless_linking import LinkingProblem
from gapless_linking.certificate import DOLLS, DOMINATED, STAGE, SearchCertificate
from gapless_ordering import OrderingProblem
from gapless_ordering.certificate import WalkCertificate
from gapless_splitbound.enumerated import EnumeratedTrees

SOME = 1e8
"""Steps: a tenth of a second."""


@pytest.fixture
def chain():
    return ChainProblem(np.eye(3), np.zeros((3, 3)))


def with_certificate(problem, certificate):
    """A result that claims a bound by some certificate, and nothing else."""
    sign = problem.sense.sign
    return gl.Result(
        gl.Status.NO_SOLUTION, gl.Stop.NODES, (), sign * 1e6, certificate, problem.sense, "crafted", gl.Stats()
    )


def stopped(problem, certificate, work=SOME):
    """The verdict of a check that is stopped; it may overshoot its limit by one step of NumPy."""
    for verdict in (
        with_certificate(problem, certificate).verify(problem, work=work),
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


def test_nested_searches_whose_floors_claim_too_much():
    """All choices of twenty sets of ten lie below what is claimed: 10 to the power 20 are gone through."""
    k, size = 20, 10
    problem = LinkingProblem.from_distances(
        np.ones((k * size, k * size)) - np.eye(k * size), np.arange(k * size).reshape(k, size)
    )
    script = [STAGE, 0, 0, DOLLS, k, *range(k)]
    floors = [*np.linspace(1e6, 1e5, k), 0.0]
    forged = SearchCertificate(math.inf, 1.0, script, np.zeros(0), floors)
    stopped(problem, forged)


def test_a_script_that_names_the_same_dead_end_for_ever():
    problem = LinkingProblem.from_distances(np.ones((40, 40)) - np.eye(40), np.arange(40).reshape(4, 10))
    pairs = np.tile([0, 1], 30_000)
    stopped(problem, SearchCertificate(math.inf, 1.0, [DOMINATED, 30_000, *pairs], np.zeros(0), np.zeros(0)))


def test_children_that_cover_only_after_an_exponential_search():
    """Whether random clauses leave an assignment open is the hard question of logic."""
    rng = np.random.default_rng(0)
    problem = random_selection(rng, 60)
    clauses = []
    for _ in range(250):
        some = rng.permutation(60)[:3].tolist()
        on = [d for d in some if rng.random() < 0.5]
        clauses.append(gl.Branch(on=on, off=[d for d in some if d not in on]))
    parents = (-1, *[0] * len(clauses))
    tree = gl.TreeCertificate(parents, (gl.Branch(), *clauses), {})
    stopped(problem, tree)


def test_a_long_tree_and_a_long_list_of_flips(chain):
    evidence = gl.solve(chain).certificate
    deep = gl.TreeCertificate(range(-1, 19_999), (gl.Branch(),) * 20_000, {"19999": evidence})
    stopped(chain, deep, work=1e7)
    step = gl.Tightening((), tuple(range(1, 9)), evidence)
    flips = gl.TreeCertificate((-1,), (gl.Branch(),), {"0": evidence}, {"0": [step] * 10_000})
    stopped(chain, flips, work=1e7)


def test_labels_that_nothing_rules_out():
    """A certificate that asks for all sets of visited classes, of which there are 2 to the power 30."""
    rng = np.random.default_rng(0)
    problem = OrderingProblem(np.zeros(30), rng.random((30, 30)), np.zeros(30), length=15)
    stopped(problem, WalkCertificate(-math.inf, -math.inf, [0, 0], [], [], None, True))


def test_trees_that_are_enumerated_again_and_again():
    """A leaf is allowed 65536 choices of heads; thousands of them that look at the same make it long."""
    problem = ParsingProblem(np.random.default_rng(0).normal(size=(7, 7)))
    leaves = {str(node): EnumeratedTrees() for node in range(1, 3001)}
    stopped(problem, gl.TreeCertificate((-1, *[0] * 3000), (gl.Branch(),) * 3001, leaves))


# --- classes of strangers, which know nothing of all this


@gl.serialisable("tests.OldSignature")
@attrs.frozen
class OldSignature(Certificate):
    """As it was written for the first version."""

    def verify(self, problem, fixings=None):
        """Hold."""
        return gl.Verdict(True, "as ever", "", 2.0)


@gl.serialisable("tests.Swallowing")
@attrs.frozen
class Swallowing(gl.BoundCertificate):
    """Handles every error that it meets."""

    def upper_bound(self, problem, fixings):
        """Never more than 0, whatever happened."""
        try:
            spend_work(math.inf)
        except Exception:
            return 0.0
        return 0.0


def test_the_signature_of_the_first_version_still_works(chain):
    result = with_certificate(chain, OldSignature())
    assert attrs.evolve(result, bound=2.0).verify(chain)
    tree = gl.TreeCertificate((-1,), (gl.Branch(),), {"0": OldSignature()})
    assert tree.verify(chain).bound == 2.0
    long = gl.TreeCertificate(
        (-1,), (gl.Branch(),), {"0": OldSignature()}, {"0": [gl.Tightening((), (1,), OldSignature())] * 10**4}
    )
    stopped(chain, long, work=1e6)


def test_nobody_turns_a_stopped_check_into_a_proof(chain):
    verdict = with_certificate(chain, Swallowing()).verify(chain)
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


@pytest.mark.parametrize("work", [0, -1, math.nan, "1", True])
def test_a_limit_that_cannot_be_is_refused(chain, work):
    with pytest.raises(gl.InvalidLimits, match="work limit"):
        gl.solve(chain).verify(chain, work=work)


def test_work_outside_of_a_verification_is_nobodys():
    spend_work(math.inf)


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
    assert issubclass(OutOfWork, gl.GaplessError)
