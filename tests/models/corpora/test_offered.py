"""Sets of instances that plug-ins offer to ``gapless data``."""

import types
from hashlib import sha256

import pytest

from gapless.cli import main
from gapless.errors import DuplicateName, UnknownName
from gapless.plugins import Plugins, hookimpl
from gapless.plugins.manager import PluginWarning
from gapless_models.corpora import registry
from gapless_models.corpora.registry import find, known, offered

TABLE = """
[bins]
title = "Bins"
version = "1"
kind = "instances"
repository = "owner/bins"
licence = "CC-BY-NC-ND-4.0"
licence_url = "https://creativecommons.org/licenses/by-nc-nd/4.0/"
citation = "Nobody 2026"
commit = "0123456789012345678901234567890123456789"
use = ["gapless run bins --data {folder}"]
files = [{ name = "train.conllu", path = "a/train.conllu", bytes = BYTES, sha256 = "SUM" }]
"""


@pytest.fixture
def offer(monkeypatch):
    """Install plug-ins that offer these texts, and no others."""

    def it(*texts):
        plugins = Plugins(())
        for number, text in enumerate(texts):
            module = types.ModuleType(f"offers{number}")
            module.gapless_data = hookimpl(specname="gapless_data")(
                text if callable(text) else lambda text=text: text
            )
            plugins.add(module, f"offers{number}")
        monkeypatch.setattr(registry, "load_plugins", lambda: plugins)

    return it


def table(content=b"x"):
    return TABLE.replace("BYTES", str(len(content))).replace("SUM", sha256(content).hexdigest())


def test_the_instances_of_a_plugin_are_listed_and_fetched(offer, server, tmp_path, capsys):
    pytest.importorskip("pooch", reason="downloads need the extra data")
    offer(table(server.content["train.conllu"]), None)
    assert [*offered()] == [*known(), "bins"]
    assert main(["data", "fetch", "bins", "--mirror", server.address, "--dir", str(tmp_path / "mine")]) == 0
    folder = tmp_path / "mine" / "instances" / "bins"
    assert (folder / "train.conllu").read_bytes() == server.content["train.conllu"]
    assert capsys.readouterr().out.splitlines()[-1] == f"  gapless run bins --data {folder}"
    assert main(["data", "check", "bins", "--data", str(tmp_path / "mine")]) == 0
    assert main(["data", "path", "bins"]) != 0
    assert "to download it: gapless data fetch bins" in capsys.readouterr().err


def test_two_plugins_must_not_offer_the_same_name(offer):
    offer(table(), table())
    with pytest.raises(DuplicateName, match="'bins'"):
        offered()
    offer(table().replace("[bins]", "[turku-ner]"))
    with pytest.raises(DuplicateName, match="'turku-ner'"):
        find("turku-ner")


def test_a_misspelt_set_gets_the_nearest_name(offer):
    offer(table())
    with pytest.raises(UnknownName, match="'bins'"):
        find("binz")


@pytest.mark.parametrize(("old", "new"), [('kind = "instances"', 'kind = "things"'), ("[bins]", "[bins")])
def test_a_table_that_is_wrong_is_named_and_the_others_stay(offer, old, new):
    offer(table().replace(old, new), table().replace("bins", "boxes"))
    with pytest.warns(PluginWarning, match="plug-in offers0.* is broken: .*registry of corpora"):
        assert [*offered()] == [*known(), "boxes"]


def test_a_plugin_that_raises_is_named_and_the_others_stay(offer):
    offer(lambda: 1 / 0, table())
    with pytest.warns(PluginWarning, match="plug-in offers0.* is broken: ZeroDivisionError"):
        assert [*offered()] == [*known(), "bins"]
