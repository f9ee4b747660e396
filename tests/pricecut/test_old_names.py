"""Documented modules that have moved still import, and say where they are."""

import importlib
import sys

import pytest

from gapless_pricecut import dual_completion


def test_the_old_place_warns_and_has_the_same_names():
    sys.modules.pop("gapless_pricecut.completion", None)
    with pytest.warns(DeprecationWarning, match=r"now gapless_pricecut\.dual_completion"):
        old = importlib.import_module("gapless_pricecut.completion")
    assert old.complete is dual_completion.complete
    assert old.Completion is dual_completion.Completion
