"""The task from sections to tables, on the embedded essays."""

import json
import math
import xml.etree.ElementTree as ET

import attrs
import numpy as np
import pytest
from jobs import run_job

import gapless as gl
from gapless.cli import Console, exit_codes, main
from gapless.results.record import read_values
from gapless_models.titles.corpus import load_corpus
from gapless_models.titles.graph import TitleGraph, prepare, train_model
from gapless_models.titles.section import Section
from gapless_ordering import OrderingProblem
from gapless_tasks.titles import job, measuring, options, tables
from gapless_tasks.titles.convergence import converge
from gapless_tasks.titles.decoders import Decoder, decoders
from gapless_tasks.titles.measuring import Decoded, contradictions, decode, proved_optima
from gapless_tasks.titles.tables import table_1

pytest.importorskip("nltk")
pytest.importorskip("sklearn")
pytest.importorskip("rouge_score")

QUIET = Console(as_json=True)
ROWS = [
    *("exact", "exact, solve_many", "colour coding (paper)", "colour coding, bounds"),
    *("beam 1", "beam 80", "beam 1345"),
]


@pytest.fixture(scope="module")
def model():
    return train_model(load_corpus(None))


@pytest.fixture
def trained(monkeypatch, model):
    """The task takes the model that is there already."""
    monkeypatch.setattr(job, "train_model", lambda _: model)


def run(capsys, *asked, as_json=True):
    return run_job(job.run, options, capsys, asked, as_json=as_json)


def test_the_whole_task(capsys, tmp_path):
    explained = load_corpus(None).test[1].name
    code, found, complaints = run(capsys, "--limit", "6", "--out", str(tmp_path), "--explain", explained)
    assert (code, complaints) == (exit_codes.PROVED, "")
    assert (found["corpus"], found["test_sections"], found["left_out"]) == ("embedded sections", 6, {})
    rows = {entry["decoder"]: entry for entry in found["table1"]}
    assert list(rows) == ROWS
    assert {entry["titles"] for entry in rows.values()} == {6}
    assert rows["exact"]["proved"] == rows["exact"]["optimal"] == rows["exact, solve_many"]["optimal"] == 1.0
    assert rows["colour coding (paper)"]["optimal"] == rows["colour coding, bounds"]["optimal"] == 1.0
    assert (found["verified"]["exact"], found["verified"]["beam 1"]) == (6, 0)
    assert rows["exact"]["rouge1"] == rows["exact, solve_many"]["rouge1"]
    assert rows["exact"]["rouge1"] >= rows["exact"]["rougeL"] > 0
    assert rows["beam 1"]["proved"] == 0.0
    assert 0 < rows["exact"]["median"] <= rows["exact"]["worst"]
    assert rows["exact, solve_many"]["median"] is None
    assert len(found["titles"]) == 6
    assert found["explained"]["section"] == explained
    assert sum(edge["score"] for edge in found["explained"]["edges"]) == pytest.approx(found["explained"]["value"])
    assert found["figure2"]["titles"] == 6
    assert found["figure2"]["found"][-1] == 1.0
    assert found["wrong"] == []
    assert json.loads((tmp_path / "summary.json").read_text()) == found
    for name in ("figure2.svg", "graph.svg"):
        assert ET.parse(tmp_path / name).getroot().tag.endswith("svg")
    records = list(read_values(tmp_path / "exact.jsonl.gz"))
    assert [record.name for record in records] == [entry["section"] for entry in found["titles"]]
    assert all(record.result.proved and record.verify() for record in records)
    assert (tmp_path / "color-coding.jsonl.gz").exists()
    assert not (tmp_path / "beam.jsonl.gz").exists()
    assert main(["verify", str(tmp_path)]) == exit_codes.PROVED


@pytest.mark.usefixtures("trained")
def test_people_see_table_figure_and_titles(capsys):
    code, printed, _ = run(capsys, "--limit", "4", as_json=False)
    assert code == exit_codes.PROVED
    assert "Table 1: decoders compared (CPU time; on the right the paper's" in printed
    assert "Figure 2: titles whose optimum is found, against colourings" in printed
    assert "Titles by exact" in printed
    assert "Watering the Garden" in printed


def test_the_paper_s_colourings_find_each_optimum_at_a_time_that_the_seed_fixes(model):
    graphs = prepare(model, load_corpus(None).test, QUIET).graphs
    optima = proved_optima([decode(decoders(["exact"])[0], graphs, QUIET)], len(graphs))
    optima[0] = np.nan  # passed over
    found, again, other = (converge(graphs, optima, QUIET, seed=seed)[0] for seed in (0, 0, 1))
    assert found.found.tolist() == again.found.tolist() != other.found.tolist()
    assert found.found.size == len(graphs) - 1
    assert (found.found > 0).all()
    for graph, success in zip(graphs[1:], found.success.tolist(), strict=True):
        k = graph.problem.length  # of the numbers of colours r, k costs least: 2^r / p
        assert success == pytest.approx(math.factorial(k) / k**k)


@pytest.mark.long
@pytest.mark.usefixtures("trained")
def test_integer_programs_are_asked_for_and_get_some_titles(capsys):
    asked = ["--limit", "5", "--method", "exact", "--ilp-seconds", "1", "--ilp-titles", "1"]
    code, found, _ = run(capsys, *asked)
    assert code == exit_codes.PROVED
    rows = {entry["decoder"]: entry for entry in found["table1"]}
    assert [rows[name]["titles"] for name in ("exact", "ilp-cuts", "ilp")] == [5, 1, 1]
    assert rows["ilp-cuts"]["optimal"] == 1.0
    assert "figure2" not in found


@pytest.mark.usefixtures("trained")
def test_without_the_exact_decoder_nothing_is_called_optimal(capsys):
    code, found, _ = run(capsys, "--limit", "3", "--method", "beam")
    assert code == exit_codes.STOPPED_EARLY
    assert {entry["optimal"] for entry in found["table1"]} == {None}


@pytest.mark.usefixtures("trained")
def test_a_title_longer_than_its_body_is_reported(capsys, monkeypatch):
    corpus = load_corpus(None)
    short = Section("short", tuple("abcdefgh"), (("Bread", "is", "bread", "."),))
    monkeypatch.setattr(job, "load_corpus", lambda *_, **__: attrs.evolve(corpus, test=(short, *corpus.test)))
    code, found, _ = run(capsys, "--limit", "3", "--method", "exact")
    assert code == exit_codes.PROVED
    assert found["left_out"] == {"short": "its title has 7 content words, its body only 2 stems"}
    assert found["table1"][0]["titles"] == 2
    with pytest.raises(gl.InvalidProblem, match="no test section has a graph: its title has 7"):
        run(capsys, "--limit", "1", "--method", "exact")


def test_bad_requests_are_refused_before_training(capsys, monkeypatch):
    monkeypatch.setattr(job, "train_model", lambda _: pytest.fail("trained"))
    with pytest.raises(gl.InvalidProblem, match="--explain nowhere: no such test section"):
        run(capsys, "--explain", "nowhere")
    with pytest.raises(gl.UnknownName, match="exakt"):
        run(capsys, "--method", "exakt")


@pytest.mark.usefixtures("trained")
def test_ctrl_c_leaves_what_is_finished(capsys, monkeypatch):
    measuring._warm.cache_clear()
    solve, calls = gl.solve, []

    def pressed(problem, *arguments, **keywords):
        calls.append(id(problem))
        if len(set(calls)) == 4:  # one warms up, two are finished
            raise KeyboardInterrupt
        return solve(problem, *arguments, **keywords)

    monkeypatch.setattr(measuring.gl, "solve", pressed)
    code, found, complaints = run(capsys, "--limit", "5", "--method", "exact")
    assert code == exit_codes.INTERRUPTED
    assert complaints == "interrupted: the tables show the finished part\n"
    assert found["verified"] == {"exact": 2}
    assert [(entry["decoder"], entry["titles"]) for entry in found["table1"]] == [("exact", 2)]


@pytest.mark.usefixtures("trained")
def test_ctrl_c_while_certificates_are_verified_loses_no_row(capsys, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(gl.Result, "verify", pressed)
    code, found, _ = run(capsys, "--limit", "2", "--method", "exact")
    assert code == exit_codes.INTERRUPTED
    assert [(entry["decoder"], entry["titles"]) for entry in found["table1"]] == [("exact", 2)]


@pytest.mark.usefixtures("trained")
def test_a_decoder_that_fails_is_reported(capsys, monkeypatch):
    solve = gl.solve

    def fail(problem, *arguments, **keywords):
        if problem.names:
            raise gl.SolveError("planted")
        return solve(problem, *arguments, **keywords)

    monkeypatch.setattr(measuring.gl, "solve", fail)
    code, found, complaints = run(capsys, "--limit", "2", "--method", "beam")
    assert code == exit_codes.FAILED
    assert found["wrong"][0] == "beam 1: 2 titles failed"
    assert "planted" in complaints
    assert found["table1"][0]["rouge1"] is None


@pytest.mark.usefixtures("trained")
def test_a_refused_certificate_is_reported(capsys, monkeypatch):
    monkeypatch.setattr(gl.Result, "verify", lambda *_: gl.Verdict(False, "planted", "certificate"))
    code, found, _ = run(capsys, "--limit", "1", "--method", "exact")
    assert code == exit_codes.FAILED
    assert found["wrong"][0].endswith("certificate: planted")


def two_graphs():
    problems = [OrderingProblem([0.0, 1.0], [[0, 1], [2, 0]], [0.0, 0.0], 2, names=["a", "b"])] * 2
    return [TitleGraph(Section(f"s{i}", ("B", "a"), (("b",),)), one, np.zeros(2)) for i, one in enumerate(problems)]


def claimed(name, problem, path, bound):
    stop = gl.Stop.PROVED if np.isfinite(bound) else gl.Stop.NODES
    result = gl.Result.of(problem, [np.array(path)], bound, stop)
    return Decoded(Decoder(name, name), {0: result}, {0: 0.1}, 0, interrupted=False)


def test_values_above_a_proved_optimum_contradict_it():
    graphs = two_graphs()
    problem = graphs[0].problem
    worse, better = claimed("worse", problem, [0, 1], 1.0), claimed("better", problem, [1, 0], np.inf)
    optima = proved_optima([worse, better], 2)
    assert optima[0] == 1.0
    assert np.isnan(optima[1])
    assert contradictions([worse], optima, graphs) == []
    (message,) = contradictions([worse, better], optima, graphs)
    assert message == "s0: better found 3.0, the proved optimum is 1.0"
    right = claimed("right", problem, [1, 0], 3.0)
    (message,) = contradictions([worse, right], proved_optima([right, worse], 2), graphs)
    assert message == "s0: worse proved 1.0, the proved optimum is 3.0"
    assert better.optimal(np.array([3.0, np.nan])) == (1, 1)
    assert worse.optimal(np.array([3.0, np.nan])) == (0, 1)


def test_table_1_counts_what_was_reached():
    graphs = two_graphs()
    (entry,) = table_1([claimed("one", graphs[0].problem, [1, 0], 3.0)], graphs, np.full(2, 3.0), QUIET, "CPU time")
    assert (entry["titles"], entry["mean"], entry["optimal"], entry["proved"]) == (1, 0.1, 1.0, 1.0)
    assert entry["rouge1"] == entry["rougeL"] == 1.0


def test_processes_find_the_same_titles():
    pytest.importorskip("joblib", reason="--jobs needs joblib: pip install 'gapless[distributed]'")
    graphs = two_graphs()
    here, elsewhere = (decode(decoders(["exact"])[0], graphs, QUIET, jobs=jobs) for jobs in (1, 2))
    assert [one.value for one in here.results.values()] == [one.value for one in elsewhere.results.values()]
    assert all(seconds > 0 for seconds in elsewhere.seconds.values())
    assert all(result.verify(graphs[i].problem) for i, result in elsewhere.results.items())


def test_short_decodings_are_timed_several_times(monkeypatch):
    measuring._warm.cache_clear()
    calls = []
    solve = gl.solve
    monkeypatch.setattr(measuring.gl, "solve", lambda *a, **k: calls.append(1) or solve(*a, **k))
    graphs = two_graphs()
    beam = decoders(["beam"])[0]
    found = decode(beam, graphs, QUIET, numbers=[1])
    assert list(found.results) == list(found.seconds) == [1]
    assert len(calls) == 1 + measuring.PASSES


def test_rouge_compares_words_without_clitics_and_punctuation():
    assert tables.scored_words(["Newton", "'s", "Method", ":", "O(n)"]) == ["newton", "method", "o(n)"]
    pairs = [(("Newton", "'s", "Methods"), ("newton", "method")), (("Trees",), ("heaps",))]
    assert tables.rouge(pairs) == {"rouge1": 0.5, "rougeL": 0.5}
    assert tables.rouge([(("a", "b"), ("b", "a"))]) == {"rouge1": 1.0, "rougeL": 0.5}
    assert tables.rouge([]) is None
