"""One rule for the folder of corpora: ``--data``, then GAPLESS_DATA where it holds what a task reads."""

import gzip
import json

import pytest

from gapless.cli import exit_codes, main
from gapless.cli.main import build_parser
from gapless.plugins import load_plugins

READS = {
    "pos-tagging": "tagging/wsj_pos",
    "joint-tagging": "tagging/ewt_pos_ner",
    "title-generation": "title_generation",
    "entity-linking": "entity_linking",
    "price-and-cut": "parsing/italian",
}
"""Files that each task reads below the folder of corpora; dependency-parsing and --corpus look up names there."""


def parsed(*words):
    return build_parser(load_plugins()).parse_args(words)


def test_every_task_with_data_is_among_them():
    registry = load_plugins().registry
    ours = [name for name in registry.tasks if registry.owners["task", name].endswith("(gapless)")]
    takes = {name for name in ours if hasattr(parsed("run", name), "data")}
    assert takes == READS.keys() | {"dependency-parsing"}


@pytest.mark.parametrize("task", READS)
def test_every_task_reads_what_the_variable_names(task, tmp_path, monkeypatch):
    assert parsed("run", task).data is None
    monkeypatch.setenv("GAPLESS_DATA", str(tmp_path))
    assert parsed("run", task).data is None  # nothing for this task is there
    (tmp_path / READS[task]).mkdir(parents=True)
    assert parsed("run", task).data == str(tmp_path)
    assert parsed("run", task, "--data", "elsewhere").data == "elsewhere"
    assert parsed("run", task, "--data", "").data is None
    monkeypatch.setenv("GAPLESS_DATA", "")
    assert parsed("run", task).data is None


def test_a_job_reads_it(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "tagging" / "wsj_pos"
    folder.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        (folder / f"{part}.tsv.gz").write_bytes(gzip.compress(b"a\tDT\nrose\tNN\n\nroses\tNNS\nare\tVBP\n\n"))
    monkeypatch.setenv("GAPLESS_DATA", str(tmp_path))
    asked = ["run", "pos-tagging", "--epochs", "1", "--method", "viterbi", "--json"]
    assert main(asked) == exit_codes.PROVED
    assert json.loads(capsys.readouterr().out)["corpus"] == str(folder)
    assert main([*asked, "--data", ""]) == exit_codes.PROVED
    assert json.loads(capsys.readouterr().out)["corpus"] == "embedded corpus"
