"""The task from documents to tables, on the embedded documents."""

import gzip
import json
import os
import xml.etree.ElementTree as ET

import attrs
import numpy as np
import pytest
from jobs import run_job

import gapless as gl
from gapless.cli import Console, exit_codes, main
from gapless.results.record import read_values
from gapless_linking import LinkingProblem
from gapless_linking.shortest_paths import shortest_paths
from gapless_models.linking.corpora import load_corpora, load_demo
from gapless_models.linking.document import Document
from gapless_tasks.linking import job, measuring, options
from gapless_tasks.linking.job import contradictions
from gapless_tasks.linking.measuring import METHODS, Linked, Measured, measure
from gapless_tasks.linking.prior_report import Scored, alone, best_weight, prior_scores, usable, with_prior
from gapless_tasks.linking.tables import Average, table_1

QUIET = Console(as_json=True)
BOTH = ["maximal", "minimal"]


def run(capsys, *asked, as_json=True):
    return run_job(job.run, options, capsys, asked, as_json=as_json)


def test_the_whole_task(capsys, tmp_path):
    code, found, complaints = run(capsys, "--out", str(tmp_path), "--explain", "jaguar-and-jungle")
    assert (code, complaints) == (exit_codes.PROVED, "")
    (entry,) = found["corpora"]
    rows = {row["method"]: row for row in entry["table1"]}
    assert list(rows) == [*METHODS, "ground truth"]
    for row in rows.values():
        assert all(row["ratio"][name]["mean"] >= 100.0 for name in BOTH)
        assert all(row["ratio"][name]["count"] == 20 for name in BOTH)
    for name in BOTH:
        assert rows["exact"]["ratio"][name] == {"mean": 100.0, "error": 0.0, "count": 20}
        assert rows["exact"]["value"][name]["mean"] > 0.9
        assert rows["exact"]["value"][name]["mean"] > rows["degree"]["value"][name]["mean"] + 0.2
        assert 0.0 < entry["jaccard"][name]["mean"] < 1.0
    assert entry["directed"]["degree"]["counted"] == 1.0
    assert 0.0 < entry["directed"]["pagerank"]["mean"] < rows["exact"]["value"]["maximal"]["mean"]
    assert [(row["connection"], row["proved"]) for row in found["proofs"]] == [(name, 1.0) for name in BOTH]
    assert found["wrong"] == []
    assert json.loads((tmp_path / "summary.json").read_text()) == found
    for name in ("neighbourhood.svg", "prior.svg"):
        assert ET.parse(tmp_path / name).getroot().tag.endswith("svg")
    for name in BOTH:
        records = list(read_values(tmp_path / f"embedded-documents.{name}.jsonl.gz"))
        assert [record.name for record in records] == [one.name for one in load_demo().documents]
        assert all(record.problem.graph is None and record.result.proved and record.verify() for record in records)
    explained(entry["explained"], (tmp_path / "neighbourhood.svg").read_text())
    prior(entry["prior"])


def explained(found, drawing):
    assert [(told["mention"], told["chosen"], told["right"]) for told in found["mentions"]] == [
        ("jaguar", "Jaguar (cat)", True),
        ("jungle", "Jungle (forest)", True),
        ("Amazon", "Amazon rainforest", True),
        ("puma", "Puma (cat)", True),
    ]
    assert all(told["more"] > 0 for told in found["mentions"])
    assert sum(pair["cost"] for pair in found["pairs"]) == found["cost"]
    assert {"first": "jaguar", "second": "jungle", "cost": 2.0, "path": "Jaguar (cat) - Jungle (forest)"} in found[
        "pairs"
    ]
    assert found["verified"]
    assert "Jaguar (car maker)" in drawing


def prior(found):
    assert [row["method"] for row in found["held_out"]][:3] == ["exact", "exact with degree", "degree alone"]
    assert len(found["curves"]) == 4
    for curve in found["curves"]:
        values = [point["value"]["mean"] for point in curve["points"]]
        assert values[-1] < values[0]  # in the embedded documents well-known concepts mislead
        assert all(point["proved"] == 1.0 for point in curve["points"])
    assert all(row["value"]["maximal"]["value"]["count"] == 13 for row in found["held_out"])


def test_a_report_shows_what_each_mention_is_linked_to(tmp_path):
    pytest.importorskip("jinja2")
    asked = ["run", "entity-linking", "--limit", "3", "--method", "exact", "--no-prior", "--out", str(tmp_path)]
    page = tmp_path / "page.html"
    assert main([*asked, "--report", str(page)]) == exit_codes.PROVED
    (record, *_) = read_values(tmp_path / "embedded-documents.maximal.jsonl.gz")
    on = record.problem.encode(record.result.best)
    assert [record.problem.decisions.name(d) for d in on] == [
        "jaguar = Jaguar (cat)",
        "jungle = Jungle (forest)",
        "Amazon = Amazon rainforest",
        "puma = Puma (cat)",
    ]
    shown = page.read_text()
    assert "<li>jaguar = Jaguar (cat)</li>" in shown
    assert ">Jaguar (car maker)</text>" in shown  # a candidate that was not chosen
    assert ">“jaguar”</text>" in shown
    assert "vertex" not in shown
    assert main(["report", str(tmp_path), "-o", str(page)]) == exit_codes.PROVED
    assert "<li>jaguar = Jaguar (cat)</li>" in page.read_text()


def test_a_run_that_kept_no_titles_goes_on(capsys, tmp_path):
    """Records of gapless 0.1: their problems have no names, and the run is the same one."""
    asked = ["--method", "exact", "--no-prior", "--connection", "maximal", "--out", str(tmp_path)]
    run(capsys, "--limit", "2", *asked)
    log = tmp_path / "embedded-documents.maximal.jsonl.gz"
    before = [json.loads(line) for line in gzip.decompress(log.read_bytes()).splitlines()]
    for document in before:
        assert document["problem"].pop("names")
    log.write_bytes(b"".join(gzip.compress(json.dumps(one).encode() + b"\n", mtime=0) for one in before))
    known = gzip.decompress(log.read_bytes())
    code, found, complaints = run(capsys, "--limit", "3", *asked)
    assert (code, complaints, found["wrong"]) == (exit_codes.PROVED, "", [])
    assert gzip.decompress(log.read_bytes()).startswith(known)
    records = list(read_values(log))
    assert [record.problem.has_names for record in records] == [False, False, True]
    assert all(record.verify() for record in records)


def test_people_see_tables_beside_the_paper_s(capsys):
    asked = ["--limit", "3", "--explain", "surf-band", "--connection", "plain", "--connection", "minimal"]
    code, printed, _ = run(capsys, *asked, as_json=False)
    assert code == exit_codes.PROVED
    assert "Table 1, embedded documents: distance-cost ratio to the proved optimum" in printed
    assert "exact (proved optimum)" in printed
    assert "(paper: 0.327 ±0.020)" in printed
    assert "The band bought a jaguar and a mustang from Fender" in printed
    assert "Value with the chosen weight on the other documents" in printed
    (spanning_tree,) = [line for line in printed.splitlines() if line.startswith("spanning-tree")]
    assert spanning_tree.split()[1] == "-"  # stands on connected sets


def test_bad_requests_are_refused(capsys):
    with pytest.raises(gl.InvalidProblem, match="--explain nowhere: no such document; the first is jaguar"):
        run(capsys, "--explain", "nowhere")
    with pytest.raises(gl.UnknownName, match="exakt"):
        run(capsys, "--method", "exakt")


def test_ctrl_c_leaves_what_is_finished(capsys, monkeypatch):
    solve, calls = gl.solve, []

    def pressed(problem, *arguments, **keywords):
        calls.append(problem)
        if len(calls) == 6:  # one warms up; each document is solved once, and its right answers
            raise KeyboardInterrupt
        return solve(problem, *arguments, **keywords)

    monkeypatch.setattr(measuring.gl, "solve", pressed)
    code, found, complaints = run(capsys, "--method", "exact")
    assert code == exit_codes.INTERRUPTED
    assert complaints == "interrupted: the tables show the finished part\n"
    assert found["corpora"][0]["table1"][0]["ratio"]["maximal"]["count"] == 2
    assert "prior" not in found["corpora"][0]


def test_failures_and_refused_certificates_are_reported(capsys, monkeypatch):
    monkeypatch.setattr(gl.Result, "verify", lambda *_: gl.Verdict(False, "planted", "certificate"))
    code, found, _ = run(capsys, "--limit", "1", "--method", "exact", "--no-prior", "--connection", "maximal")
    assert code == exit_codes.FAILED
    assert found["wrong"] == ["embedded documents, maximal, jaguar-and-jungle: certificate: planted"]
    solve = gl.solve

    def fail(problem, method, **keywords):
        if method == "degree":
            raise gl.SolveError("planted")
        return solve(problem, method, **keywords)

    monkeypatch.setattr(measuring.gl, "solve", fail)
    code, found, complaints = run(capsys, "--limit", "1", "--method", "degree", "--no-prior")
    assert code == exit_codes.FAILED
    assert "jaguar-and-jungle, degree: planted" in complaints


def linked_by(distances, sets, **chosen):
    """A document over given distances, linked by methods that choose and claim what they are told to."""
    problem = LinkingProblem.from_distances(distances, sets)
    results = {
        name: gl.Result.of(problem, [np.array(structure)], -bound, gl.Stop.PROVED if bound > 0 else gl.Stop.NODES)
        for name, (structure, bound) in chosen.items()
    }
    fair = tuple(members[:1] for members in problem.candidates)
    document = Document("d", problem.candidates, fair, ("m",) * problem.k)
    return Linked(document, problem, 0.0, results, dict.fromkeys(results, 0.0), truth=0.0)


def test_costs_below_a_proved_optimum_contradict_it():
    distances = [[0, 3, 1], [3, 0, 2], [1, 2, 0]]
    sets = [[0], [1, 2]]
    one = linked_by(distances, sets, worse=([0, 1], 6.0), better=([0, 2], 0.0))
    measured = Measured(load_demo(), "maximal", [attrs.evolve(one, truth=2.0)], (), False)
    said = contradictions(measured)
    assert said[0].endswith("d: better found 2.0, the proved optimum is 6.0")
    assert said[1].endswith("the right answer costs 2.0, the proved optimum is 6.0")
    right = linked_by(distances, sets, better=([0, 2], 2.0), worse=([0, 1], 0.0))
    assert contradictions(attrs.evolve(measured, linked=[attrs.evolve(right, truth=6.0)])) == []


def test_ratios_where_the_optimum_is_zero():
    same = [[0, 1], [1, 0]]
    sets = [[0], [0, 1]]
    one = linked_by(same, sets, exact=([0, 0], 0.0), greedy=([0, 1], 0.0), degree=([0, 0], 0.0))
    assert one.optimum == 0.0
    assert (one.ratio(0.0), one.ratio(2.0)) == (100.0, None)
    measured = Measured(load_demo(), "maximal", [one], (), False)
    rows = {row["method"]: row for row in table_1([measured], ["exact", "greedy", "degree"], QUIET)}
    assert [rows[name]["ratio"]["maximal"]["count"] for name in ("exact", "greedy", "degree")] == [1, 0, 1]
    assert rows["greedy"]["value"]["maximal"]["mean"] == 0.5


def test_averages_and_weights():
    assert Average.of([1.0, 3.0]) == Average(2.0, 1.0, 2)
    assert Average.of([1.0]).shown(1) == "1.0"
    assert Average.of([]).shown(1) == "-"
    points = [Scored(w, Average(v, 0.0, 1), 1.0) for w, v in ((0.0, 0.4), (0.5, 0.6), (1.0, 0.6), (2.0, 0.5))]
    assert best_weight(points) == 0.5


def test_a_large_weight_chooses_by_the_prior_and_none_by_the_distances():
    demo = load_demo()
    small = attrs.evolve(demo, documents=demo.documents[:3])
    linked = measure(small, "minimal", ["exact"], QUIET).linked
    scores = usable(small, "degree")
    np.testing.assert_array_equal(scores, prior_scores(demo.knowledge, "degree"))
    assert with_prior(linked, scores, 0.0, gl.Limits()).value.mean == np.mean([x.value("exact") for x in linked])
    differing = np.random.default_rng(3).permutation(np.arange(300.0))
    assert with_prior(linked, differing, 1e4, gl.Limits()).value == alone(linked, differing)
    unknown = attrs.evolve(demo.knowledge, in_links=np.full(300, np.nan))
    assert usable(attrs.evolve(small, knowledge=unknown), "in-links") is None


@pytest.mark.parametrize("connection", measuring.CONNECTIONS)
def test_paths_are_as_long_as_the_distances(connection):
    demo = load_demo()
    for document in demo.documents[:4]:
        problem = measuring.connected(document.problem(demo.knowledge.graph), connection)
        chosen = [int(members[0]) for members in problem.candidates]
        at = problem.slots[problem.first[:-1]]
        lengths = problem.lengths(at, at)
        for path in shortest_paths(problem, chosen, range(problem.k)):
            assert (path.vertices[0], path.vertices[-1]) == (chosen[path.first], chosen[path.second])
            assert len(path.vertices) - 1 == lengths[path.first, path.second]
            assert not path.added or connection != "plain"


@pytest.mark.long
@pytest.mark.corpus
def test_real_documents(capsys):
    data = os.environ.get("GAPLESS_DATA")
    if data is None or not os.path.isdir(os.path.join(data, "entity_linking")):
        pytest.skip("GAPLESS_DATA does not name a folder with entity_linking")
    asked = ["--data", data, "--limit", "4", "--corpora", "iitb,semeval2013"]
    code, found, complaints = run(capsys, *asked)
    assert (code, complaints) == (exit_codes.PROVED, "")
    assert [entry["corpus"] for entry in found["corpora"]] == ["iitb", "semeval2013"]
    for entry in found["corpora"]:
        for row in entry["table1"]:
            assert all(row["ratio"][name]["mean"] >= 100.0 for name in BOTH)
    assert found["corpora"][1]["directed"] == {}  # nothing is known about directions there
    names = [one.name for one in load_corpora(data, ["iitb"], QUIET)[0].documents[:4]]
    assert len(set(names)) == 4
