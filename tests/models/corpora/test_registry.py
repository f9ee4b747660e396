"""The registry that comes with gapless, and registries that are wrong."""

import re
from pathlib import Path

import pytest

from gapless.errors import InvalidProblem, UnknownName
from gapless_models.corpora import cache_folder
from gapless_models.corpora.registry import TREEBANK, find, known, read_registry

GOOD = """
[mini]
title = "Mini"
languages = "None"
version = "1"
kind = "treebank"
repository = "owner/mini"
licence = "CC0-1.0"
licence_url = "https://creativecommons.org/publicdomain/zero/1.0/"
citation = "Nobody 2026"
commit = "0123456789012345678901234567890123456789"
files = [{ name = "test.conllu", path = "a/b.conllu", bytes = 3, sha256 = "SUM" }]
""".replace("SUM", "0" * 64)


def test_every_corpus_has_what_a_task_and_a_careful_user_need():
    for name, corpus in known().items():
        names = [file.name for file in corpus.files]
        assert corpus.name == name == name.lower()
        assert len(set(names)) == len(names)
        assert "LICENSE.txt" in names
        assert any(re.fullmatch(r"test\.(conllu|tsv|iob2)", one) for one in names)
        assert corpus.licence_url.startswith("https://")
        assert all(file.bytes > 0 for file in corpus.files)
        assert corpus.citation
    assert len({corpus.title for corpus in known().values()}) == len(known())


def test_no_licence_forbids_what_a_parser_does_with_a_text():
    """ND: no derived works."""
    assert not [corpus.name for corpus in known().values() if "ND" in corpus.licence.split("-")]


def test_the_license_of_a_treebank_is_told():
    assert find("ud-english-ewt").commercial
    assert not find("ud-hungarian-szeged").commercial


def test_the_page_names_every_corpus_with_its_licence():
    page = Path(__file__).parents[3] / "docs" / "howto" / "get-data.md"
    rows = re.findall(
        r"^\| `([a-z0-9-]+)` \| (.*?) \| (.*?) \|.*\| (.*?) \| (.*?) \|$", page.read_text("utf-8"), re.MULTILINE
    )
    assert rows == [
        (
            corpus.name,
            corpus.languages,
            "tags, trees" if corpus.kind == TREEBANK else "entities",
            f"{corpus.bytes / 1e6:.1f}",
            corpus.licence,
        )
        for corpus in known().values()
    ]


def test_addresses_have_the_commit_and_a_mirror_replaces_the_host():
    (corpus,) = read_registry(GOOD.replace("a/b", "a/#b")).values()
    (file,) = corpus.files
    path = f"owner/mini/{corpus.commit}/a/%23b.conllu"
    assert corpus.url(file) == f"https://raw.githubusercontent.com/{path}"
    assert corpus.url(file, "http://here:80/git/") == f"http://here:80/git/{path}"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "test.conllu"', 'name = "../../.bashrc"', "plain name"),
        ('name = "test.conllu"', 'name = ".."', "plain name"),
        ('name = "test.conllu"', 'name = "/etc/passwd"', "plain name"),
        ("[mini]", '["../mini"]', "plain name"),
        ('sha256 = "0', 'sha256 = "g', "SHA-256"),
        ('commit = "0123', 'commit = "v1', "whole commit"),
        ('kind = "treebank"', 'kind = "picture"', "picture"),
        ('citation = "Nobody 2026"', "", "citation"),
        ('title = "Mini"', 'titel = "Mini"', "titel"),
        ("[mini]", "[mini", "no TOML"),
    ],
)
def test_a_registry_that_is_wrong_is_refused(old, new, words):
    assert old in GOOD
    with pytest.raises(InvalidProblem, match=words) as caught:
        read_registry(GOOD.replace(old, new))
    assert words == "no TOML" or "mini" in str(caught.value)


def test_a_name_that_nobody_knows():
    with pytest.raises(UnknownName, match=r"did you mean 'ud-english-ewt'.*gapless data list"):
        find("ud_english_ewt")


@pytest.mark.parametrize("folder", [None, "", "/somewhere/else"])
def test_the_cache_is_where_pooch_would_have_it(monkeypatch, folder):
    pooch = pytest.importorskip("pooch", reason="the extra data")
    monkeypatch.delenv("GAPLESS_CACHE")
    if folder is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
    assert cache_folder() == Path(pooch.os_cache("gapless"))


def test_the_cache_can_be_elsewhere(monkeypatch):
    monkeypatch.setenv("GAPLESS_CACHE", "/mnt/corpora")
    assert cache_folder() == Path("/mnt/corpora")
