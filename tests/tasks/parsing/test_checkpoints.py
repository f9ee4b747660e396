"""A parser that is stored takes its own checkpoints away, and no neighbour's."""

import argparse

import pytest

from gapless.cli import Console
from gapless_models.parsing.treebank import embedded_treebank
from gapless_tasks.parsing.parser import ParserSource, Request


class Stub:
    families = ()

    def save(self, path):
        path.write_text("stored")


@pytest.mark.parametrize("name", ["m.npz", "m[1].npz"])
def test_only_its_own_checkpoints_are_removed(tmp_path, name):
    stored = tmp_path / name
    mine = [tmp_path / f"{name}.epochs", tmp_path / f"{name}.pruner.epochs"]
    other = tmp_path / f"{name}2.epochs"
    for path in (*mine, other):
        path.write_text("")
    source = ParserSource(lambda *_: Stub(), None, (), None)
    arguments = argparse.Namespace(train=False, overwrite=False)
    source.parser(embedded_treebank(), Request((), 1, 0, None), stored, arguments, Console())
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, other.name])
