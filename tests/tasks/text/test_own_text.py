"""``gapless tag``, ``parse``, ``link`` and ``title``: what goes in, what comes out, what is kept."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys

import pytest

import gapless as gl
from gapless.cli import exit_codes, main
from gapless_tasks.text import stream
from gapless_tasks.text.tagging import Tagging

pytest.importorskip("nltk", reason="nltk is not installed: pip install 'gapless[tasks]'")
pytest.importorskip("conllu", reason="conllu is not installed: pip install 'gapless[tasks]'")

CAT = "The cat sat on the mat."
JAGUAR = "Jaguar and Puma live in the jungle near the Amazon."
GERMAN = """\
# sent_id = de-1
# text = Zum Haus ging sie.
1-2\tZum\t_\t_\t_\t_\t_\t_\t_\t_
1\tZu\tzu\tADP\tAPPR\t_\t3\tcase\t3:case\t_
2\tdem\tder\tDET\tART\tCase=Dat\t3\tdet\t3:det\t_
3\tHaus\tHaus\tNOUN\tNN\t_\t4\tobl\t4:obl\t_
4\tging\tgehen\tVERB\tVVFIN\t_\t0\troot\t0:root\t_
4.1\tweg\tweg\tVERB\t_\t_\t_\t_\t0:root\t_
5\tsie\tsie\tPRON\tPPER\t_\t4\tnsubj\t4:nsubj\tSpaceAfter=No
6\t.\t.\tPUNCT\t$.\t_\t4\tpunct\t4:punct\t_

"""
COMMANDS = ("tag", "parse", "link", "title")


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text(f"{CAT}\n\n{JAGUAR}\n", "utf-8")
    return path


def rows(conllu):
    return [line.split("\t") for line in conllu.splitlines() if line and not line.startswith("#")]


def test_a_file_is_tagged(text, capsys):
    assert main(["tag", str(text)]) == exit_codes.PROVED
    first, second = capsys.readouterr().out.splitlines()
    assert first == "The/DET cat/NOUN sat/VERB on/ADP the/DET mat/NOUN ./PUNCT"
    assert second.startswith("Jaguar/PROPN and/CCONJ Puma/PROPN")


@pytest.mark.parametrize("arguments", [["-"], []], ids=["a dash", "no file"])
def test_standard_input_is_read(arguments, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CAT.encode())))
    assert main(["tag", *arguments]) == exit_codes.PROVED
    assert capsys.readouterr().out.startswith("The/DET cat/NOUN")


def test_a_tree_has_heads_and_relations(text, capsys):
    assert main(["parse", str(text), "--format", "conllu"]) == exit_codes.PROVED
    out = capsys.readouterr().out
    assert "# text = The cat sat on the mat.\n" in out
    first = rows(out)[:7]
    assert [(row[1], row[6], row[7]) for row in first[:3]] == [
        ("The", "2", "det"),
        ("cat", "3", "nsubj"),
        ("sat", "0", "root"),
    ]
    assert first[5][9] == "SpaceAfter=No"
    assert out.endswith("\n\n")
    assert not out.endswith("\n\n\n")


def test_a_tree_is_drawn(text, capsys):
    assert main(["parse", str(text)]) == exit_codes.PROVED
    out = capsys.readouterr().out
    assert "▼" in out
    assert "nsubj" in out
    assert max(map(len, out.splitlines())) <= 80


def test_names_are_linked(text, capsys):
    assert main(["link", str(text), "--format", "jsonl"]) == exit_codes.PROVED
    none, some = map(json.loads, capsys.readouterr().out.splitlines())
    assert none["links"] == []
    assert [link["mention"] for link in some["links"]] == ["Jaguar", "Puma", "the jungle", "Amazon"]
    concepts = [link["concept"] for link in some["links"]]
    assert concepts == ["Jaguar (cat)", "Puma (cat)", "Jungle (forest)", "Amazon rainforest"]


def test_each_text_gets_a_title(text, capsys):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'gapless[tasks]'")
    assert main(["title", str(text), "--length", "2"]) == exit_codes.PROVED
    titles = capsys.readouterr().out.splitlines()
    assert len(titles) == 2  # an empty line parts two texts
    for title, words in zip(titles, (CAT, JAGUAR), strict=True):
        assert any(word in words.lower() for word in title.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_proofs_are_kept_and_hold(command, text, tmp_path, capsys):
    if command == "title":
        pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'gapless[tasks]'")
    proofs = tmp_path / "proofs.jsonl"
    assert main([command, str(text), "--certificates", str(proofs)]) == exit_codes.PROVED
    assert not list(tmp_path.glob("*.part"))
    capsys.readouterr()
    assert main(["verify", str(proofs), "--json"]) == exit_codes.PROVED
    listed = [gl.loads(line) for line in proofs.read_text("utf-8").splitlines()]
    assert len(listed) == {"tag": 2, "parse": 6, "link": 1, "title": 2}[command]
    assert all(record.result.proved for record in listed)
    assert f"{text}, line 3" in listed[-1].name


def test_a_forged_proof_is_refused(text, tmp_path, capsys):
    proofs = tmp_path / "proofs.jsonl"
    main(["tag", str(text), "--certificates", str(proofs)])
    first, second = (gl.loads(line) for line in proofs.read_text("utf-8").splitlines())
    capsys.readouterr()
    proofs.write_text(gl.dumps(gl.Record(first.problem, second.result)) + "\n", "utf-8")
    assert main(["verify", str(proofs)]) == exit_codes.FAILED


def test_json_is_one_document_with_bounds(text, capsys):
    for flag in (["--json"], ["--format", "json"]):
        assert main(["parse", str(text), *flag]) == exit_codes.PROVED
        document = json.loads(capsys.readouterr().out)
        assert document["count"] == document["proved"] == 2
        answer = document["answers"][0]
        assert answer["words"][:2] == ["The", "cat"]
        assert answer["heads"][:3] == [2, 3, 0]
        assert set(answer["proofs"]) == {"tags", "tree", "relations"}
        tree = answer["proofs"]["tree"]
        assert tree["proved"]
        assert tree["gap"] == 0.0
        assert tree["bound"] == pytest.approx(tree["value"])


def test_everything_but_what_was_found_stays_as_it_was(tmp_path, capsys):
    path = tmp_path / "de.conllu.gz"
    path.write_bytes(gzip.compress(GERMAN.encode()))
    for command, columns in (("tag", {3}), ("parse", {6, 7}), ("link", {9})):
        main([command, str(path), "--format", "conllu"])
        out = capsys.readouterr().out
        given, found = GERMAN.splitlines(), out.splitlines()
        assert len(given) == len(found)
        for a, b in zip(given, found, strict=True):
            if a[:1].isdigit() and a.split("\t")[0].isdigit():
                kept = [[x for i, x in enumerate(line.split("\t")) if i not in columns] for line in (a, b)]
                assert kept[0] == kept[1]
            else:  # comments, multiword tokens, empty nodes
                assert a == b


def test_conllu_gives_conllu(tmp_path, capsys):
    path = tmp_path / "own"  # no suffix says so: the first line does
    path.write_text(GERMAN, "utf-8")
    assert main(["tag", str(path)]) == exit_codes.PROVED
    assert capsys.readouterr().out.startswith("# sent_id = de-1\n")


def test_given_tags_are_used_unless_told_otherwise(tmp_path, capsys):
    path = tmp_path / "own.conllu"
    path.write_text(GERMAN, "utf-8")
    for flags, steps in (([], {"tree", "relations"}), (["--retag"], {"tags", "tree", "relations"})):
        main(["parse", str(path), "--json", *flags])
        assert set(json.loads(capsys.readouterr().out)["answers"][0]["proofs"]) == steps


def test_marks_and_line_ends_of_other_systems(tmp_path, capsys):
    path = tmp_path / "windows.txt"
    path.write_bytes(
        b"\xef\xbb\xbfHello, world.\r\n\r\n  \r\nna\xc3\xafve \xf0\x9f\x98\x80 \xe6\x97\xa5\xe6\x9c\xac\x00 .\r\n"
    )
    assert main(["tag", str(path), "--json"]) == exit_codes.PROVED
    answers = json.loads(capsys.readouterr().out)["answers"]
    assert [answer["words"] for answer in answers] == [
        ["Hello", ",", "world", "."],
        ["naïve", "😀", "日本\x00", "."],
    ]
    assert [answer["location"].rpartition(" ")[2] for answer in answers] == ["1", "4"]


def test_words_may_be_separated_already(capsys, tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("can't stop .\n", "utf-8")
    for flags, words in ((["--tokens"], ["can't", "stop", "."]), ([], ["ca", "n't", "stop", "."])):
        main(["tag", str(path), "--json", *flags])
        assert json.loads(capsys.readouterr().out)["answers"][0]["words"] == words


def test_what_stood_before_a_bad_line_comes_out(tmp_path, capsys):
    path = tmp_path / "bad.txt"
    path.write_bytes(CAT.encode() + b"\nbad \xff byte\n")
    proofs = tmp_path / "proofs.jsonl"
    assert main(["tag", str(path), "--certificates", str(proofs)]) == exit_codes.USAGE
    out, err = capsys.readouterr()
    assert out.startswith("The/DET")
    assert f"{path}, line 2: not UTF-8" in err
    assert len(proofs.read_text("utf-8").splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1\tA\t_\tDET\n\n", "line 1: 4 columns, expected 10"),
        (GERMAN.replace("\t4\tobl\t", "\tx\tobl\t"), "line 6: the head (column 7) is 'x'"),
        (GERMAN.replace("\n5\tsie", "\n7\tsie"), "line 9: word number 7, expected 5"),
        (GERMAN.rstrip("\n")[:-1], "the file ends inside a row"),
    ],
)
def test_malformed_conllu_is_named_by_its_line(line, words, tmp_path, capsys):
    path = tmp_path / "bad.conllu"
    path.write_text(line, "utf-8")
    for command in ("tag", "parse"):
        assert main([command, str(path)]) == exit_codes.USAGE
        assert words in capsys.readouterr().err


@pytest.mark.filterwarnings("default::gapless_models.parsing.conllu_reader.MissingBlankLine")
@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("command", ["tag", "parse"])
def test_the_last_sentence_needs_no_blank_line(command, end, tmp_path, capsys):
    path = tmp_path / "own.conllu"
    found = []
    for ending in ("\n\n", end):
        path.write_text(GERMAN.rstrip("\n") + ending, "utf-8")
        assert main([command, str(path), "--json"]) == exit_codes.PROVED
        out, err = capsys.readouterr()
        found.append(json.loads(out)["answers"])
        assert ("no blank line after the last sentence" in err) == (ending != "\n\n")
    assert found[0] == found[1]


def test_a_sentence_without_end_is_named_and_the_others_are_parsed(tmp_path, capsys):
    path = tmp_path / "long.txt"
    path.write_text(f"{CAT}\n{'the cat ' * 2600}\n{CAT}\n", "utf-8")
    assert main(["parse", str(path), "--json"]) == exit_codes.USAGE
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert [bool(answer.get("heads")) for answer in document["answers"]] == [True, False, True]
    assert f"{path}, line 2: 5200 words" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tag", "missing.txt"], "no such file"),
        (["tag", "."], "is a folder"),
        (["tag", "own.txt", "--model", "own.txt"], "--model own.txt: damaged"),
        (["parse", "own.txt", "--model", "own.txt"], "--model own.txt: damaged"),
        (["link", "own.txt", "--model", "own.txt"], "own.txt, line 1"),
        (["title", "own.txt", "--model", "own.txt"], "own.txt, line 1: not JSON"),
        (["tag", "own.txt", "--certificates", "proofs.json"], "ends in .jsonl"),
        (["tag", "own.txt", "--certificates", "no/where.jsonl"], "no"),
        (["tag", "own.txt", "--json", "--format", "text"], "--json is --format json"),
    ],
)
def test_bad_arguments_are_named(arguments, words, text, capsys, monkeypatch):
    monkeypatch.chdir(text.parent)
    assert main(arguments) == exit_codes.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err


def test_nothing_in_nothing_out(tmp_path, capsys):
    path = tmp_path / "empty.txt"
    path.write_text("\n \n", "utf-8")
    for command in ("tag", "parse", "link"):
        assert main([command, str(path)]) == exit_codes.PROVED
    assert capsys.readouterr().out == ""


def test_an_unproved_answer_says_so(text, capsys):
    assert main(["link", str(text), "--method", "degree", "--json"]) == exit_codes.STOPPED_EARLY
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["proved"] == 1  # a line without names asks nothing
    assert not document["answers"][1]["proofs"]["links"]["proved"]
    assert "1 of 2 answers are proved" in err


def test_ctrl_c_keeps_what_was_done(text, tmp_path, capsys, monkeypatch):
    answer = Tagging._answer
    told = []

    def stopped(*arguments: object) -> object:
        if told:
            os.kill(os.getpid(), signal.SIGINT)
        told.append(arguments)
        return answer(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Tagging, "_answer", stopped)
    proofs = tmp_path / "proofs.jsonl"
    assert main(["tag", str(text), "--certificates", str(proofs)]) == exit_codes.INTERRUPTED
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert "stopped by Ctrl-C after 1 answers" in err
    assert main(["verify", str(proofs)]) == exit_codes.PROVED


def test_what_a_killed_run_left_is_not_overwritten(text, tmp_path, capsys):
    left = tmp_path / "proofs.jsonl.part"
    left.write_text("kept\n", "utf-8")
    assert main(["tag", str(text), "--certificates", str(tmp_path / "proofs.jsonl")]) == exit_codes.USAGE
    assert f"{left}: holds the proofs of a run that was killed" in capsys.readouterr().err
    assert left.read_text("utf-8") == "kept\n"


def test_a_run_that_ends_early_leaves_the_proofs_of_a_whole_one(tmp_path, capsys):
    path, proofs = tmp_path / "own.conllu", tmp_path / "proofs.jsonl"
    path.write_text(GERMAN, "utf-8")
    assert main(["tag", str(path), "--certificates", str(proofs)]) == exit_codes.PROVED
    whole = proofs.read_bytes()
    path.write_text(GERMAN + "1\tcut", "utf-8")
    assert main(["tag", str(path), "--certificates", str(proofs)]) == exit_codes.USAGE
    assert proofs.read_bytes() == whole
    assert f"{proofs} is as it was" in capsys.readouterr().err
    assert main(["verify", str(proofs)]) == exit_codes.PROVED


def test_early_answers_do_not_wait_for_late_lines():
    taken = []

    def lines() -> object:
        for i in range(10):
            taken.append(i)
            yield i

    first = next(iter(stream.chunks(lines())))  # type: ignore[arg-type]
    assert first == taken == [0, 1, 2, 3]


@pytest.mark.long
def test_it_works_in_a_pipe():
    command = [sys.executable, "-m", "gapless"]
    parsed = subprocess.run(
        [*command, "parse", "-", "--format", "conllu"], input=CAT, capture_output=True, text=True, check=True
    )
    tagged = subprocess.run([*command, "tag"], input=parsed.stdout, capture_output=True, text=True, check=True)
    assert tagged.stdout == parsed.stdout
    assert parsed.stderr == tagged.stderr == ""


def test_an_answer_of_which_ctrl_c_left_one_proof_is_not_kept(text, tmp_path, monkeypatch):
    proofs, written = tmp_path / "proofs.jsonl", []
    dumps = stream.serial.dumps

    def interrupted(record: object) -> str:
        written.append(record)
        if len(written) == 5:  # of 3 for each sentence
            raise KeyboardInterrupt
        return dumps(record)

    monkeypatch.setattr(stream.serial, "dumps", interrupted)
    assert main(["parse", str(text), "--certificates", str(proofs)]) == exit_codes.INTERRUPTED
    assert len(proofs.read_text("utf-8").splitlines()) == 3
