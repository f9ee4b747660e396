"""Several methods that answer the same problems: a problem counts once, and proofs are told by method."""

import json
import re

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.limits.events import Event
from gapless.report import write_report
from gapless.report.charts import bounds_over_time, chart, work_over_rounds
from gapless.report.listing import row_of
from gapless.report.page import fact
from gapless.report.plots import time_against_length
from gapless_chains import ChainProblem

pytest.importorskip("jinja2", reason="reports need jinja2")

LABELS = ("DET", "NOUN", "VERB")
BASELINE = "baseline"


def problem(found):
    return ChainProblem(
        [[2.0 * (label == one) for label in LABELS] for one in found.split()], np.zeros((3, 3)), labels=LABELS
    )


def record(name, found, method=None):
    """Decode two words, whose right labels are DET NOUN; the baseline proves nothing."""
    asked = problem(found)
    result = gl.solve(asked, None if method == BASELINE else method)
    if method == BASELINE:
        result = attrs.evolve(result, status=gl.Status.FEASIBLE, stop=gl.Stop.TIME, bound=result.bound + 1)
    return gl.Record(asked, result, name, ["a", "dog"], gold=["DET", "NOUN"])


def run(folder, found, **methods):
    folder.mkdir()
    for file, method in methods.items():
        lines = [gl.dumps(record(name, labels, method)) for name, labels in found.items()]
        (folder / f"{file}.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def page_of(source, **options):
    out = source.parent / "page.html"
    write_report(source, out, **options)
    return out.read_text("utf-8")


def verdict(page):
    found = re.search(r'<div class="verdict (\w+)">(.*?)</div>', page, re.DOTALL)
    assert found
    return found[1], " ".join(re.sub("<[^>]*>", " ", found[2]).split())


FOUND = {"same": "DET NOUN", "other": "DET VERB"}


def test_a_baseline_that_proves_nothing_leaves_a_run_proved(tmp_path):
    mark, told = verdict(page_of(run(tmp_path / "run", FOUND, exact=None, beam=BASELINE)))
    assert mark == "good"
    assert told.startswith(
        "2 of 2 problems are proved beam proves 0 of 2; exact proves 2 of 2. 4 certificates hold"
    )
    mark, told = verdict(page_of(run(tmp_path / "beams", FOUND, one=BASELINE, two=BASELINE)))
    assert mark == "fair"
    assert told.startswith("0 of 2 problems are proved")


def test_a_name_that_two_files_use_for_different_problems_counts_twice(tmp_path):
    folder = run(tmp_path / "run", FOUND, exact=None)
    lines = [gl.dumps(record(name, "NOUN NOUN", BASELINE)) for name in FOUND]
    (folder / "beam.jsonl").write_text("\n".join(lines), "utf-8")
    mark, told = verdict(page_of(folder))
    assert (mark, told.partition(" are")[0]) == ("fair", "2 of 3 problems")


def test_an_unchecked_proof_is_not_green(tmp_path):
    folder = run(tmp_path / "run", FOUND, exact=None, beam=BASELINE)
    assert verdict(page_of(folder, verify=False))[0] == "fair"


def test_errors_count_an_answer_of_several_methods_once(tmp_path):
    page = page_of(run(tmp_path / "run", FOUND, exact=None, viterbi="viterbi", dominance="dominance"))
    assert "3 of 4 parts are right (75.00 %); 1 of 2 different answers have no error." in page
    frequent = page[page.index("Most frequent errors</caption>") :]
    assert re.findall(r'<td class="number">(\d+)</td>', frequent[: frequent.index("</table>")]) == ["1"]
    files = page[page.index("By file</caption>") :]
    assert re.findall(r"<tr><td>(\w+)</td>", files[: files.index("</table>")]) == ["dominance", "exact", "viterbi"]


def test_two_runs_count_a_problem_of_several_methods_once(tmp_path):
    methods = {"exact": None, "viterbi": "viterbi"}
    first = run(tmp_path / "a", {"x": "DET NOUN", "y": "DET DET", "z": "DET VERB"}, **methods)
    second = run(tmp_path / "b", {"x": "DET NOUN", "y": "DET DET", "z": "DET NOUN"}, **methods)
    page = page_of(first, against=second)
    assert verdict(page)[1].startswith("1 of 3 structures differ Values differ in 0 of them")
    data = re.search(r'id="records">(.*?)</script>', page, re.DOTALL)
    assert data
    rows = json.loads(data[1])["rows"]
    order = [row[0].split(" · ") for row in rows]
    assert order[:2] == [["z", "exact"], ["z", "viterbi"]]  # what differs, and then the others as they came
    assert [name for name, _ in order[2:]] == ["x", "x", "y", "y"]
    facts = page[page.index("Both runs</caption>") :]
    facts = facts[: facts.index("</table>")]
    assert re.findall(r'class="of">(\w+)<', facts) == ["exact", "viterbi"]
    assert re.findall(r"problems</th><td[^>]*>(\d+)<", facts) == ["3"]
    assert re.findall(r"wrong parts</th><td[^>]*>(\d+)</td><td[^>]*>(\d+)<", facts) == [("2", "1")] * 2


# --- plots and charts


def rows(file, sizes, seconds):
    row = attrs.evolve(row_of(record("a", "DET NOUN"), None), file=file)
    return [attrs.evolve(row, size=size, seconds=seconds or size / 1000) for size in sizes]


def test_means_of_batches_are_no_times_of_answers():
    batches = [*rows("viterbi", (5, 8, 12), 1e-5), *rows("dominance", (5, 8, 12), 2e-5)]
    assert time_against_length(batches) is None
    plot = time_against_length([*batches, *rows("exact", (5, 8, 12), None)])
    assert plot is not None
    assert plot.sentence.startswith("Seconds of 3 answers by exact against")
    assert not plot.key


def test_times_are_told_apart_by_file():
    plot = time_against_length([*rows("exact", (5, 8, 12), None), *rows("beam", (5, 8), None)])
    assert plot is not None
    assert plot.key == [("count0", "exact"), ("count1", "beam")]
    assert [style for style, _ in plot.marks] == ["dots count0", "dots count1"]
    many = [row for place in range(4) for row in rows(f"m{place}", (5, 8), None)]
    whole = time_against_length(many)
    assert whole is not None
    assert len(whole.marks) == 1


def test_few_steps_are_drawn_as_whole_steps():
    """They all came in the last thousandth of a second: over time, the chart would be empty."""
    late = [Event("step", 0.5 + 1e-6 * place, 9.0 - place, 4.0) for place in range(4)]
    result = gl.Result(gl.Status.FEASIBLE, gl.Stop.TIME, [gl.Solution(None, 4.0)], 6.0)
    drawn = bounds_over_time(late, result)
    assert drawn is not None
    assert drawn.across == "step"
    assert [label for _, label in drawn.x_ticks] == ["1", "2", "3", "4"]
    bound = drawn.lines[0]
    assert [x for x, *_ in bound.points] == pytest.approx([0, 33.33, 66.67, 100, 100], abs=0.01)
    many = [Event("step", 0.01 * place, 90.0 - place, 4.0) for place in range(1, 60)]
    over_time = bounds_over_time(many, attrs.evolve(result, bound=31.0))
    assert over_time is not None
    assert over_time.across == "seconds"


def test_a_bound_that_never_moves_is_not_drawn():
    flat = [Event("step", 0.1 * place, 9.0, 4.0) for place in range(1, 5)]
    result = gl.Result(gl.Status.FEASIBLE, gl.Stop.TIME, [gl.Solution(None, 4.0)], 9.0)
    assert bounds_over_time(flat, result) is None
    found_late = [Event("step", 0.1, 9.0, -float("inf")), *flat[1:]]
    assert bounds_over_time(found_late, result) is not None


def test_counts_have_whole_ticks():
    rounds = [Event("round", 0.1 * i, 9.0, 0.0, {"columns_found": 1}) for i in range(1, 4)]
    drawn = work_over_rounds(rounds)
    assert drawn is not None
    assert [label for _, label in drawn.x_ticks] == ["1", "2", "3"]
    assert [label for _, label in drawn.y_ticks] == ["1", "2", "3"]
    fractions = chart("Shares", "round", [("share", "count0", [(1.0, 0.25), (2.0, 0.75)])])
    assert fractions is not None
    assert "0.40" in [label for _, label in fractions.y_ticks]


def test_seconds_have_three_digits():
    assert fact(1.90532, "seconds") == "1.91"
    assert fact(1.90532, "value") == "1.90532"
