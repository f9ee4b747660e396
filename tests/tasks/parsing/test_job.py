"""The parsing job from treebank to tables, with a parser that is trained by counting."""

import json
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest
from jobs import run_job

import gapless as gl
from gapless.cli import Console, exit_codes, main
from gapless_dependency import Grandchild, ParsingProblem, Sibling
from gapless_models.parsing import Sentence
from gapless_models.parsing.treebank import embedded_treebank
from gapless_tasks.parsing import decoding, length_figures, options, tables
from gapless_tasks.parsing.decoding import GROUP, LengthGroup, parse_all
from gapless_tasks.parsing.explaining import explain, fired
from gapless_tasks.parsing.job import ParsingJob
from gapless_tasks.parsing.parser import ParserSource, Request

pytest.importorskip("conllu")
FACTORS = {"grandchild": Grandchild, "sibling": Sibling}


class CountingParser:
    """Scores are logarithms of how often tags stood so in the training trees."""

    def __init__(self, families, counts, training):
        self.families, self.counts, self.training = tuple(families), Counter(counts), training
        self.projective, self.single_root = training["projective"], True

    @classmethod
    def train(cls, treebank, request, console):
        counts = Counter()
        for sentence in treebank.train:
            tags = ("ROOT", *sentence.tags)
            heads = (0, *sentence.heads)
            for m, h in enumerate(heads[1:], 1):
                counts[f"{tags[h]} {tags[m]} {h < m} {min(abs(h - m), 3)}"] += 1
                if h:
                    counts[f"grandchild {tags[heads[h]]} {tags[h]} {tags[m]}"] += 1
                for b in range(m + 1, len(heads)):
                    if heads[b] == h:
                        counts[f"sibling {tags[h]} {tags[m]} {tags[b]}"] += 1
        console.info("counted")
        return cls(request.families, counts, request.record(treebank))

    def problem(self, sentence, *, max_heads=None):
        tags = ("ROOT", *sentence.tags)
        n = len(sentence)
        scores = np.array(
            [
                [
                    np.log(0.1 + self.counts[f"{tags[h]} {tags[m]} {h < m} {min(abs(h - m), 3)}"])
                    for m in range(n + 1)
                ]
                for h in range(n + 1)
            ]
        )
        np.fill_diagonal(scores, -np.inf)
        mask = None
        if max_heads is not None:
            mask = scores >= -np.sort(-scores[1:], axis=0)[min(max_heads, n) - 1]
            mask[0] = True
        factors = [FACTORS[name](self._scorer(name, tags)) for name in self.families]
        return ParsingProblem(scores, factors=factors, heads=mask, words=sentence.words)

    def _scorer(self, name, tags):
        def score(*positions):
            keys = zip(*(row.tolist() for row in positions), strict=True)
            return [0.3 * np.log(1 + self.counts[" ".join([name, *(tags[i] for i in key)])]) for key in keys]

        return score

    def save(self, path):
        path.write_text(json.dumps([self.families, self.counts, self.training]))

    @classmethod
    def load(cls, path):
        try:
            return cls(*json.loads(path.read_text()))
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}: no stored parser") from error


def trial(families, projective):
    factors = [FACTORS[name](np.zeros((6, 6, 6))) for name in families]
    return ParsingProblem(np.zeros((6, 6)), factors=factors, projective=projective)


JOB = ParsingJob(ParserSource(CountingParser.train, CountingParser.load, tuple(FACTORS), trial))
QUICK = ["--sentences", "8", "--epochs", "1"]


def run(capsys, *asked, as_json=True):
    return run_job(JOB.run, options, capsys, [*QUICK, *asked], as_json=as_json)


def problems(count=6):
    treebank = embedded_treebank()
    parser = CountingParser.train(treebank, Request(("grandchild",), 1, 0, 4), Console(as_json=True))
    return [parser.problem(sentence, max_heads=4) for sentence in treebank.test[:count]], treebank.test[:count]


def test_the_whole_job(capsys, tmp_path):
    code, found, complaints = run(capsys, "--verify", "--out", str(tmp_path / "out"), "--explain", "2")
    assert code == exit_codes.PROVED, complaints
    assert found["sentences"] == 8
    assert found["uas"] > 0.5
    assert found["proved"] == found["verified"] == 1.0
    assert found["words_per_second"] > 0
    assert found["oracle_calls"] >= 1
    assert sum(part["score"] for part in found["explained"]["found"])
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["uas"] == found["uas"]
    lines = (tmp_path / "out" / "answers.jsonl").read_text().splitlines()
    assert len(lines) == 8
    record = gl.loads(lines[0])
    assert record.result.verify(record.problem)
    assert len([ET.parse(tree) for tree in (tmp_path / "out" / "trees").iterdir()]) == 8


def test_people_see_tables_and_trees(capsys):
    code, printed, _ = run(capsys, "--explain", "1", "--verify", as_json=False)
    assert code == exit_codes.PROVED
    assert "embedded: 8 training, 8 dev, 8 test sentences" in printed
    assert "certificates verified: 8 of 8" in printed
    assert "the proofs are about the trees that the kept heads make" in printed
    assert "▼" in printed
    assert "What fires in the found tree" in printed


def test_tables_and_figures(capsys, tmp_path):
    pytest.importorskip("plotly")
    code, found, complaints = run(capsys, "--tables", "--out", str(tmp_path), "--model", str(tmp_path / "m.json"))
    assert code == exit_codes.PROVED, complaints
    table2 = [row["model"] for row in found["tables"]["table2"]]
    assert table2 == ["first order", "+ grandchild", "+ sibling", "all"]
    assert [row["than"] for row in found["tables"]["significance"]] == ["first order"]
    table3 = found["tables"]["table3"]
    assert [row["pruning"] for row in table3] == ["k = 3", "k = 5", "k = 10", "k = 20", "no prune"]
    assert set(found["figures"]) == {"figure4", "figure5"}
    page = (tmp_path / "figures.html").read_text()
    assert "Figure 4" in page
    assert 'src="http' not in page
    assert (tmp_path / "m.grandchild.json").exists()
    _, printed, _ = run(capsys, "--tables", "--model", str(tmp_path / "m.json"), as_json=False)
    assert "Table 2" in printed
    assert "Table 3" in printed
    assert "Figure 5" in printed
    assert "trained" not in printed


def test_a_stored_parser_is_used_again(capsys, tmp_path):
    stored = tmp_path / "m.json"
    assert "trained" in run(capsys, "--model", str(stored), as_json=False)[1]
    assert "trained" not in run(capsys, "--model", str(stored), as_json=False)[1]
    assert "trained" in run(capsys, "--model", str(stored), "--train", as_json=False)[1]
    stored.write_text("{")
    with pytest.raises(gl.InvalidProblem, match=r"--model .*: no stored parser"):
        run(capsys, "--model", str(stored))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--factors", "grandchild,cousin"], "--factors cousin: expected some of grandchild, sibling, or none"),
        (["--method", "split-bond"], "split-bound"),
        (["--treebank", "/nowhere"], "--treebank /nowhere"),
        (["--explain", "9"], "--explain 9: there are 8 test sentences"),
        (["--tables", "--max-heads", "all"], "--tables: table 3 keeps 3 to 20 heads"),
        (
            ["--tables", "--rows", "+ siblin"],
            r"--rows \+ siblin \(did you mean '\+ sibling'\?\): expected some of first",
        ),
        (["--rows", "all"], "--rows: says which rows of --tables to make"),
        (["--model", "/nowhere/m.json"], "there is no folder"),
    ],
)
def test_what_cannot_work_is_refused_before_the_training(capsys, asked, message):
    with pytest.raises((gl.GaplessError, FileNotFoundError), match=message):
        run(capsys, *asked)
    assert "counted" not in capsys.readouterr().out


def test_interrupted_parsing_keeps_what_is_finished(monkeypatch, capsys):
    asked, sentences = problems(30)
    solve_many, calls = gl.solve_many, []

    def impatient(chosen, *args, **kwargs):
        if calls:
            raise KeyboardInterrupt
        calls.append(len(chosen))
        return solve_many(chosen, *args, **kwargs)

    monkeypatch.setattr(decoding.gl, "solve_many", impatient)
    parsed = parse_all(asked, None, Console())
    assert parsed.interrupted
    assert parsed.reached == len(parsed.heads) == calls[0] < len(asked)
    shortest = min(len(sentence) for sentence in sentences)
    assert all(len(sentences[i]) < shortest + GROUP for i in parsed.heads)
    code, _, complaints = run(capsys)
    assert code == exit_codes.INTERRUPTED
    assert "interrupted: 0 of 8" in complaints


def test_groups_add_up():
    asked, _ = problems()
    parsed = parse_all(asked, None, Console())
    assert sum(group.sentences for group in parsed.groups) == len(asked)
    assert sum(group.words for group in parsed.groups) == sum(problem.length for problem in asked)
    assert [group.longest for group in parsed.groups] == sorted(group.longest for group in parsed.groups)
    assert sum(group.calls for group in parsed.groups) == np.nansum(parsed.arrays["dp_calls"])


def test_what_fires_adds_up_to_the_value():
    asked, sentences = problems(3)
    for problem, sentence in zip(asked, sentences, strict=True):
        best = gl.solve(problem)
        total = sum(score for _, _, score in fired(problem, best.best.heads))
        assert total == pytest.approx(best.value)
        document = explain(problem, sentence, best.best.heads, Console(as_json=True))
        assert document["heads"] == best.best.heads.tolist()


def test_a_gold_tree_that_was_pruned_is_said_to_be(capsys):
    sentence = Sentence(("a", "b"), ("X", "X"), ("X", "X"), (2, 0), ("x", "y"))
    mask = np.ones((3, 3), bool)
    mask[2, 1] = False
    document = explain(ParsingProblem(np.zeros((3, 3)), heads=mask), sentence, np.array([0, 1]), Console())
    assert document["gold_scores"] is None
    assert "the gold tree cannot be scored: the arc 2 -> 1 is no candidate" in capsys.readouterr().out


def test_bars():
    assert length_figures.sparkline([0.0, None, 4.0, 8.0]) == "▁ ▄█"
    assert length_figures.sparkline([None, 0.0]) == "  "


def test_figures_need_plotly(monkeypatch, tmp_path):
    monkeypatch.setattr(length_figures, "find_spec", lambda _: None)
    drawn = tables.figures({"k": [LengthGroup(5, 1, 3, 0.1, None)]})
    with pytest.raises(gl.MissingDependency, match="gapless\\[report\\]"):
        length_figures.write_figures(drawn, "x", tmp_path / "f.html", tables.PLOTLY_MISSING)


def test_the_command_trains_parses_and_verifies_the_embedded_treebank(capsys, tmp_path):
    asked = ["run", "dependency-parsing", "--sentences", "12", "--epochs", "2", "--model", str(tmp_path / "m.npz")]
    assert main([*asked, "--verify", "--json"]) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    assert found["families"] == ["grandchild", "sibling"]
    assert found["proved"] == found["verified"] == 1.0
    assert found["uas"] > 0.5
    assert [path.name for path in tmp_path.iterdir()] == ["m.npz"]
    assert main([*asked, "--max-heads", "all", "--json"]) == exit_codes.PROVED
    assert json.loads(capsys.readouterr().out)["uas"] > 0.5


def test_processes_start_before_the_clock(monkeypatch):
    asked, _ = problems()
    lengths, solve_many = [], gl.solve_many

    def here(chosen, *args, jobs=1, **kwargs):
        lengths.append({problem.length for problem in chosen})
        return solve_many(chosen, *args, **kwargs)

    monkeypatch.setattr(decoding.gl, "solve_many", here)
    parse_all(asked, None, Console(), jobs=2)
    assert lengths[0] == {1}
    assert 1 not in set.union(*lengths[1:])


@pytest.mark.long
def test_table_2_of_trained_parsers_has_all_rows_of_the_paper(capsys, tmp_path):
    """The row "+ hand craft" was missing: patterns were no family that is trained."""
    quick = ["--trees", "projective", "--limit-seconds", "60", "--out", str(tmp_path), "--json", "--tables"]
    code = main(["run", "dependency-parsing", *QUICK, *quick, "--factors", "pattern"])
    printed = capsys.readouterr()
    assert code == exit_codes.PROVED, printed.err
    found = json.loads(printed.out)
    rows = {row["model"]: row for row in found["tables"]["table2"]}
    assert list(rows) == [
        *("first order", "second order", "+ grandchild", "+ great-grandchild", "+ sibling", "+ tri-sibling"),
        *("+ comb", "+ hand craft", "all"),
    ]
    assert found["families"] == ["pattern"]
    assert all(row["proved"] == 1.0 for row in rows.values())
    assert rows["+ hand craft"]["uas"] == found["uas"]  # the same parser, from the same request
    assert main(["verify", str(tmp_path)]) == exit_codes.PROVED


def test_chosen_rows_of_table_2(capsys, tmp_path):
    """A row that is left out is named, in the table too."""
    asked = ["--tables", "--rows", "+ sibling, first order", "--model", str(tmp_path / "m.json")]
    _, found, _ = run(capsys, *asked)
    assert [row["model"] for row in found["tables"]["table2"]] == ["first order", "+ sibling"]
    assert found["tables"]["table3"] == []
    _, printed, _ = run(capsys, *asked, as_json=False)
    assert "left out of table 2 by --rows: second order, + grandchild," in printed
    assert "; without second order, + grandchild," in printed
    assert not (tmp_path / "m.all.json").exists()


@pytest.mark.parametrize("task", ["dependency-parsing", "price-and-cut"])
def test_a_folder_of_corpora_without_a_treebank_is_refused(task, capsys, tmp_path):
    assert main(["run", task, "--data", str(tmp_path)]) == exit_codes.USAGE
    assert "--treebank" in capsys.readouterr().err
