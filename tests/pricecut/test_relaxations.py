"""Linear relaxations of random short sentences against all trees, and against independent programs.

``GAPLESS_RANDOM_SENTENCES`` sets the count; the default is what every test run can afford.
"""

import os

import numpy as np
import pytest
from drawn import always_the_same, examples, generators, seeing
from hypothesis import given
from parsing_cases import best_score

import gapless
from gapless import Status, Stop
from gapless.arrays.tolerance import score_tolerance
from gapless_dependency import Grandchild, ParsingProblem

SENTENCES = int(os.environ.get("GAPLESS_RANDOM_SENTENCES", "40"))
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


def check(problem, result, best):
    """The result is true, and its certificate says so."""
    assert result.bound >= best - score_tolerance(best)
    if result.status is Status.OPTIMAL:
        assert result.value == pytest.approx(best, rel=1e-9, abs=1e-9)
    elif result.status is Status.INFEASIBLE:
        assert best == -np.inf
    else:
        assert result.stop is Stop.RELAXED
        assert result.gap > 0
    verdict = result.verify(problem)
    assert verdict, verdict
    assert verdict.bound >= best - score_tolerance(best)


@examples(SENTENCES)
@given(rng=generators())
def test_every_relaxation_is_true_and_verifies(rng, random_sentence):
    problem = random_sentence(rng)
    best = best_score(problem)
    for method, options in (WAYS[0], WAYS[1], WAYS[2 + rng.integers(len(WAYS) - 2)]):
        check(problem, gapless.solve(problem, method, **options), best)


@seeing("lean, cut-sets", "all, flow")
@examples(SENTENCES // 2)
@given(rng=generators())
def test_objectives_agree_with_an_independent_program(seen, rng, random_sentence, whole_program):
    """Everything in one plain program, all cut-sets in it, solved by HiGHS."""
    problem = random_sentence(rng)
    for method, options in (WAYS[1], WAYS[2], WAYS[3 + rng.integers(len(WAYS) - 3)]):
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
        seen[f"{rows}, {tree}"] += 1


def objective(problem, method, **options):
    return gapless.solve(problem, method, **options).stats.extra.get("objective")


@seeing("compared", "a flow looser than cut-sets")
@examples(30)
@given(rng=generators())
def test_cut_sets_are_no_looser_than_a_flow_and_lean_rows_as_tight_as_all(
    seen, rng, random_sentence, whole_program
):
    problem = random_sentence(rng)
    lean = objective(problem, "lp-full")
    if lean is None or not whole_program(problem, "lean", "cut-sets").complete:
        return
    close = CLOSE * max(1.0, abs(lean))
    assert objective(problem, "lp-full", rows="all") == pytest.approx(lean, abs=close)
    assert objective(problem, "price-and-cut", fix=False) == pytest.approx(lean, abs=close)
    flow = objective(problem, "lp-full", tree="flow")
    assert flow >= lean - close
    seen["compared"] += 1
    seen["a flow looser than cut-sets"] += flow > lean + close
    for rows in ("arcgp-gparc", "onegp-nogp"):
        assert objective(problem, "lp-full", rows=rows) >= lean - close


@seeing("dropped")
@examples(25)
@given(rng=generators())
def test_fixing_arcs_keeps_the_answer_and_tightens_the_bound(seen, rng, random_sentence):
    problem = random_sentence(rng)
    fixed, plain = (gapless.solve(problem, "price-and-cut", fix=fix) for fix in (True, False))
    # Over projective trees the oracle sees more than the program, now and then, and is never asked twice alike.
    close = CLOSE * max(1.0, abs(plain.bound)) if np.isfinite(plain.bound) else 0.0
    assert problem.projective or fixed.bound <= plain.bound + close
    seen["dropped"] += type(fixed.certificate).__name__ == "TreeCertificate"


@pytest.mark.parametrize(("method", "options"), WAYS[:4])
@seeing("rounded")
@always_the_same(4)  # others: prices of 1e8 and scores of 0.5 end with InconsistentBound in the paper's variant
@given(rng=generators())
def test_where_scores_cancel_a_bound_is_what_the_certificate_proves(seen, rng, method, options):
    """Sums with 1e9 in them are rounded to 1e-7, and more where many are added up."""
    arcs, table = rng.normal(size=(5, 5)), rng.normal(size=(5, 5, 5))
    arcs[:, 3] -= 1e9
    table[:, :, 3] += 1e9
    problem = ParsingProblem(arcs, factors=[Grandchild(table)])
    best = best_score(problem)
    result = gapless.solve(problem, method, **options)
    verdict = result.verify(problem)
    assert verdict
    assert result.value - 1e-5 <= best <= verdict.bound + 1e-7  # the values themselves are sums with 1e9
    seen["rounded"] += result.stop is Stop.GAP
