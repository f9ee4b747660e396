"""Linear relaxations of random short sentences against all trees, and against independent programs.

``GAPLESS_RANDOM_SENTENCES`` scales the count; the default is what every test run can afford.
"""

import os

import numpy as np
import pytest

import gapless
from gapless import Status, Stop
from gapless.core.tolerance import margin
from gapless_dependency import Grandchild, ParsingProblem
from gapless_dependency.enumeration import tree_scores

SENTENCES = int(os.environ.get("GAPLESS_RANDOM_SENTENCES", "400"))
SHARDS = 10
CLOSE = 1e-6

WAYS = [
    ("price-and-cut", {}),
    ("price-and-cut", {"fix": False}),
    ("price-and-cut", {"variant": "paper"}),
    ("lp-full", {}),
    ("lp-full", {"rows": "all"}),
    ("lp-full", {"rows": "arcgp-gparc"}),
    ("lp-full", {"rows": "onegp-nogp"}),
    ("lp-full", {"tree": "flow"}),
    ("lp-full", {"rows": "all", "tree": "flow"}),
    ("lp-full", {"rows": "arcgp-gparc", "tree": "flow"}),
]


def best_score(problem):
    scores = tree_scores(problem)[1]
    return scores.max(initial=-np.inf)


def check(problem, result, best):
    """The result is true, and its certificate says so."""
    assert result.bound >= best - margin(best)
    if result.status is Status.OPTIMAL:
        assert result.value == pytest.approx(best, rel=1e-9, abs=1e-9)
    elif result.status is Status.INFEASIBLE:
        assert best == -np.inf
    else:
        assert result.stop is Stop.RELAXED
        assert result.gap > 0
    verdict = result.verify(problem)
    assert verdict, verdict
    assert verdict.bound >= best - margin(best)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_relaxation_is_true_and_verifies(shard, random_sentences):
    for number, problem in enumerate(random_sentences(shard, SENTENCES // SHARDS)):
        best = best_score(problem)
        for method, options in (WAYS[0], WAYS[1], WAYS[2 + number % (len(WAYS) - 2)]):
            check(problem, gapless.solve(problem, method, **options), best)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_objectives_agree_with_an_independent_program(shard, random_sentences, whole_program):
    """Everything in one plain program, all cut-sets in it, solved by HiGHS."""
    known = {}
    for number, problem in enumerate(random_sentences(100 + shard, SENTENCES // (2 * SHARDS))):
        for method, options in (WAYS[1], WAYS[2], WAYS[3 + number % (len(WAYS) - 3)]):
            result = gapless.solve(problem, method, **options)
            paper = options.get("variant") == "paper"
            rows = "all" if paper else options.get("rows", "lean")
            tree = "flow" if paper else options.get("tree", "cut-sets")
            program = whole_program(problem, rows, tree)
            optimum = program.optimum()
            if optimum == -np.inf:
                assert result.status in (Status.INFEASIBLE, Status.NO_SOLUTION), result
                continue
            if result.status is Status.INFEASIBLE:
                continue  # the tree oracle knows better than the program
            objective = result.stats.extra["objective"]
            assert objective == pytest.approx(optimum, rel=CLOSE, abs=CLOSE)
            if program.complete:
                assert result.bound <= objective + CLOSE * max(1.0, abs(objective)), "the oracle is no looser"
            known[rows, tree] = known.get((rows, tree), 0) + 1
    assert len(known) > 4


def objective(problem, method, **options):
    return gapless.solve(problem, method, **options).stats.extra.get("objective")


def test_cut_sets_are_no_looser_than_a_flow_and_lean_rows_as_tight_as_all(random_sentences, whole_program):
    looser = compared = 0
    for problem in random_sentences(7, SENTENCES // 4):
        lean = objective(problem, "lp-full")
        if lean is None or not whole_program(problem, "lean", "cut-sets").complete:
            continue
        close = CLOSE * max(1.0, abs(lean))
        assert objective(problem, "lp-full", rows="all") == pytest.approx(lean, abs=close)
        assert objective(problem, "price-and-cut", fix=False) == pytest.approx(lean, abs=close)
        flow = objective(problem, "lp-full", tree="flow")
        assert flow >= lean - close
        compared += 1
        looser += flow > lean + close
        for rows in ("arcgp-gparc", "onegp-nogp"):
            assert objective(problem, "lp-full", rows=rows) >= lean - close
    assert compared > SENTENCES // 12
    assert looser > 0, "no sentence tells a flow from cut-sets"


def test_fixing_arcs_keeps_the_answer_and_tightens_the_bound(random_sentences):
    dropped = 0
    for problem in random_sentences(8, SENTENCES // 4):
        fixed, plain = (gapless.solve(problem, "price-and-cut", fix=fix) for fix in (True, False))
        # Over projective trees the oracle sees more than the program, now and then, and is never asked twice alike.
        close = CLOSE * max(1.0, abs(plain.bound)) if np.isfinite(plain.bound) else 0.0
        assert problem.projective or fixed.bound <= plain.bound + close
        dropped += type(fixed.certificate).__name__ == "TreeCertificate"
    assert dropped > 0


@pytest.mark.parametrize(("method", "options"), WAYS[:4])
def test_where_scores_cancel_a_bound_is_what_the_certificate_proves(method, options):
    """Sums with 1e9 in them are rounded to 1e-7, and more where many are added up."""
    rounded = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        arcs, table = rng.normal(size=(5, 5)), rng.normal(size=(5, 5, 5))
        arcs[:, 3] -= 1e9
        table[:, :, 3] += 1e9
        problem = ParsingProblem(arcs, factors=[Grandchild(table)])
        best = tree_scores(problem)[1].max()
        result = gapless.solve(problem, method, **options)
        verdict = result.verify(problem)
        assert verdict
        assert result.value - 1e-5 <= best <= verdict.bound + 1e-7  # the values themselves are sums with 1e9
        rounded += result.stop is Stop.GAP
    assert rounded > 0
