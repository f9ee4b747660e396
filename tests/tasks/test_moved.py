"""Former places of modules, names and commands lead to the new ones, with a warning that says where those are."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from gapless.cli import exit_codes
from gapless.cli.main import main
from gapless_tasks import moved

DOCUMENTED = {  # what pages of the version before named
    "gapless_tasks.dependency_parsing.conllu_reader": "gapless_models.parsing.conllu_reader",
    "gapless_tasks.dependency_parsing.job": "gapless_tasks.parsing.job",
    "gapless_tasks.dependency_parsing.terminal_drawing": "gapless_models.parsing.terminal_drawing",
    "gapless_tasks.dependency_parsing.treebank": "gapless_models.parsing.treebank",
    "gapless_tasks.entity_linking.readers": "gapless_models.linking.readers",
    "gapless_tasks.entity_linking.job": "gapless_tasks.linking.job",
    "gapless_tasks.estimators.chain_tagger": "gapless_models.estimators.chain_tagger",
    "gapless_tasks.grandparent_model.scorer": "gapless_models.price_and_cut.scorer",
    "gapless_tasks.open_corpora.registry": "gapless_models.corpora.registry",
    "gapless_tasks.parsing.training": "gapless_models.parsing.training",
    "gapless_tasks.tagging.training": "gapless_models.tagging.training",
    "gapless_tasks.tagging_job.decoder": "gapless_models.tagging.decoder",
    "gapless_tasks.tagging_job.paper": "gapless_tasks.tagging.paper",
    "gapless_tasks.title_generation.section_reader": "gapless_models.titles.section_reader",
}


@pytest.fixture
def _nothing_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """No former name is known yet; the modules under their new names stay."""
    for name in [*sys.modules]:
        if name.startswith("gapless_tasks.") and moved.new_place(name):
            monkeypatch.delitem(sys.modules, name)
    yield
    for name in [*sys.modules]:
        if name.startswith("gapless_tasks.") and moved.new_place(name):
            del sys.modules[name]


@pytest.mark.usefixtures("_nothing_imported")
@pytest.mark.parametrize(("old", "new"), [*moved.PACKAGES.items(), *DOCUMENTED.items()])
def test_a_former_module_is_the_new_one(old: str, new: str) -> None:
    wanted = importlib.import_module(new)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = importlib.import_module(old)
    assert found is wanted
    assert found.__name__ == new
    assert found.__spec__.name == new
    assert {one.category for one in said} == {DeprecationWarning}
    assert str(said[-1].message) == f"{old} has moved to {new}"


@pytest.mark.parametrize("job", ["gapless_tasks.parsing", "gapless_tasks.tagging"])
def test_former_names_of_a_package_are_those_of_its_model(job: str) -> None:
    package, model = importlib.import_module(job), importlib.import_module(moved.MODELS[job])
    for name in model.__all__:
        with pytest.warns(DeprecationWarning, match=f"{job}.{name} has moved to {model.__name__}.{name}"):
            assert getattr(package, name) is getattr(model, name)
    with pytest.raises(AttributeError, match="'Sentences'"):
        package.Sentences  # noqa: B018


def test_the_warning_points_at_the_import(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from gapless_tasks.estimators import ChainTagger\n"
        "from gapless_tasks.tagging.sentence import TaggedSentence\n"
        "from gapless_tasks.tagging import embedded_corpus\n"
        "from gapless_models import estimators, tagging\n"
        "assert ChainTagger is estimators.ChainTagger and TaggedSentence is tagging.TaggedSentence\n"
    )
    command = [sys.executable, "-W", "default", str(script)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stderr
    for line, old in ((1, "estimators"), (2, "tagging.sentence"), (3, "tagging.embedded_corpus")):
        assert (
            f"script.py:{line}: DeprecationWarning: gapless_tasks.{old} has moved to gapless_models.{old}" in told
        )


@pytest.mark.parametrize("name", ["gapless_tasks.nowhere", "gapless_tasks.parsing.nowhere"])
def test_a_module_that_never_was_is_missing(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        importlib.import_module(name)


@pytest.mark.parametrize(("old", "new"), moved.BENCHMARKS.items())
def test_a_former_benchmark_task_is_run_in_a_clone(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = importlib.import_module(f"benchmarks.{new.replace('-', '_')}.benchmark")
    monkeypatch.setattr(module, "run", lambda arguments, console: console.say("measured") or 0)
    assert main(["run", old]) == exit_codes.PROVED
    told = capsys.readouterr()
    assert told.out.startswith("measured\n")
    assert told.err == f"gapless run {old} has moved: python -m benchmarks {new}\n"


@pytest.mark.parametrize(("old", "new"), moved.BENCHMARKS.items())
def test_a_former_benchmark_task_says_elsewhere_where_it_is(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(moved, "__file__", str(tmp_path / "site-packages" / "gapless_tasks" / "moved.py"))
    assert main(["run", old, "--rounds", "3", "--json"]) == exit_codes.USAGE
    told = capsys.readouterr()
    assert told.out == ""
    assert "from a clone of gapless" in told.err
    assert told.err.endswith(f"python -m benchmarks {new}\n")
