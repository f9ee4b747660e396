"""Downloads from a server that misbehaves in every way: what comes out is whole, or nothing and a clear message."""

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from hashlib import sha256

import attrs
import pytest

from gapless.cli import Console
from gapless.errors import InvalidProblem, MissingDependency
from gapless_models.corpora.downloading import RETRIES, NotFetched, fetch

pooch = pytest.importorskip("pooch", reason="downloads need the extra data")


class Quiet(Console):
    """Notes what it is told."""

    def __init__(self):
        super().__init__(as_json=True)
        self.steps = []
        self.complaints = []

    def error(self, text):
        self.complaints.append(text)

    @contextlib.contextmanager
    def progress(self, title, total):
        self.total = total
        yield self.steps.append


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Pooch waits seconds between tries."""
    monkeypatch.setattr(pooch.core.time, "sleep", lambda seconds: None)


@pytest.fixture
def get(corpus, server, tmp_path):
    """Fetch the corpus from the server."""

    def run(console=None):
        return fetch(corpus, tmp_path, console or Quiet(), server.address)

    return run


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "parsing" / "mini"


def holds_all(folder, server):
    return {path.name: path.read_bytes() for path in folder.iterdir()} == server.content


def left_over(folder):
    """Everything beside the corpus and its lock."""
    return {
        str(path.relative_to(folder.parent))
        for path in folder.parent.rglob("*")
        if path.is_file() and not path.is_relative_to(folder) and path.suffix != ".lock"
    }


def test_a_corpus_comes_whole_with_progress_in_bytes(get, folder, server):
    console = Quiet()
    assert get(console) == 3
    assert holds_all(folder, server)
    assert left_over(folder) == set()
    assert sum(console.steps) == console.total == sum(map(len, server.content.values()))


def test_what_is_here_is_not_asked_for_again(get, server):
    get()
    server.asked.clear()
    assert get() == 0
    assert server.asked == []


@pytest.mark.parametrize("damage", [b"", b"other"], ids=["cut", "changed"])
def test_a_damaged_file_alone_is_fetched_anew(get, folder, server, damage):
    get()
    server.asked.clear()
    changed = damage and damage + server.content["test.conllu"][len(damage) :]
    (folder / "test.conllu").write_bytes(changed)
    assert get() == 1
    assert server.asked == ["test.conllu"]
    assert holds_all(folder, server)


def test_a_missing_file_alone_is_fetched(get, folder, server):
    get()
    (folder / "LICENSE.txt").unlink()
    server.asked.clear()
    assert get() == 1
    assert server.asked == ["LICENSE.txt"]


def test_a_wrong_checksum_names_file_expected_and_found_and_keeps_nothing(get, folder, server):
    server.script["train.conllu"] = ["wrong"] * (RETRIES + 1)
    with pytest.raises(NotFetched) as caught:
        get()
    message = str(caught.value)
    wrong = sha256(server.content["train.conllu"][:-2] + b"?\n").hexdigest()
    for word in ("mini", "train.conllu", server.address, sha256(server.content["train.conllu"]).hexdigest(), wrong):
        assert word in message
    assert not folder.exists()
    assert left_over(folder) == set()


def test_a_wrong_checksum_leaves_a_corpus_that_is_here_as_it_was(get, folder, server):
    get()
    (folder / "train.conllu").write_bytes(b"mine")
    server.script["train.conllu"] = ["wrong"] * (RETRIES + 1)
    with pytest.raises(NotFetched, match="does not match"):
        get()
    assert (folder / "train.conllu").read_bytes() == b"mine"
    assert sorted(path.name for path in folder.iterdir()) == sorted(server.content)


@pytest.mark.parametrize(
    "trouble", [["half"], [500], [503, 500], [429], ["wrong"], ["redirect"]], ids=lambda turns: str(turns[0])
)
def test_trouble_that_passes_is_overcome(get, folder, server, trouble):
    server.script["train.conllu"] = list(trouble)
    console = Quiet()
    assert get(console) == 3
    assert holds_all(folder, server)
    assert sum(console.steps) == console.total


def test_half_a_download_again_and_again_is_an_error_and_keeps_what_was_whole(get, folder, server):
    server.script["test.conllu"] = ["half"] * (RETRIES + 1)
    with pytest.raises(NotFetched, match=r"test\.conllu from .*the connection failed.*--mirror"):
        get()
    assert server.asked.count("test.conllu") == RETRIES + 1
    assert not folder.exists()
    assert left_over(folder) == {".mini.part/train.conllu"}
    server.asked.clear()
    assert get() == 2
    assert server.asked == ["test.conllu", "LICENSE.txt"]
    assert holds_all(folder, server)


def test_a_file_that_is_not_there_is_asked_for_once(get, folder, server):
    server.script["train.conllu"] = [404] * 9
    with pytest.raises(NotFetched, match=r"train\.conllu from http.*answered 404"):
        get()
    assert server.asked == ["train.conllu"]
    assert left_over(folder) == set()


def test_a_server_that_stays_broken_is_named_with_its_answer(get, server):
    server.script["train.conllu"] = [500] * 9
    with pytest.raises(NotFetched, match="still answered 500"):
        get()
    assert server.asked == ["train.conllu"] * (RETRIES + 1)


def test_no_network(corpus, tmp_path, server, monkeypatch):
    monkeypatch.setattr("gapless_models.corpora.downloading.RETRIES", 0)
    with pytest.raises(
        NotFetched, match=r"the connection failed.*mirror.*put the file into .*parsing/mini"
    ) as told:
        fetch(corpus, tmp_path, Quiet(), "http://127.0.0.1:9")  # nobody listens
    assert corpus.url(corpus.files[0], "http://127.0.0.1:9") in str(told.value)


@pytest.mark.parametrize("mirror", ["file:///etc", "mirror.example", "ftp://mirror.example"])
def test_a_mirror_that_is_no_web_server_is_refused(corpus, tmp_path, mirror):
    with pytest.raises(InvalidProblem, match="http://"):
        fetch(corpus, tmp_path, Quiet(), mirror)


def test_too_little_space_is_said_before_the_first_request(get, server, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(9, 8, 1))
    with pytest.raises(NotFetched, match=r"cannot write into .*needs 144,018 bytes and 1 are free"):
        get()
    assert server.asked == []


def test_a_disk_that_fills_up_meanwhile_leaves_nothing(get, folder):
    class Full(Quiet):
        @contextlib.contextmanager
        def progress(self, title, total):
            def fail(steps):
                raise OSError(errno.ENOSPC, "No space left on device")

            yield fail

    with pytest.raises(NotFetched, match=r"cannot write into .*No space left on device"):
        get(Full())
    assert left_over(folder) == set()


def test_a_file_in_the_place_of_a_folder(get, tmp_path):
    (tmp_path / "parsing").write_text("in the way")
    with pytest.raises(NotFetched, match="cannot write into"):
        get()


def test_control_c_leaves_whole_files_only(get, folder, server):
    server.script["test.conllu"] = [lambda: os.kill(os.getpid(), signal.SIGINT)]
    with pytest.raises(KeyboardInterrupt):
        get()
    assert left_over(folder) == {".mini.part/train.conllu"}
    assert get() == 2
    assert holds_all(folder, server)


KILLED = """
import json, sys
from pathlib import Path
from gapless.cli import Console
from gapless_models.corpora.downloading import fetch
from gapless_models.corpora.registry import OpenCorpus
corpus = OpenCorpus(**json.loads(sys.argv[1]))
fetch(corpus, Path(sys.argv[2]), Console(), sys.argv[3])
"""


def test_a_process_that_was_killed_leaves_neither_a_lock_nor_its_half_file(get, corpus, folder, server, tmp_path):
    reached, done = threading.Event(), threading.Event()

    def hang():
        reached.set()
        done.wait()

    server.script["test.conllu"] = [hang]
    command = [sys.executable, "-c", KILLED, json.dumps(attrs.asdict(corpus)), str(tmp_path), server.address]
    process = subprocess.Popen(command)
    reached.wait()
    while not any("tmp" in name for name in left_over(folder)):  # written in pieces
        time.sleep(0.01)
    process.kill()
    process.wait()
    done.set()
    assert get() == 2
    assert holds_all(folder, server)
    assert left_over(folder) == set()


def test_two_at_once_ask_for_every_file_once(get, folder, server):
    """The first is held up at the server until the second says that it waits."""
    waits, found = threading.Event(), []

    class Second(Quiet):
        def error(self, text):
            super().error(text)
            waits.set()

    reached = threading.Event()

    def hold():
        reached.set()
        waits.wait()

    server.script["train.conllu"] = [hold]
    first = threading.Thread(target=lambda: found.append(get()))
    first.start()
    reached.wait()
    console = Second()
    found.append(get(console))
    first.join()
    assert sorted(found) == [0, 3]
    assert "another process is fetching it" in console.complaints[0]
    assert Counter(server.asked)["test.conllu"] == 1
    assert holds_all(folder, server)


def test_without_pooch_the_extra_is_named(get, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingDependency, match=r"pip install 'gapless\[data\]'"):
        get()
    assert list(tmp_path.iterdir()) == []
