"""Names that do not exist are answered with the nearest: commands, tasks, choices, treebanks, corpora, methods."""

import pytest

from gapless.cli import exit_codes, main

ARGUMENTS = {
    "slove": (["slove", "x.json"], "solve"),
    "pos-taging": (["run", "pos-taging"], "pos-tagging"),
    "perceptrn": (["run", "pos-tagging", "--trainer", "perceptrn"], "perceptron"),
    "fetsh": (["data", "fetsh"], "fetch"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments(name, capsys):
    asked, meant = ARGUMENTS[name]
    with pytest.raises(SystemExit) as end:
        main(asked)
    assert end.value.code == exit_codes.USAGE
    assert f"invalid choice: {name!r} (did you mean {meant!r}?) (choose from " in capsys.readouterr().err


def test_far_names_get_no_hint(capsys):
    with pytest.raises(SystemExit):
        main(["run", "xyzzy"])
    assert "invalid choice: 'xyzzy' (choose from 'pos-tagging'" in capsys.readouterr().err


VALUES = {
    "danisch": (["dependency-parsing", "--treebank", "danisch"], "danish"),
    "ud-english-ewtt": (["dependency-parsing", "--treebank", "ud-english-ewtt"], "ud-english-ewt"),
    "english-ewt": (["dependency-parsing", "--treebank", "english-ewt"], "ud-english-ewt"),
    "embeded": (["price-and-cut", "--treebank", "embeded"], "embedded"),
    "hungarain": (["price-and-cut", "--treebank", "hungarain"], "hungarian"),
    "wsjpos": (["pos-tagging", "--corpus", "wsjpos"], "wsj_pos"),
    "uner-danish": (["pos-tagging", "--corpus", "uner-danish"], "uner-danish-ddt"),
    "iitbb": (["entity-linking", "--corpora", "iitbb"], "iitb"),
    "viterby": (["pos-tagging", "--method", "viterby"], "viterbi"),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("by_variable", [False, True])
def test_values(name, by_variable, tmp_path, monkeypatch, capsys):
    for folder in ("parsing/danish", "parsing/hungarian", "tagging/wsj_pos", "entity_linking"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setenv("GAPLESS_CACHE", str(tmp_path / "cache"))
    asked, meant = VALUES[name]
    if by_variable:
        monkeypatch.setenv("GAPLESS_DATA", str(tmp_path))
    else:
        asked = [*asked, "--data", str(tmp_path)]
    assert main(["run", *asked]) == exit_codes.USAGE
    assert f"(did you mean {meant!r}?)" in capsys.readouterr().err
