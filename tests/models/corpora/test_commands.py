"""``gapless data``, and tasks that take a corpus by name."""

import json
import subprocess
import sys

import pytest

from gapless.cli import exit_codes, main
from gapless.errors import InvalidProblem
from gapless_models.corpora.places import folder_of
from gapless_models.corpora.registry import read_registry
from gapless_models.parsing.treebank import load_treebank


@pytest.fixture
def run(capsys):
    """Run ``gapless data ... --json``; the document, or the complaint where the exit code is not 0."""

    def it(*arguments):
        code = main(["data", *map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        return (code, json.loads(out)) if out else (code, err)

    return it


@pytest.fixture
def put(corpus, server):
    """Put the corpus below a folder, without any download."""

    def it(root):
        folder = folder_of(corpus, root)
        folder.mkdir(parents=True)
        for name, content in server.content.items():
            (folder / name).write_bytes(content)
        return folder

    return it


def test_fetch_tells_the_licence_first_then_what_to_do(corpus, server, tmp_path, capsys):
    pytest.importorskip("pooch", reason="downloads need the extra data")
    assert main(["data", "fetch", "mini", "--mirror", server.address]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "CC-BY-NC-SA-4.0 (not for commercial use)" in lines[1]
    assert "Nobody 2026" in lines[2]
    assert lines[4].endswith(str(tmp_path / "cache" / "parsing" / "mini"))
    assert "gapless run dependency-parsing --treebank mini" in lines[5]
    assert main(["data", "path", "mini"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'cache' / 'parsing' / 'mini'}\n"


def test_what_was_fetched_is_a_treebank_by_name(corpus, server, run):
    pytest.importorskip("pooch", reason="downloads need the extra data")
    with pytest.raises(InvalidProblem, match="not here yet; to download it: gapless data fetch mini"):
        load_treebank("mini", None)
    code, document = run("fetch", "mini", "--mirror", server.address)
    assert code == 0
    assert document["corpora"][0]["downloaded"] == 3
    treebank = load_treebank("mini", None)
    assert (len(treebank.train), len(treebank.dev), len(treebank.test)) == (4000, 0, 2000)


def test_fetch_to_a_folder_and_by_a_mirror_of_the_environment(corpus, server, run, tmp_path, monkeypatch):
    pytest.importorskip("pooch", reason="downloads need the extra data")
    monkeypatch.setenv("GAPLESS_DATA_MIRROR", server.address)
    code, document = run("fetch", "mini", "--dir", tmp_path / "mine")
    assert code == 0
    assert document["corpora"][0]["path"] == str(tmp_path / "mine" / "parsing" / "mini")
    assert load_treebank("mini", str(tmp_path / "mine")).test
    assert run("list", "--data", tmp_path / "mine")[1]["corpora"][0]["here"] == "yes"
    assert run("list")[1]["corpora"][0]["here"] == "no"


def test_what_lies_in_the_folder_of_corpora_is_not_fetched_again(put, server, run, tmp_path, monkeypatch):
    pytest.importorskip("pooch", reason="downloads need the extra data")
    monkeypatch.setenv("GAPLESS_DATA", str(tmp_path / "corpora"))
    folder = put(tmp_path / "corpora")
    code, document = run("fetch", "mini", "--mirror", server.address)
    assert (code, document["corpora"][0]["downloaded"], server.asked) == (0, 0, [])
    assert run("path", "mini")[1] == {"path": str(folder)}


def test_list_and_path_and_check_need_no_pooch(put, run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    code, document = run("list", "mini")
    assert code == 0
    assert document["corpora"][0]["here"] == "no"
    assert document["corpora"][0]["licence"] == "CC-BY-NC-SA-4.0"
    code, message = run("path", "mini")
    assert code == exit_codes.USAGE
    assert "gapless data fetch mini" in message
    code, message = run("fetch", "mini")
    assert code == exit_codes.USAGE
    assert "pip install 'gapless[data]'" in message
    folder = put(tmp_path / "cache")
    assert run("list")[1]["corpora"][0]["here"] == "yes"
    assert run("path", "mini") == (0, {"path": str(folder)})
    assert run("path") == (0, {"path": str(tmp_path / "cache")})


def test_check_finds_a_changed_file_and_a_missing_one(put, run, tmp_path):
    folder = put(tmp_path / "cache")
    code, document = run("check")
    assert code == 0
    assert [row["checksum"] for row in document["files"]] == ["right"] * 3
    content = (folder / "train.conllu").read_bytes()
    (folder / "train.conllu").write_bytes(b"2" + content[1:])  # of the same length
    (folder / "LICENSE.txt").unlink()
    code, document = run("check")
    assert code == exit_codes.FAILED
    verdicts = {row["file"]: row["checksum"] for row in document["files"]}
    assert verdicts.pop("test.conllu") == "right"
    assert set(verdicts.values()) == {"wrong or missing"}
    assert run("list")[1]["corpora"][0]["here"] == "damaged"


def test_a_changed_file_is_fetched_anew_only_with_overwrite(put, server, run, tmp_path):
    pytest.importorskip("pooch", reason="downloads need the extra data")
    folder = put(tmp_path / "cache")
    content = (folder / "train.conllu").read_bytes()
    (folder / "train.conllu").write_bytes(b"mine")
    (folder / "tmp_notes.txt").write_bytes(b"mine")
    (folder / "tmp4dz_0abc").write_bytes(b"of a download that was killed")
    code, message = run("fetch", "mini", "--mirror", server.address)
    assert code == exit_codes.USAGE
    assert "train.conllu: exists, and this command did not write it" in message
    assert ((folder / "train.conllu").read_bytes(), server.asked) == (b"mine", [])
    assert run("fetch", "mini", "--mirror", server.address, "--overwrite")[0] == 0
    assert (folder / "train.conllu").read_bytes() == content
    assert {path.name for path in folder.glob("tmp*")} == {"tmp_notes.txt"}


def test_an_unknown_name_is_refused_before_anything_is_done(corpus, server, run):
    code, message = run("fetch", "mini", "minj", "--mirror", server.address)
    assert code == exit_codes.USAGE
    assert "did you mean 'mini'" in message
    assert server.asked == []


@pytest.fixture
def clone(tmp_path, server):
    """A repository of git with the corpus in it."""
    folder = tmp_path / "clones" / "mini"
    (folder / "data").mkdir(parents=True)
    for name, content in server.content.items():
        (folder / "data" / name).write_bytes(content)
    (folder / "data" / "large").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "all"], ["tag", "v1"]):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder


def test_pin_prints_lines_of_a_registry_that_check_finds_right(clone, run, capsys, monkeypatch):
    files = [f"{name}=data/{name}" for name in ("train.conllu", "test.conllu", "LICENSE.txt")]
    assert main(["data", "pin", str(clone), "v1", *files]) == 0
    lines = capsys.readouterr().out
    fields = 'title="t"\nlanguages="l"\nversion="1"\nkind="treebank"\nlicence="CC0-1.0"\nlicence_url="u"\n'
    text = f'[mini]\n{fields}citation="c"\nrepository="owner/mini"\n{lines}'
    found = read_registry(text)
    monkeypatch.setattr("gapless_models.corpora.registry.known", lambda: found)
    assert len(found["mini"].files) == 3
    assert run("check", "--clones", clone.parent)[0] == 0
    changed = read_registry(text.replace("bytes = 18", "bytes = 19"))
    monkeypatch.setattr("gapless_models.corpora.registry.known", lambda: changed)
    code, document = run("check", "--clones", clone.parent)
    assert code == exit_codes.FAILED
    assert [row["checksum"][:5] for row in document["files"]] == ["right", "right", "wrong"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["v1", "large.tsv=data/large"], "pointer to a large file"),
        (["v1", "a=data/none"], "data/none"),
        (["v9", "a=data/large"], "git says"),
        (["v1", "data/large"], "expected NAME=PATH"),
    ],
)
def test_what_cannot_be_pinned_is_refused(clone, run, arguments, words):
    code, message = run("pin", clone, *arguments)
    assert code == exit_codes.USAGE
    assert words in message


def test_clones_that_are_not_there_do_not_count_as_checked(corpus, run, tmp_path):
    code, document = run("check", "--clones", tmp_path)
    assert code == exit_codes.FAILED
    assert all("cannot be read" in row["checksum"] for row in document["files"])
