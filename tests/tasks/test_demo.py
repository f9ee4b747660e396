"""``gapless demo``: the story is true, fits a screen and a pipe, and its files can be checked by anyone."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import gapless as gl
from gapless.cli import Console, exit_codes, main
from gapless_models.parsing.treebank import embedded_treebank
from gapless_tasks.demo import command
from gapless_tasks.demo.command import Row, tell, trained

pytest.importorskip("conllu", reason="the extra `tasks` brings it")


@pytest.fixture(scope="module")
def parser():
    return trained(embedded_treebank(), Console(as_json=True))


@pytest.fixture(scope="module")
def told(parser):
    """The story of the trained parser, and the rows of the decoders."""
    treebank = embedded_treebank()
    return tell(parser, [*treebank.dev, *treebank.test], lambda _: None)


@pytest.fixture
def demo(parser, told, monkeypatch, tmp_path, capsys):
    """The command, with the parser that is trained already and its story."""
    monkeypatch.setattr(command, "trained", lambda *_: parser)
    monkeypatch.setattr(command, "tell", lambda *_: told)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> str:
        assert main(["demo", "--out", str(tmp_path / "demo"), *arguments]) == exit_codes.PROVED
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    return run


def test_the_story_is_true(told):
    treebank = embedded_treebank()
    sentences = [*treebank.dev, *treebank.test]
    story, rows = told
    assert story is not None
    assert story.sentence in sentences
    assert story.sentence not in treebank.train
    best = story.result
    assert best.proved
    assert best.verify(story.problem)
    assert best.best.heads.tolist() == list(story.sentence.heads)
    assert story.score == pytest.approx(story.problem.value(story.found))
    assert story.score < best.value - 1
    assert story.found.heads.tolist() != list(story.sentence.heads)
    wrong = np.array(story.sentence.heads) != story.found.heads
    assert story.differing == (np.flatnonzero(wrong) + 1).tolist()
    judged = gl.solve(story.problem, "ilp")  # an independent solver
    assert judged.value == pytest.approx(best.value)
    beams = {row.name: row for row in rows}
    assert beams[f"beam {story.width}"].missed
    exact = beams.pop("exact, with proofs")
    assert exact.missed == 0
    assert all(row.right <= exact.right <= len(sentences) for row in beams.values())
    missed = [row.missed for row in rows[:-1]]
    assert missed == sorted(missed, reverse=True)


def test_no_story_is_made_up(parser):
    """A sentence on which no beam fails has none."""
    treebank = embedded_treebank()
    easy = min(treebank.test, key=len)
    story, rows = tell(parser, [easy], lambda _: None)
    assert story is None
    assert [row.missed for row in rows] == [0] * len(rows)


def test_it_fits_a_screen_and_a_pipe(demo, tmp_path):
    lines = demo().splitlines()
    assert len(lines) <= 40
    folder = str(tmp_path)
    assert all(len(line) <= 80 for line in lines if folder not in line)
    text = "\n".join(lines)
    assert "\x1b" not in text
    assert "\r" not in text
    assert "epoch" not in text
    for said in ("A beam of ", "✗", "The best tree: ", "proof: holds", "forged", "refused", "best tree missed"):
        assert said in text
    assert lines[-1] == f"picture: {tmp_path / 'demo' / 'demo.html'}"


def test_its_numbers_are_those_of_the_story(demo):
    text = demo()
    document = json.loads(demo("--json"))
    story = document["story"]
    assert f"A beam of {story['beam']['width']}: score {story['beam']['score']:.3f}" in text
    assert f"The best tree: score {story['exact']['score']:.3f}" in text
    assert story["exact"]["heads"] == story["gold"] != story["beam"]["heads"]
    assert story["exact"]["proved"]
    assert story["verdict"]["holds"]
    assert not story["forged"]["holds"]
    assert [row["name"] for row in document["decoders"]][-1] == "exact, with proofs"


def test_the_files_can_be_checked(demo, tmp_path, capsys):
    demo()
    folder = tmp_path / "demo"
    assert sorted(file.name for file in folder.iterdir()) == ["answer.json", "demo.html", "forged.json"]
    assert main(["verify", str(folder / "answer.json")]) == exit_codes.PROVED
    assert main(["verify", str(folder / "forged.json")]) == exit_codes.FAILED
    assert "FAILED forged" in capsys.readouterr().out
    page = (folder / "demo.html").read_text("utf-8")
    assert page.count("<svg") == 2
    assert not re.search(r"(src|href)=", page)  # needs nothing else
    assert "prefers-color-scheme: dark" in page
    for row in json.loads(demo("--json"))["decoders"]:
        assert f"<td>{row['name']}</td><td>{row['missed']}</td>" in page


def test_quiet_leaves_the_table_and_the_picture(demo):
    lines = demo("-q").splitlines()
    assert lines[-1].startswith("picture: ")
    assert "decoder" in lines[1]
    assert len(lines) == 3 + len(command.WIDTHS) + 2


def test_verbose_training_reports_epochs(tmp_path, capsys, monkeypatch):
    """The whole command, on the beginning of the treebank: it need not find a story there."""
    monkeypatch.setattr(command, "embedded_treebank", lambda: embedded_treebank().first(8))
    assert main(["demo", "--out", str(tmp_path), "--verbose"]) == exit_codes.PROVED
    assert "epoch 1:" in capsys.readouterr().out


def test_a_slice_without_a_story_says_so(demo, monkeypatch):
    rows = [Row("beam 1", 0, 1, 0.1), Row("exact, with proofs", 0, 1, 0.1)]
    monkeypatch.setattr(command, "tell", lambda *_: (None, rows))
    assert demo().splitlines()[-1] == "no beam misses a tree that the exact method has right"
    assert json.loads(demo("--json"))["story"] is None


def test_a_certificate_that_does_not_hold_ends_with_code_1(demo, told, monkeypatch, tmp_path):
    story, rows = told
    assert story is not None
    wrong = type(story)(story.sentence, story.problem, story.width, story.found, story.score, story.forged().result)
    monkeypatch.setattr(command, "tell", lambda *_: (wrong, rows))
    assert main(["demo", "--out", str(tmp_path)]) == exit_codes.FAILED
