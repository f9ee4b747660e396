"""The linking benchmark runs, notices what cannot be true together, and writes toulbar2's model right."""

import itertools
import json
import sys
import types

import numpy as np
import pytest

import gapless as gl
from benchmarks.__main__ import main
from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import ALONE, FROM_ARRAYS
from benchmarks.frame.solving import Solved, contradictions
from benchmarks.frame.turns import Compared
from benchmarks.linking import toulbar2_peer
from benchmarks.linking.instances import FAMILIES, Synthetic
from benchmarks.linking.proof_rows import LinkingBench, proof_lines
from gapless.cli import Console, exit_codes
from gapless.roles import Sense
from gapless_linking import LinkingProblem
from gapless_linking.enumeration import all_structures
from gapless_linking.random_problems import random_problem


class Network:
    """The part of pytoulbar2.CFN that `toulbar2_peer` uses, by enumeration."""

    def __init__(self, vac=0):
        self.sizes, self.tables = [], []

    def AddVariables(self, count, name, low, high):
        assert (count, low) == (1, 0)
        self.sizes.append(high + 1)

    def AddFunctions(self, scopes, tables):
        self.tables += zip(map(tuple, scopes.tolist()), tables, strict=True)

    def AddFunction(self, scope, costs):
        self.tables.append((tuple(scope), np.array(costs)))

    def Solve(self, timeLimit):
        choices = itertools.product(*map(range, self.sizes))
        return [], min(sum(table[tuple(c[i] for i in scope)] for scope, table in self.tables) for c in choices), 1


@pytest.fixture
def toulbar2(monkeypatch):
    """A stand-in for pytoulbar2, and its options."""
    option = types.SimpleNamespace(limited=False)
    module = types.SimpleNamespace(CFN=Network, tb2=types.SimpleNamespace(option=option))
    monkeypatch.setitem(sys.modules, "pytoulbar2", module)
    return option


_PARTS = ("distances, median", f"exact, median, {FROM_ARRAYS}")


def expanded(found):
    for one in found:
        yield from one.lines() if isinstance(one, Compared) else (one,)


def small(peer_seconds=0):
    limits, console = gl.Limits(time=1000.0), Console(as_json=True)
    return LinkingBench(Bench(console=console, limits=limits), Synthetic(600, 5), peer_seconds)


def test_it_runs_on_the_embedded_documents(capsys):
    asked = ["linking", "--only", "documents", "--limit", "3", "--peer-seconds", "0", "--json"]
    assert main(asked) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    assert found["disagreements"] == []
    lines = {(line["scores"], line["what"]): line for line in found["lines"]}
    for connection in ("maximal", "minimal", "plain"):
        scores = f"documents and sentences, {connection}"
        assert lines[scores, "proved"]["value"]["median"] == 100
        parts = [lines[scores, f"{part}"]["value"]["median"] for part in _PARTS]
        assert 0 < max(parts) < lines[scores, "from candidates to proof, median"]["value"]["most"]
        assert lines[scores, "proved"]["must"] is None, "marks speak of the real corpora"


def test_proofs_of_drawn_documents(monkeypatch, toulbar2):
    monkeypatch.setattr("benchmarks.linking.proof_rows.MARKS", {3: (10, 1), 4: (1000, 200)})
    monkeypatch.setattr("benchmarks.linking.proof_rows.LARGE", 6)
    bench = small(peer_seconds=1)
    lines = {(line.scores, line.what): line for line in expanded(proof_lines(bench))}
    assert bench.bench.wrong == []
    for family in FAMILIES:
        for k in (3, 4, 6):
            assert lines[f"{family}, k = {k} x 5", "proved"].value.median == 100
        for how in (FROM_ARRAYS, ALONE):
            assert lines[f"{family}, k = 3 x 5", f"exact over toulbar2, median, {how}"].value.median > 0
        assert lines[f"{family}, k = 6 x 5", "largest gap"].value.median == 0
    assert not any(line.verdict for line in lines.values()), "marks speak of the full sizes"


def test_decomposable_is_plotted(capsys, tmp_path):
    asked = ["linking", "--only", "decomposable", "--vertices", "600", "--json"]
    assert main([*asked, "--plot", str(tmp_path / "linear.svg")]) == exit_codes.PROVED
    assert [line["scores"] for line in json.loads(capsys.readouterr().out)["lines"]].count("29,990 edges") == 2
    assert (tmp_path / "linear.svg").read_text().startswith("<svg")


def test_documents_are_drawn_by_seed():
    first, second = (Synthetic(600, 5).documents("clustered", 3, 2) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.members, other.members)
    assert not np.array_equal(first[0].members, first[1].members)
    assert [members.size for members in first[0].candidates] == [5, 5, 5]


def test_the_peer_is_asked_the_same_question(toulbar2):
    rng = np.random.default_rng(0)
    problems = [random_problem(rng, int(rng.integers(1, 5)), kind="ties") for _ in range(25)]
    problems.append(LinkingProblem.from_distances([[0, np.inf], [np.inf, 0]], [[0], [1]]))
    costs = [all_structures(problem)[1] for problem in problems]
    peer = toulbar2_peer.solve_each(problems, 1)
    least = np.array([one.min() if one.size else np.nan for one in costs])
    np.testing.assert_allclose(peer.values, least, rtol=1e-12, atol=1e-9)
    assert np.isnan(least).any()
    assert peer.proved.all()
    assert (peer.alone > 0).all()
    assert (peer.alone < peer.seconds).all(), "writing the model is timed, and reported apart"
    toulbar2.limited = True
    assert not toulbar2_peer.solve_each(problems[:3], 1).proved.any()


def solved(values, bounds):
    values, bounds = np.array(values), np.array(bounds)
    return Solved(np.ones(values.size), np.ones(values.size), values, bounds, values == bounds, [], Sense.MINIMISE)


def test_answers_that_differ_are_reported():
    exact = solved([4.0, 6.0, 9.0], [4.0, 6.0, 5.0])

    def differences(values, proved, exact=exact):
        found, none = np.array(values), -np.inf
        bounds = np.where(proved, np.where(np.isnan(found), np.inf, found), none)
        return contradictions("toy", {"exact": exact, "toulbar2": solved(values, bounds)})

    assert differences([4.0, 7.0, 7.0], [True, False, True]) == []
    differing = differences([4.0 - 1e-6, 7.0, 4.0], [True, False, True])
    assert [sentence[:14] for sentence in differing] == ["toy, problem 0", "toy, problem 2"]
    assert differences([4.0, 7.0, np.nan], [True, True, False]) == [
        "toy, problem 1: exact found 6, toulbar2 proved 7"
    ]
    assert differences([4.0, 6.0, np.nan], [True, True, True]) == [
        "toy, problem 2: exact found 9, toulbar2 proved inf"
    ]
    nothing = solved([np.nan, 6.0, 9.0], [np.inf, 6.0, 9.0])
    assert len(differences([4.0, 6.0, np.nan], [True, True, True], nothing)) == 2


class Stopped(LinkingBench):
    """A bench whose proofs never end."""

    def solve(self, scores, problems, limits=None):
        return solved([20.0] * len(problems), [17.0] * len(problems))


def test_what_was_not_proved_is_reported(monkeypatch):
    monkeypatch.setattr(Synthetic, "documents", lambda *_: [None] * 3)
    bench = Stopped(Bench(console=Console(as_json=True), seeds=3), Synthetic(), 0)
    lines = {(line.scores, line.what): line for line in proof_lines(bench)}
    assert lines["base, k = 12 x 96", "proved"].verdict == "missed"
    assert lines["base, k = 53 x 96", "exact, median"].verdict == "", "the gap is judged instead"
    gap = lines["base, k = 53 x 96", "largest gap"]
    assert (gap.value.median, gap.verdict) == (15.0, "must")


def test_problems_that_are_handed_over_have_their_distances():
    (problem,) = Synthetic(600, 5).documents("base", 2, 1)
    assert isinstance(problem, LinkingProblem)
    assert "distances" in vars(problem)
