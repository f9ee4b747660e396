"""Reports speak of data: words, what is right beside what was found, plots over all answers, two runs."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.certificates.certificate import Verdict
from gapless.cli import exit_codes, main
from gapless.report import report_of, write_report
from gapless.report.comparison import Difference, difference
from gapless.report.confusion import confusion_of
from gapless.report.gold_comparison import compared
from gapless.report.listing import encoded, row_of
from gapless.report.page import number, plain
from gapless.report.plots import histogram, reliability, time_against_length
from gapless.report.structures import drawn_structures
from gapless.results.record import read_values
from gapless.runs import Manifest
from gapless.svg import RED
from gapless_chains import ChainProblem
from gapless_dependency import DependencyTree, LabelledParsingProblem, ParsingProblem
from gapless_linking import LinkingProblem
from gapless_ordering import OrderingProblem

pytest.importorskip("jinja2", reason="reports need jinja2")

EVIL = "<script>alert(1)</script>"
LABELS = ("DET", "NOUN", "VERB")


def tagged(found, gold, name="s", **measured):
    """A chain whose best labels are the given ones, beside the right ones."""
    wanted = found.split()
    unary = [[2.0 * (label == one) for label in LABELS] for one in wanted]
    problem = ChainProblem(unary, np.zeros((3, 3)), labels=LABELS)
    words = [f"word{place}" for place in range(len(wanted))]
    return gl.Record(problem, gl.solve(problem, k=2), name, words, measured, gold.split() if gold else None)


def written(path, *records):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(gl.dumps(record) + "\n" for record in records), "utf-8")
    return path


def page_of(source, **options):
    out = source.parent / "page.html"
    write_report(source, out, **options)
    return out.read_text("utf-8")


def listing(page):
    found = re.search(r'id="records">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


class Text(HTMLParser):
    """The texts of a page without its script, and tips and labels of its elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.shown: list[str] = []
        self._hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = tag == "style" or (tag == "script" and ("type", "application/json") not in attrs)
        self.shown += [value for key, value in attrs if value and key in ("aria-label", "data-tip", "title", "alt")]

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.shown.append(data)


# --- what is right beside what was found


def test_labels_beside_the_right_ones():
    found = compared(tagged("DET NOUN VERB", "DET VERB X"))
    assert [(one.word, one.found, one.gold) for one in found.tokens] == [
        ("word0", "DET", ""),
        ("word1", "NOUN", "VERB"),
        ("word2", "VERB", "X"),  # a label that the model lacks
    ]
    assert (found.wrong, found.known) == (2, 3)
    assert found.pairs == [("DET", "DET"), ("VERB", "NOUN"), ("X", "VERB")]
    assert compared(tagged("DET NOUN", None)).wrong is None
    assert compared(tagged("DET NOUN", "DET")).wrong is None  # of another length: nothing is known


def test_arcs_beside_the_right_ones():
    scores = np.zeros((4, 4))
    scores[0, 2] = scores[2, 1] = scores[2, 3] = 5.0
    problem = ParsingProblem(scores)
    words = ("the", "dog", "the")
    gold = DependencyTree([2, 0, 1], ("det", "root", "det"))
    record = gl.Record(problem, gl.solve(problem), "tree", words, gold=gold)
    found = compared(record)
    assert [(one.found, one.gold) for one in found.tokens] == [
        ("← dog", ""),
        ("← root", ""),
        ("← dog", "det ← the (1)"),
    ]
    assert found.right == [True, True, False]
    drawn, plain_ = (drawn_structures(one)[0].svg for one in (record, attrs.evolve(record, gold=None)))
    assert (RED in drawn, RED in plain_) == (True, False)  # the wrong arc is marked
    confusion = confusion_of([row_of(record, None)])
    assert confusion is not None
    assert list(confusion.heads) == [("det", 2, 1), ("root", 1, 1)]
    assert not confusion.labels  # nothing was found that could be confused


def test_relations_beside_the_right_ones():
    scores = np.zeros((3, 3, 2))
    scores[0, 2, 1] = scores[2, 1, 0] = 5.0
    problem = LabelledParsingProblem(scores, labels=("nsubj", "root"))
    gold = DependencyTree([2, 0], ("obj", "root"))
    record = gl.Record(problem, gl.solve(problem), "tree", ("she", "ran"), gold=gold)
    found = compared(record)
    assert [(one.found, one.gold) for one in found.tokens] == [("nsubj ← ran", "obj ← ran"), ("root ← root", "")]
    assert found.pairs == [("obj", "nsubj"), ("root", "root")]


def test_links_beside_the_right_ones_of_which_several_may_be_right():
    distances = [[0, 1, 3, 3], [1, 0, 3, 3], [3, 3, 0, 1], [3, 3, 1, 0]]
    problem = LinkingProblem.from_distances(
        distances, [[0, 2], [1, 3]], names=["Po river", "Italy", "Po, Ohio", "Ohio"]
    )
    result = gl.solve(problem)
    record = gl.Record(
        problem, result, "text", ("Po", "country"), gold=[["Po, Ohio", "Po river"], ["Ohio", "Texas"]]
    )
    found = compared(record)
    chosen = [one.found for one in found.tokens]
    assert found.right == [chosen[0] in ("Po, Ohio", "Po river"), chosen[1] == "Ohio"]
    assert not found.right[1] or chosen == ["Po, Ohio", "Ohio"]
    told = compared(attrs.evolve(record, gold=["nowhere", ["Texas", "Utah"]]))
    assert [one.gold for one in told.tokens] == ["nowhere", "Texas or Utah"]


def test_titles_beside_the_right_one():
    scores = np.full((3, 3), -1.0)
    scores[0, 1] = 1.0
    problem = OrderingProblem([1.0, 0.0, 0.0], scores, [0.0, 1.0, 0.0], 2, names=["council", "votes", "late"])
    record = gl.Record(problem, gl.solve(problem), "title", (), gold=["Council", "late"])
    found = compared(record)
    assert [(one.word, bool(one.gold)) for one in found.tokens] == [("council", False), ("votes", True)]
    assert found.wrong == 1
    assert found.gold == ["Council", "late"]
    assert compared(attrs.evolve(record, gold=["council", "VOTES"])).wrong == 0
    swapped = compared(attrs.evolve(record, gold=["votes", "council"]))
    assert swapped.wrong == 2
    shorter = compared(attrs.evolve(record, gold=["council", "votes", "late"]))
    assert shorter.wrong == 1


def test_a_structure_of_another_problem_is_no_gold():
    record = attrs.evolve(tagged("DET NOUN", None), gold=DependencyTree([2, 0]))
    assert compared(record).wrong is None
    assert "word0" in report_of(record)


def test_gold_is_stored_and_old_records_have_none(tmp_path):
    several = attrs.evolve(tagged("DET NOUN", None), gold=["DET", ["NOUN", "X"]])
    tree = attrs.evolve(several, gold=DependencyTree([2, 0], ("a", "b")))
    plain_ = attrs.evolve(several, gold=None)
    back = list(read_values(written(tmp_path / "r.jsonl", several, tree, plain_)))
    assert [one.gold for one in back] == [("DET", ("NOUN", "X")), tree.gold, None]
    assert "gold" not in gl.dumps(plain_)  # readable by versions that know of none
    with pytest.raises(gl.InvalidProblem, match="gold holds names"):
        attrs.evolve(several, gold=[1, 2])


# --- the page of a run


def test_the_list_holds_words_and_errors(tmp_path):
    right, wrong = tagged("DET NOUN", "DET NOUN", "right"), tagged("DET NOUN", "DET VERB", f"wrong {EVIL}")
    page = page_of(written(tmp_path / "r.jsonl", right, wrong))
    data = listing(page)
    strings, (first, second) = data["strings"], data["rows"]
    assert [strings[word] for word in first[10]] == ["word0", "word1"]
    assert (first[8], second[8]) == (0, 1)
    assert [strings[found] for found in second[11]] == ["DET", "NOUN"]
    assert [second[12][0], strings[second[12][1]]] == [1, "VERB"]
    assert EVIL not in page
    assert "3 of 4 parts are right (75.00 %); 1 of 2 answers have no error." in page
    assert 'class="token wrong"' in page  # told without the script, too
    opened = re.findall(r'<details class="answer"[^>]*>', page)
    assert [" open" in one for one in opened] == [True, *[False] * (len(opened) - 1)]  # the hardest answer


def test_an_answer_in_full_has_its_words_above_it_and_the_largest_is_the_hardest(tmp_path):
    """Answers of a batch took the same time each: then the size of the problem decides."""
    several = [tagged("DET NOUN" + " VERB" * more, None, f"s{more}") for more in (0, 2, 1)]
    stats = attrs.evolve(several[0].result.stats, seconds=1e-5)
    several = [attrs.evolve(one, result=attrs.evolve(one.result, stats=stats)) for one in several]
    page = page_of(written(tmp_path / "r.jsonl", *several))
    shown = re.findall(r"<summary><strong>(.*?)</strong>.*?<span class=\"said\">(.*?)</span>", page)
    assert [name for name, _ in shown] == ["s2", "s1", "s0"]
    assert shown[0][1] == "word0 word1 word2 word3"


def test_the_confusion_matrix_counts_every_pair(tmp_path):
    rows = [row_of(tagged("DET NOUN VERB", "DET VERB VERB"), None), row_of(tagged("NOUN", "VERB"), None)]
    found = confusion_of(rows)
    assert found is not None
    assert found.labels == ["DET", "NOUN", "VERB"]
    assert found.counts == [[1, 0, 0], [0, 0, 0], [0, 2, 1]]
    assert found.mistakes == [("VERB", "NOUN", 2)]
    assert (found.right, found.known, found.spotless, found.judged) == (2, 4, 0, 2)
    many = [f"L{place:02}" for place in range(30)]
    pairs = [(one, other) for one in many for other in many if one <= other]
    merged = confusion_of([attrs.evolve(rows[0], compared=attrs.evolve(rows[0].compared, pairs=pairs))])
    assert merged is not None
    assert merged.labels[-1] == "others"
    assert sum(map(sum, merged.counts)) == len(pairs)


def test_errors_of_several_files_are_told_apart(tmp_path):
    written(tmp_path / "run" / "exact.jsonl", tagged("DET NOUN", "DET NOUN"))
    written(tmp_path / "run" / "beam.jsonl", tagged("DET NOUN", "VERB VERB"))
    page = page_of(tmp_path / "run")
    by_file = page[page.index("By file") : page.index("</table>", page.index("By file"))]
    assert re.findall(r"<tr><td>(\w+)</td>", by_file) == ["beam", "exact"]
    numbers = re.findall(r'"number">([\d.]+)</td>', by_file)
    assert " ".join(numbers) == "2 0 0.00 1 0 2 2 100.00 1 1"


def test_reliability_by_posteriors_and_by_margins():
    rows = [row_of(tagged("DET NOUN", "DET VERB", posteriors=[0.95, 0.55]), None) for _ in range(10)]
    plot = reliability(rows)
    assert plot is not None
    assert plot.rows == [["0.55", "10", "0.000"], ["0.95", "10", "1.000"]]
    assert "off the posterior by 0.300" in plot.sentence
    base = attrs.evolve(rows[0], posteriors=())
    wrong, right = base, attrs.evolve(base, compared=compared(tagged("DET NOUN", "DET NOUN")))
    graded = [attrs.evolve(right if step >= 10 else wrong, margin=float(step)) for step in range(20)]
    plot = reliability(graded)
    assert plot is not None
    assert [(n, share) for _, n, share in plot.rows] == [("10", "0.000"), ("10", "1.000")]
    assert reliability([attrs.evolve(row, margin=None, posteriors=()) for row in graded]) is None


def test_a_page_without_confidences_says_what_would_store_them(tmp_path):
    alone = tagged("DET NOUN", "DET NOUN")
    alone = attrs.evolve(alone, result=gl.solve(alone.problem))
    page = page_of(written(tmp_path / "r.jsonl", alone))
    advice = page[page.index('<details class="advice">') :]
    assert "A reliability diagram needs" in advice[: advice.index("</details>")]
    assert page.count("A reliability diagram needs") == 1
    assert "k=2" in page
    assert "posteriors" in page
    assert "Nothing says what is right" in page_of(written(tmp_path / "g.jsonl", attrs.evolve(alone, gold=None)))


def test_time_against_length_and_histograms():
    row = row_of(tagged("DET NOUN", None), None)
    rows = [attrs.evolve(row, size=size, seconds=size / 1000) for size in (1, 10, 100, 1000, 1000)]
    plot = time_against_length(rows)
    assert plot is not None
    (_, path), *_ = plot.marks
    assert path.count("M") == 4  # the same place is drawn once
    xs = [float(x) for x in re.findall(r"M([\d.]+)", path)]
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.5)  # a logarithmic axis
    assert [label for _, label in plot.x_ticks] == ["1", "10", "100", "1,000"]
    near = time_against_length([attrs.evolve(row, size=size, seconds=size / 1000) for size in (6, 8, 9)])
    assert near is not None
    assert len(near.x_ticks) > 1
    assert time_against_length(rows[:1]) is None
    gaps = histogram("Gaps", "gap", [0.0, 0.0, 0.02, 0.3])
    assert gaps is not None
    assert gaps.rows == [["0", "2"], ["≥ 0.01", "1"], ["≥ 0.1", "1"]]
    nodes = histogram("Nodes", "nodes", [1, 9, 10, 250])
    assert nodes is not None
    assert nodes.rows == [["1–9", "2"], ["10–99", "1"], ["100–999", "1"]]
    assert histogram("Gaps", "gap", [0.0, 0.0]) is None


# --- numbers and words


def test_no_page_shows_what_only_python_reads(records, run_folder, tmp_path):
    (run_folder / "summary.json").write_text('{"share": 0.12345678901234567}', "utf-8")
    result = records["chain"].result
    stats = attrs.evolve(result.stats, extra={"rate": np.float64(1 / 3), "held": {"a": (1, 2)}, "kept": result})
    told = attrs.evolve(result, stats=stats, explanation=[f"the bound is np.float64({1 / 3!r})"])
    pages = [report_of(attrs.evolve(record, gold=None)) for record in records.values()]
    pages.append(report_of(attrs.evolve(records["chain"], result=told)))
    worse = [attrs.evolve(one, value=one.value + 1 / 3) for one in result.solutions]
    pages.append(
        report_of(
            attrs.evolve(records["chain"], result=attrs.evolve(result, solutions=worse, bound=worse[0].value))
        )
    )
    write_report(run_folder, tmp_path / "run.html")
    pages.append((tmp_path / "run.html").read_text("utf-8"))
    write_report(run_folder, tmp_path / "two.html", against=run_folder)
    pages.append((tmp_path / "two.html").read_text("utf-8"))
    for page in pages:
        shown = " ".join(Text(page).shown)
        for pattern in (
            r"<[A-Z]\w+ [^>]*>|<\w+[\w.]* object",
            r"np\.\w+\(",
            r"\barray\(",
            r"\b[A-Z]\w+\(\w+=",
            r"\d\.\d{13,}",
            r"[▁▂▃▄▅▆▇█]",
        ):
            assert re.search(pattern, shown.replace(EVIL, "")) is None, pattern


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.float32(0.5), "0.5"),
        (np.int64(1234), "1,234"),
        (gl.Status.OPTIMAL, "optimal"),
        ({"a": 1 / 3}, "a 0.333333"),
        (np.arange(10.0), "0, 1, 2, 3, 4, 5, 6, 7, and 2 more"),
        (object(), "object"),
        (gl.Limits(), "Limits"),
    ],
)
def test_values_for_people(value, said):
    assert number(value) == said


def test_sentences_with_long_fractions():
    assert (
        plain("it is 0.33333333333333331 of np.float64(2.5), in 1.5e-07 s")
        == "it is 0.333333333333 of 2.5, in 1.5e-07 s"
    )


# --- many answers


@pytest.mark.parametrize("answers", [1_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_many_answers(tmp_path, monkeypatch, answers):
    """Check the size of the page, and that the checked certificates are spread evenly over the answers."""
    draw = np.random.default_rng(0)
    lengths = draw.integers(15, 35, 50)
    texts = [gl.dumps(_drawn(draw, int(length), place)) for place, length in enumerate(lengths)]
    with (tmp_path / "run.jsonl").open("w") as file:
        for place in range(answers):
            old = place % 50
            file.write(texts[old].replace(f'"sentence {old}"', f'"sentence {place}"') + "\n")
    checks = count()
    checked = []
    verify = gl.Record.verify

    def counted(record: gl.Record, **options: Any) -> Verdict:
        next(checks)
        checked.append(record.name)
        return verify(record, **options)

    monkeypatch.setattr(gl.Record, "verify", counted)
    page = page_of(tmp_path / "run.jsonl", checks=100)
    assert len(page.encode()) < 500_000 + 250 * answers
    data = listing(page)
    assert len(data["rows"]) == answers
    assert sum(row[9] for row in data["rows"]) == 0  # every sentence is whole
    assert checked[:3] == [f"sentence {step * answers // 100}" for step in range(3)]
    assert 100 <= next(checks) <= 110
    assert re.search(r"1\d\d certificates hold, checked now\. The other 9?,?[89]\d\d were not checked", page)
    assert page.count("<svg") < 40  # drawings only for the few that are shown whole


def _drawn(draw, length, place):
    problem = ChainProblem(draw.normal(size=(length, 3)), draw.normal(size=(3, 3)), labels=LABELS)
    words = [f"word{word}" for word in draw.zipf(1.3, length) % 20_000]
    result = gl.solve(problem)
    gold = np.where(draw.random(length) < 0.06, draw.integers(0, 3, length), result.best)
    return gl.Record(problem, result, f"sentence {place}", words, gold=[LABELS[label] for label in gold])


def test_all_certificates_on_request(tmp_path, capsys):
    source = written(tmp_path / "r.jsonl", *(tagged("DET NOUN", None, str(n)) for n in range(9)))
    out = tmp_path / "page.html"
    said = []
    for wanted in ("all", "2", "0"):
        assert (
            main(["report", str(source), "-o", str(out), "--check", wanted, "--details", "0"]) == exit_codes.PROVED
        )
        said.append(re.findall(r"(\d+) certificates? holds?|The other (\d+)", out.read_text("utf-8")))
    assert said == [[("9", "")], [("2", ""), ("", "7")], []]
    assert "The certificates were not checked" in out.read_text("utf-8")
    with pytest.raises(SystemExit):
        main(["report", str(source), "-o", str(out), "--check", "some"])
    assert "neither a number" in capsys.readouterr().err


# --- two runs


def test_two_runs_on_one_page(tmp_path):
    first = [tagged("DET NOUN", "DET NOUN", name) for name in ("same", "worse", f"alone {EVIL}")]
    second = [first[0], attrs.evolve(tagged("DET VERB", "DET NOUN"), name="worse")]
    second.append(attrs.evolve(first[0], name="only there"))
    for name, records, share in (("a", first, 1.0), ("b", second, 0.75)):
        written(tmp_path / name / "x.jsonl", *records)
        table = {"title": "Table 1", "columns": ["method", "share"], "rows": [["exact", share], ["beam", 0.5]]}
        (tmp_path / name / "tables.json").write_text(json.dumps({"tables": [table]}), "utf-8")
    out = tmp_path / "two.html"
    assert (
        main(["report", str(tmp_path / "a"), "--compare-with", str(tmp_path / "b"), "-o", str(out)])
        == exit_codes.PROVED
    )
    page = out.read_text("utf-8")
    assert EVIL not in page
    assert "1 of 2 structures differ" in page
    assert "Only in b: only there." in page
    assert re.findall(r'class="[^"]*changed">([^<]*)', page) == ["0.75"]
    rows = listing(page)["rows"]
    assert [(row[0], row[15][0], row[16]) for row in rows] == [
        ("worse", "worse", Difference.ANSWER | Difference.ERRORS),
        ("same", "same", Difference.NOTHING),
    ]


def test_aspects_in_which_answers_differ(records):
    row = row_of(records["selection"], None)
    assert difference(row, row) is Difference.NOTHING
    value = row.value
    assert value is not None
    assert difference(row, attrs.evolve(row, value=value * (1 + 1e-14))) is Difference.NOTHING
    assert difference(row, attrs.evolve(row, value=value + 1)) is Difference.VALUE
    assert difference(row, attrs.evolve(row, value=None)) is Difference.VALUE
    assert difference(row, attrs.evolve(row, status="feasible")) is Difference.STATUS
    assert difference(row, attrs.evolve(row, decided="another")) is Difference.ANSWER


def test_runs_that_cannot_be_compared(tmp_path, capsys):
    one = written(tmp_path / "a.jsonl", tagged("DET NOUN", None, "x"))
    other = written(tmp_path / "b.jsonl", tagged("DET NOUN", None, "y"))
    out = str(tmp_path / "two.html")
    for against, said in ((other, "no answer of the same name"), (tmp_path / "c", "no such file or folder")):
        assert main(["report", str(one), "--compare-with", str(against), "-o", out]) == exit_codes.USAGE
        assert said in capsys.readouterr().err
    assert main(["report", str(one), "--compare-with", str(one), "-o", out, "--solve-again"]) == exit_codes.USAGE
    assert not Path(out).exists()


def test_long_texts_are_cut_before_the_page_grows_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr("gapless.report.listing._LETTERS", 18_000)
    monkeypatch.setattr("gapless.report.listing._BRIEF", 120)
    row = row_of(tagged(" ".join(["DET NOUN"] * 15), None), None)
    data = encoded([row] * 100, [""] * 100)
    cut = [line[9] for line in data["rows"]]
    assert cut[0] == 0
    assert 0 < sum(cut) < 100
    assert all(len(line[10]) == (12 if line[9] else 30) for line in data["rows"])
    assert 10_000 < len(json.dumps(data, separators=(",", ":"))) < 18_500
    assert not any(line[9] for line in encoded([row] * 20, [""] * 20)["rows"])


def test_infinite_seconds_are_passed_over(tmp_path):
    one = tagged("A B", None)
    stats = attrs.evolve(one.result.stats, seconds=np.inf)
    forged = attrs.evolve(one, result=attrs.evolve(one.result, stats=stats), measurements={"seconds": 0.5})
    page = page_of(written(tmp_path / "r.jsonl", forged, one))
    assert listing(page)["rows"][0][4] == 0.5


def test_answers_of_one_name_are_compared_in_their_order(tmp_path):
    run = written(tmp_path / "a.jsonl", tagged("A B", None), tagged("B B A", None))
    page = page_of(run, against=written(tmp_path / "b.jsonl", tagged("A B", None), tagged("B B A", None)))
    assert [row[-1] for row in listing(page)["rows"]] == [Difference.NOTHING, Difference.NOTHING]
    page = page_of(run, against=written(tmp_path / "c.jsonl", tagged("A B", None)))
    assert len(listing(page)["rows"]) == 1
    assert "Only in a.jsonl: s." in page


@pytest.mark.parametrize(("field", "value"), [("nodes", "x"), ("iterations", None)])
def test_a_record_that_cannot_be_shown_is_named(field, value, records, tmp_path, capsys):
    document = json.loads(gl.dumps(records["chain"]))
    document["result"]["stats"][field] = value
    source = tmp_path / "run.jsonl"
    source.write_text(gl.dumps(records["tree"]) + "\n" + json.dumps(document) + "\n", "utf-8")
    assert main(["report", str(source), "-o", str(tmp_path / "page.html")]) == exit_codes.USAGE
    assert f"{source}:2: " in capsys.readouterr().err.replace(", line ", ":")


def test_two_runs_say_which_settings_differ_and_what_was_not_checked(records, tmp_path):
    runs = []
    for name, epochs in (("a", 8), ("b", 1)):
        (tmp_path / name).mkdir()
        Manifest("tagging", {"epochs": epochs, "seed": 0}, {}, ["answers.jsonl"]).save(tmp_path / name)
        (tmp_path / name / "answers.jsonl").write_text(gl.dumps(records["chain"]) + "\n", "utf-8")
        runs.append(tmp_path / name)
    for verify, said in ((True, "verdict good"), (False, "2 certificates were not checked")):
        write_report(runs[0], tmp_path / "page.html", against=runs[1], verify=verify)
        page = (tmp_path / "page.html").read_text("utf-8")
        assert said in page
        assert '<th scope="row">epochs</th><td class="number">8</td><td class="number">1</td>' in page
        assert '<th scope="row">seed</th>' not in page
