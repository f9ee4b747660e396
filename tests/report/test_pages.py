"""Reports: their content, the escaping of their input, and the refusal of bad input."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import re
from html.parser import HTMLParser
from typing import Any

import attrs
import pytest

import gapless as gl
from gapless.cli import exit_codes, main
from gapless.limits.events import Event
from gapless.plugins.manager import load_plugins
from gapless.report import report_of, write_report
from gapless.report.charts import bounds_over_time, work_over_rounds
from gapless.report.page import json_data, number
from gapless.report.search_tree import search_tree
from gapless.results.record import read_values
from gapless.roles import NoCertificate, Stats, TreeCertificate
from gapless.sense import Sense
from gapless.svg import tree_places
from gapless_chains import ChainProblem

pytest.importorskip("jinja2", reason="reports need jinja2")

EVIL = "<script>alert(1)</script>"


class Elements(HTMLParser):
    """The elements of a page, and the scripts and texts in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[tuple[str | None, str]] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.policy = self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = dict(attrs)["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)


def answers(page):
    """The list of a page: name, status, value, gap, seconds, nodes, check, anchor of each answer."""
    (text,) = (text for kind, text in Elements(page).scripts if kind and '"rows"' in text)
    data = json.loads(text)
    strings = data["strings"]
    return [
        [strings[cell] if place in (1, 6) else cell for place, cell in enumerate(row[:8])] for row in data["rows"]
    ]


@pytest.mark.parametrize("name", ["chain", "tree", "parsing", "ordering", "linking", "selection"])
def test_a_page_runs_and_loads_nothing_but_itself(records, name):
    elements = Elements(report_of(records[name]))
    programs = [text for kind, text in elements.scripts if kind is None]
    assert len(programs) == 1
    digest = base64.b64encode(hashlib.sha256(programs[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in elements.policy
    assert elements.policy.startswith("default-src 'none'")
    assert "http" not in elements.policy
    for key, value in elements.attributes:
        assert not key.startswith("on")
        assert key not in ("src", "href", "srcset", "action") or (value or "").startswith(("data:", "#"))
    for kind, text in elements.scripts:
        if kind is not None:
            json.loads(text)


def test_the_verdict_and_the_numbers(records):
    page = report_of(records["parsing"])
    assert "Optimal: proved, with certificate" in page
    assert "The certificate holds, checked now" in page
    assert number(records["parsing"].result.value) in page
    assert "not checked" in report_of(records["parsing"], verify=False)
    worse = attrs.evolve(records["chain"].result, bound=records["chain"].result.bound - 0.0)
    lied = [gl.Solution(s.structure, s.value + 0.5) for s in worse.solutions]
    page = report_of(gl.Record(records["chain"].problem, attrs.evolve(worse, solutions=lied, bound=lied[0].value)))
    assert 'class="verdict bad"' in page
    assert "The check fails at solutions[0]" in page


def test_alternatives_say_what_differs(records):
    record = records["ordering"]
    page = report_of(record)
    first, second = (set(record.problem.encode(s.structure).tolist()) for s in record.result.solutions[:2])
    shown = page[page.index("<strong>2.</strong>") : page.index("<strong>3.</strong>")]
    for css, ids in (("gained", second - first), ("lost", first - second)):
        listed = re.findall(rf'<li class="{css}">.*?</span>(.*?)</li>', shown)
        assert len(listed) == len(ids) > 0


def test_a_problem_that_nobody_draws_is_told_in_words(records):
    record = records["selection"]
    page = report_of(record)
    for item in record.result.best:
        assert f"<li>item {item}</li>" in page


def test_a_drawing_that_fails_costs_no_report(records, monkeypatch):
    class Broken:
        def __init__(self, drawn: Any) -> None:
            self.drawn = drawn

        def gapless_draw(self, **_: Any) -> Any:
            if isinstance(self.drawn, Exception):
                raise self.drawn
            return self.drawn

    for drawn, words in ((KeyError("x"), "KeyError"), ("<svg>", "ParseError"), ("<p/>", "expected one")):
        monkeypatch.setattr("gapless.report.structures.load_plugins", lambda d=drawn: _Hooked(Broken(d)))
        assert words in report_of(records["tree"])


@attrs.frozen
class _Hooked:
    hook: Any


def test_the_tree_of_a_certificate(records):
    record = records["parsing"]
    nodes = search_tree(record, ())
    certificate = record.result.certificate
    assert isinstance(certificate, TreeCertificate)
    assert [node.parent for node in nodes] == list(certificate.parents)
    assert len(nodes) > 3
    value = record.result.value
    for node in nodes[1:]:
        assert "arc" in node.decision
        assert node.bound is not None
        inner = any(other.parent == node.number for other in nodes)
        assert node.outcome in (("branched",) if inner else ("closed", "infeasible"))
        assert inner or node.bound <= value + 1e-9
    root = nodes[0].bound
    assert root is not None
    assert root >= value - 1e-9


def test_the_tree_of_events_is_the_tree_of_the_certificate(records):
    """As for a search inside SCIP, which keeps no certificate."""
    record = records["selection"]
    proved = search_tree(record, record.result.trace)
    bare = attrs.evolve(record, result=attrs.evolve(record.result, certificate=NoCertificate()))
    told = search_tree(bare, record.result.trace)
    assert len(told) > 3
    # A child that contradicts its parent is in the certificate, but was never a node.
    said = {(node.decision, node.outcome == "branched") for node in proved}
    assert {(node.decision, node.outcome == "branched") for node in told} <= said
    assert sum(node.outcome == "branched" for node in told) == sum(n.outcome == "branched" for n in proved)


def test_bounds_over_time_are_those_of_the_whole_search():
    trace = [
        Event("round", 0.1, 9.0, -float("inf")),
        Event("node", 0.2, 8.0, 5.0),
        Event("branch", 0.2, 8.0, 5.0),
        Event("round", 0.3, 5.5, 5.0),  # of one node: others are open
        Event("node", 0.4, 7.0, 6.0),
    ]
    for sense in Sense:
        sign = sense.sign
        solutions = [gl.Solution(None, sign * 6.5)]
        result = gl.Result(gl.Status.FEASIBLE, gl.Stop.TIME, solutions, sign * 6.75, sense=sense)
        chart = bounds_over_time(trace, result)
        assert chart is not None
        bound, value = chart.lines
        assert [sign * y for *_, y in bound.points] == [9.0, 8.0, 8.0, 7.0, 6.75]
        assert [sign * y for *_, y in value.points] == [5.0, 5.0, 5.0, 6.0, 6.5]
        assert bounds_over_time([], result) is None
        assert bounds_over_time([Event("stop", 0.1, 9.0, 6.0)], result) is None


def test_columns_and_rows_over_rounds():
    rounds = [Event("round", 0.1 * i, 9.0, 0.0, {"columns_found": i, "rows_found": 1}) for i in range(1, 4)]
    chart = work_over_rounds(rounds)
    assert chart is not None
    assert [line.name for line in chart.lines] == ["columns found", "rows found"]
    assert [y for *_, y in chart.lines[0].points] == [1, 3, 6]
    assert work_over_rounds(rounds[:1]) is None


def test_places_of_a_tree():
    middles, depths = tree_places([-1, 0, 0, 1, 1, -1], [10.0] * 6)
    assert depths == [0, 1, 1, 2, 2, 0]
    assert middles[3] < middles[1] < middles[4] < middles[2] < middles[5]
    assert middles[0] == (middles[1] + middles[2]) / 2


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1234567, "1,234,567"),
        (-0.5, "−0.5"),
        (1e-9, "1e−9"),
        (1614877.0, "1,614,877"),
        (2209.859375, "2,209.86"),
        (-1234, "−1,234"),
        (float("inf"), "∞"),
        (True, "True"),
        ("a", "a"),
    ],
)
def test_numbers_for_people(value, said):
    assert number(value) == said


def test_json_in_a_page_ends_no_element():
    text = json_data(["</script><!--", "\u2028&"])
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == ["</script><!--", "\u2028&"]


def test_a_run_shows_tables_figures_and_every_answer(run_folder, tmp_path):
    page_file = tmp_path / "run.html"
    write_report(run_folder, page_file, details=2)
    page = page_file.read_text("utf-8")
    elements = Elements(page)
    assert [text for kind, text in elements.scripts if kind is None]
    assert EVIL not in page
    assert "93.25" in page
    listed = answers(page)
    assert [row[0] for row in listed][:2] == ["chain", "tree"]
    assert all(row[6] == "holds" for row in listed[:6])
    assert listed[6][1] == "feasible"
    assert listed[6][7]  # the least sure one is shown whole
    assert page.count('<details class="answer"') in (2, 3)
    assert "6 of 7 answers are proved" in page


def test_a_run_of_two_methods_links_each_answer_to_its_own_row(records, tmp_path):
    """A batch has no seconds of its own: those that the run measured say which answer was the most laborious."""
    folder = tmp_path / "run"
    folder.mkdir()
    plain = attrs.evolve(records["chain"], result=gl.solve(records["chain"].problem), name="sentence 0")
    plain = attrs.evolve(plain, result=attrs.evolve(plain.result, stats=Stats()))
    for method, seconds in (("fast", 0.125), ("slow", 0.5)):
        (folder / f"{method}.jsonl").write_text(
            gl.dumps(attrs.evolve(plain, measurements={"seconds": seconds})) + "\n"
        )
    (folder / "tables.json").write_text('{"tables": []}', "utf-8")
    write_report(folder, tmp_path / "run.html", details=1)
    page = (tmp_path / "run.html").read_text("utf-8")
    listed = answers(page)
    assert [(row[0], row[4], bool(row[7])) for row in listed] == [
        ("sentence 0 · fast", 0.125, False),
        ("sentence 0 · slow", 0.5, True),
    ]
    assert re.search(r'<details class="answer"[^>]*>\s*<summary>.*?sentence 0 · slow', page, re.DOTALL)


def test_a_record_that_somebody_changed_fails_and_the_others_are_shown(run_folder, tmp_path):
    lines = (run_folder / "exact.jsonl").read_text("utf-8").splitlines()
    lines[1] = lines[1].replace('"value": "optimal"', '"value": "infeasible"')
    source, out = tmp_path / "changed.jsonl", tmp_path / "report.html"
    source.write_text("\n".join(lines), "utf-8")
    write_report(source, out)
    page = out.read_text("utf-8")
    assert "1 check fails" in page
    assert "contradicts itself" in page
    assert "5 of 7 answers are proved" in page


def test_a_bare_result_needs_its_problem(records, tmp_path):
    record = records["tree"]
    stored, problem, out = tmp_path / "result.json", tmp_path / "problem.json", tmp_path / "report.html"
    stored.write_text(record.result.to_json(), "utf-8")
    problem.write_text(gl.dumps(record.problem), "utf-8")
    with pytest.raises(gl.InvalidProblem, match="--problem"):
        write_report(stored, out)
    assert main(["report", str(stored), "--problem", str(problem), "-o", str(out)]) == exit_codes.PROVED
    assert "Optimal: proved, with certificate" in out.read_text("utf-8")


def test_solving_again_for_the_events(records, tmp_path):
    record = attrs.evolve(records["chain"], result=attrs.evolve(records["chain"].result, trace=()))
    stored, out = tmp_path / "record.json", tmp_path / "report.html"
    record.save(stored)
    assert main(["report", str(stored), "-o", str(out)]) == exit_codes.PROVED
    assert "This record has no events" in out.read_text("utf-8")
    assert (
        main(["report", str(stored), "-o", str(out), "--solve-again", "--option", "prune=False"])
        == exit_codes.PROVED
    )
    page = out.read_text("utf-8")
    assert "a second solve for this report: method column-generation, prune=False" in page


TWO_SOLVES = "The events come from a second solve for this report"


def test_again_draws_how_embedded_sentences_were_proved(tmp_path, capsys):
    """Their proofs are found at the root: what is to be seen are its steps."""
    pytest.importorskip("conllu")
    out, page = tmp_path / "out", tmp_path / "run.html"
    few = ["--sentences", "12", "--epochs", "1"]
    asked = ["run", "dependency-parsing", *few, "--out", str(out), "--report", str(page)]
    assert main(asked) == exit_codes.PROVED
    without = page.read_text("utf-8")
    assert "make the report with --solve-again" in without
    assert "Bound and best value" not in without
    assert main([*asked, "--solve-again"]) == exit_codes.PROVED
    drawn = page.read_text("utf-8")
    assert drawn.count(TWO_SOLVES) == 5
    assert drawn.count("<figcaption>Bound and best value, step by step") >= 3
    assert main(["report", str(out), "-o", str(page), "--solve-again"]) == exit_codes.PROVED
    assert page.read_text("utf-8").count(TWO_SOLVES) == 5
    capsys.readouterr()
    assert main([*asked[:-2], "--solve-again"]) == exit_codes.USAGE
    assert "--solve-again is for the page of --report" in capsys.readouterr().err


def test_an_answer_that_nothing_can_be_drawn_of_says_so():
    problem = ChainProblem([[1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
    page = report_of(gl.Record(problem, gl.solve(problem)), again={})
    assert TWO_SOLVES in page
    assert "reported no event between its start and its end: there is nothing to draw." in page
    assert 'class="plot"' not in page


def test_a_trace_is_stored_when_asked_for(records, tmp_path):
    problem, out = tmp_path / "problem.json", tmp_path / "record.json"
    problem.write_text(gl.dumps(records["chain"].problem), "utf-8")
    asked = ["solve", str(problem), "--method", "column-generation", "--out", str(out)]
    for more, kept in (([], False), (["--trace"], True)):
        assert main([*asked, *more]) == exit_codes.PROVED
        assert bool(next(read_values(out)).result.trace) == kept
    assert main(["solve", str(problem), "--trace"]) == exit_codes.USAGE


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.json", None, "no such file"),
        ("torn.json", '{"type": "gapless.Rec', "not valid JSON"),
        ("number.json", "3", "holds a int"),
        ("empty.jsonl", "", "holds no record"),
        ("torn.jsonl", "{", "torn.jsonl"),
    ],
)
def test_bad_sources(name, content, words, tmp_path, capsys):
    source, out = tmp_path / name, tmp_path / "report.html"
    if content is not None:
        source.write_text(content, "utf-8")
    assert main(["report", str(source), "-o", str(out)]) == exit_codes.USAGE
    assert words in capsys.readouterr().err
    assert not out.exists()


def test_a_folder_without_a_run_or_with_torn_tables(tmp_path, capsys):
    out = tmp_path / "report.html"
    folder = tmp_path / "run"
    folder.mkdir()
    assert main(["report", str(folder), "-o", str(out)]) == exit_codes.USAGE
    assert "no .jsonl" in capsys.readouterr().err
    (folder / "tables.json").write_text('{"tables": [{}]}', "utf-8")
    assert main(["report", str(folder), "-o", str(out)]) == exit_codes.USAGE
    assert "tables.json" in capsys.readouterr().err
    (folder / "tables.json").write_text('{"tables": []}', "utf-8")
    assert main(["report", str(folder), "-o", str(tmp_path / "no" / "where.html")]) == exit_codes.USAGE
    assert "there is no folder" in capsys.readouterr().err


def test_without_jinja2(records, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(gl.MissingDependency, match=r"gapless\[report\]"):
        report_of(records["tree"])


def test_every_task_has_a_report(tmp_path, capsys):
    out = tmp_path / "run.html"
    asked = ["run", "pos-tagging", "--sentences", "2", "--method", "viterbi", "--report", str(out)]
    assert main(asked) == exit_codes.PROVED
    page = out.read_text("utf-8")
    assert "Report on a run" in page
    assert "Exact decoding" in page
    assert main([*asked[:-1], str(tmp_path / "no" / "where.html")]) == exit_codes.USAGE
    assert "there is no folder" in capsys.readouterr().err


def test_the_plug_ins_draw_and_mark_what_differs(records):
    hook = load_plugins().hook
    for name in ("chain", "ordering", "linking"):
        record = records[name]
        best, second = (s.structure for s in record.result.solutions[:2])
        asked = {"problem": record.problem, "words": record.words}
        plain = hook.gapless_draw(structure=second, against=None, **asked)
        marked = hook.gapless_draw(structure=second, against=best, **asked)
        assert "#b3261e" not in plain
        assert "#b3261e" in marked
        assert EVIL not in plain


@pytest.mark.parametrize(
    "table", [5, {}, {"title": "a", "columns": 3, "rows": []}, {"title": "a", "columns": [], "rows": [1]}]
)
def test_tables_that_are_none_are_named(tmp_path, table):
    (tmp_path / "tables.json").write_text(json.dumps({"task": "x", "tables": [table]}))
    with pytest.raises(gl.InvalidProblem, match=r"tables\.json: a table has no title, columns or rows"):
        write_report(tmp_path, tmp_path / "page.html")


def test_half_a_character_does_not_end_a_page():
    """JSON may hold one: ``"\\ud800"``."""
    problem = ChainProblem([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]])
    page = report_of(gl.Record(problem, gl.solve(problem), "a\ud800b", ["\udfff", EVIL]))
    assert "a\\ud800b" in page
    assert EVIL not in page
    assert page.encode()


def test_a_proof_that_cannot_be_shown_is_told_from_one_that_can(tmp_path):
    problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    shown = gl.solve(problem)
    bare = attrs.evolve(shown, certificate=NoCertificate("the record outgrew its memory"))
    page = report_of(gl.Record(problem, bare))
    assert "Optimal: proved, no certificate" in page
    assert "only the claim of the method: proved, no certificate: the record outgrew its memory" in page
    assert "Feasibility and values hold, checked now." in page
    assert 'class="verdict fair"' in page
    assert "only the claim of the method" in report_of(gl.Record(problem, bare), verify=False)
    source, out = tmp_path / "records.jsonl", tmp_path / "report.html"
    source.write_text("".join(gl.dumps(gl.Record(problem, one)) + "\n" for one in (shown, bare)), "utf-8")
    write_report(source, out)
    page = out.read_text("utf-8")
    assert "2 of 2 answers are proved, 1 of them without a certificate" in page
    assert "1 certificate holds, checked now." in page
    assert "check fails" not in page
    listed = answers(page)
    assert [row[6] for row in listed] == ["holds", "proved, no certificate: the record outgrew its memory"]
