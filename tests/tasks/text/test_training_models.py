"""``gapless train``: models on disk that ``gapless tag`` and ``gapless parse`` read."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from gapless.cli import exit_codes, main
from gapless.learn import archive
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.text import TextParser
from gapless_tasks.text import training

pytest.importorskip("conllu", reason="conllu is not installed: pip install 'gapless[tasks]'")

DATA = Path(str(files("gapless_models.parsing") / "data"))
TRAIN, DEV = str(DATA / "train.conllu"), str(DATA / "dev.conllu")
CAT = "The farmer waited near the garden .\n"


def rows(conllu):
    """The columns of the words."""
    return [line.split("\t") for line in conllu.splitlines() if line.partition("\t")[0].isdigit()]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text(CAT, "utf-8")
    return str(path)


@pytest.mark.parametrize(("column", "tags"), [("upos", "NOUN"), ("xpos", "NN"), ("upos|xpos", "NOUN|NN")])
def test_a_tagger_of_each_column(column, tags, text, tmp_path, capsys):
    model = str(tmp_path / "tagger.npz")
    arguments = ["train", "tagger", TRAIN, "-o", model, "--column", column, "--dev", DEV, "--epochs", "3", "--json"]
    assert main(arguments) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)["dev"]
    assert found["tags"] > 0.95
    assert found["words"] == len(rows(Path(DEV).read_text("utf-8")))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own.txt", "tagger.npz"]  # no checkpoints are left
    assert main(["tag", text, "--model", model, "--tokens", "--format", "conllu"]) == exit_codes.PROVED
    row = capsys.readouterr().out.splitlines()[3].split("\t")
    assert "|".join(tag for tag in row[3:5] if tag != "_") == tags


def test_a_parser_holds_all_that_raw_text_needs(text, tmp_path, capsys):
    model = tmp_path / "parser.npz"
    arguments = ["train", "parser", TRAIN, "-o", str(model), "--dev", DEV, "--epochs", "2", "--factors", "sibling"]
    assert main([*arguments, "--max-heads", "3", "--verbose"]) == exit_codes.PROVED
    out = capsys.readouterr().out
    assert "parser, epoch 1" in out
    assert "23 relations" in out
    assert main(["parse", text, "--model", str(model), "--tokens", "--format", "conllu"]) == exit_codes.PROVED
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[2:] if line]
    assert [row[6] for row in rows] == ["2", "3", "0", "6", "6", "3", "3"]
    assert [row[7] for row in rows][:3] == ["det", "nsubj", "root"]
    assert main(["tag", text, "--model", str(model), "--tokens"]) == exit_codes.PROVED  # by the parser's tagger
    assert "farmer/NOUN|NN" in capsys.readouterr().out
    assert ParserModel.load(model).families == (
        "sibling",
    )  # `gapless run dependency-parsing --model` reads it, too
    again, stored = tmp_path / "again.npz", TextParser.load(model)
    stored.save(again)
    for old, new in zip(archive.read_archive(model, "parser"), archive.read_archive(again, "parser"), strict=True):
        assert old.keys() == new.keys()
    np.testing.assert_array_equal(stored.parser.table, TextParser.load(again).parser.table)


def test_the_scores_of_a_parser_are_those_that_parse_will_get(tmp_path, capsys):
    model = str(tmp_path / "parser.npz")
    few = tmp_path / "few.conllu"  # enough for a parser that errs, also in its tags
    few.write_text("\n\n".join(Path(TRAIN).read_text("utf-8").split("\n\n")[:30]) + "\n\n", "utf-8")
    arguments = ["train", "parser", str(few), "-o", model, "--dev", DEV, "--epochs", "1", "--column", "upos"]
    assert main([*arguments, "--json"]) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)["dev"]
    gold = rows(Path(DEV).read_text("utf-8"))
    assert found.pop("words") == len(gold)
    assert found.keys() == {"predicted_tags", "gold_tags"}
    for key, options in (("predicted_tags", ["--retag"]), ("gold_tags", [])):
        assert main(["parse", DEV, "--model", model, *options]) == exit_codes.PROVED
        parsed = rows(capsys.readouterr().out)
        shares = {
            name: np.mean([a[columns] == b[columns] for a, b in zip(parsed, gold, strict=True)])
            for name, columns in (("uas", slice(6, 7)), ("las", slice(6, 8)), ("tags", slice(3, 4)))
        }
        assert shares.pop("tags") == found[key].pop("tags", 1.0)
        assert found[key] == pytest.approx(shares)
        assert found[key]["las"] < found[key]["uas"] < 1
    assert found["predicted_tags"] != found["gold_tags"]
    assert main(arguments) == exit_codes.PROVED
    out = capsys.readouterr().out
    for key, words in (("predicted_tags", "the tagger's tags ("), ("gold_tags", "gold tags: ")):
        (line,) = [line for line in out.splitlines() if line.startswith(f"dev, with {words}")]
        assert line.endswith("UAS {uas:.2%}, LAS {las:.2%}".format(**found[key]).replace("%", " %"))


def test_a_parser_of_the_task_parses_what_has_tags(tmp_path, capsys):
    model = str(tmp_path / "parser.npz")
    arguments = ["run", "dependency-parsing", "--model", model, "--train", "--epochs", "1", "--sentences", "20"]
    main([*arguments, "--max-heads", "all"])
    capsys.readouterr()
    assert main(["parse", DEV, "--model", model, "--json"]) == exit_codes.PROVED
    assert set(json.loads(capsys.readouterr().out)["answers"][0]["proofs"]) == {"tree"}
    raw = tmp_path / "raw.txt"
    raw.write_text(CAT, "utf-8")
    assert main(["parse", str(raw), "--model", model]) == exit_codes.USAGE
    assert "no tagger" in capsys.readouterr().err


def test_words_with_tags_in_lines_train_a_tagger(tmp_path, capsys):
    pairs = tmp_path / "own.tsv"
    pairs.write_text("the\tDET\ncat\tNOUN\n\na\tDET\ndog\tNOUN\n\n", "utf-8")
    model = str(tmp_path / "tagger.npz")
    assert main(["train", "tagger", str(pairs), "-o", model]) == exit_codes.PROVED


@pytest.mark.parametrize(
    ("model", "content", "words"),
    [
        ("tagger", "", "no sentence"),
        ("tagger", "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "no sentence has the tags UPOS"),
        ("parser", "1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n", "line 1: word 1 (a) has no head"),
        ("parser", "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "a word without a tag"),
        ("parser", "1\ta\t_\tX\t_\t_\t2\tx\t_\t_\n2\tb\t_\tX\t_\t_\t1\tx\t_\t_\n\n", "headed by the root"),
    ],
)
def test_what_cannot_be_learnt_from_is_named(model, content, words, tmp_path, capsys):
    path = tmp_path / "bad.conllu"
    path.write_text(content, "utf-8")
    assert main(["train", model, str(path), "-o", str(tmp_path / "model.npz")]) == exit_codes.USAGE
    assert words in capsys.readouterr().err
    assert not (tmp_path / "model.npz").exists()


def test_ctrl_c_keeps_the_finished_epochs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = training._tagger_progress

    def stopped(*arguments: object) -> object:
        tell = progress(*arguments)  # type: ignore[arg-type]

        def after_two(epoch: object) -> None:
            tell(epoch)  # type: ignore[arg-type]
            if epoch.epoch == 2:  # type: ignore[attr-defined]
                raise KeyboardInterrupt

        return after_two

    model = tmp_path / "tagger.npz"
    arguments = ["train", "tagger", TRAIN, "-o", str(model), "--epochs", "4", "--verbose"]
    monkeypatch.setattr(training, "_tagger_progress", stopped)
    assert main(arguments) == exit_codes.INTERRUPTED
    assert not model.exists()
    assert (tmp_path / "tagger.npz.tagger.epochs").exists()
    monkeypatch.undo()
    capsys.readouterr()
    assert main(arguments) == exit_codes.PROVED
    assert "epoch 1:" not in capsys.readouterr().out  # it went on
    whole = tmp_path / "whole.npz"
    main(["train", "tagger", TRAIN, "-o", str(whole), "--epochs", "4"])
    assert whole.read_bytes() == model.read_bytes()
