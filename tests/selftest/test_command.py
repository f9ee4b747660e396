"""``gapless selftest``: table, JSON, exit codes, files of mistakes, kernels."""

import json

import numpy as np
import pytest

import gapless_kernels
from gapless import loads
from gapless.cli.console import Console
from gapless.cli.parser import Parser
from gapless.errors import UnknownName, UnknownOption
from gapless.roles import SelftestInstances
from gapless.selftest import command, plugin
from gapless.testing import kernel_twins as twins
from gapless.testing.enumeration import SpaceTooLarge
from gapless.testing.examples import Selection
from gapless.testing.kernel_twins import compare_kernels


class Plugins:
    """The part of the plug-in manager that the command asks."""

    def __init__(self, registry, specimens):
        self.registry, self.loaded, self.hook = registry, [], self
        self.gapless_selftest_instances = lambda: [specimens]


@pytest.fixture
def selftest(registered, specimens, monkeypatch, capsys):
    def run(method, *arguments, **how):
        registry = registered(method, **how)
        monkeypatch.setattr(command, "load_plugins", lambda: Plugins(registry, specimens))
        parser = Parser()
        plugin.gapless_cli(parser.add_subparsers())
        parsed = parser.parse_args(["selftest", "--cases", "20", *arguments])
        code = parsed.run(parsed, Console(as_json=parsed.json))
        return code, capsys.readouterr().out

    return run


def test_a_sound_installation(selftest, wrong):
    code, said = selftest(wrong.honest)
    assert code == 0
    for words in (
        "numpy:",
        "kernels:",
        "Methods against brute force",
        "selection",
        "tried",
        "all answers are right",
    ):
        assert words in said
    code, said = selftest(wrong.honest, "--json", "--seed", "3")
    told = json.loads(said)
    assert (code, told["passed"], told["interrupted"], told["seed"], told["cases"]) == (0, True, False, 3, 20)
    (method,) = told["methods"]
    assert (method["problem"], method["method"], method["instances"], method["mistakes"]) == (
        "selection",
        "tried",
        20,
        [],
    )


def test_a_mistake_fails_and_its_instance_is_kept(selftest, wrong, tmp_path):
    code, said = selftest(wrong.second_best, "--out", str(tmp_path / "new"))
    assert code == 1
    assert "MISTAKE selection, tried, case" in said
    assert "FAILED" in said
    kept = sorted((tmp_path / "new").iterdir())
    assert kept
    assert all(isinstance(loads(file.read_text()), Selection) for file in kept)


def test_ctrl_c_shows_what_was_done(selftest, wrong):
    code, said = selftest(wrong.interrupted_after(3))
    assert code == 130
    assert "interrupted: results so far" in said


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("--cases", "0"), UnknownOption, "--cases is 0"),
        (("--seconds", "nan"), UnknownOption, "--seconds"),
        (("--seed", "-1"), UnknownOption, "--seed is -1"),
        (("--method", "tryed"), UnknownName, "did you mean 'tried'"),
        (("--problem", "selections"), UnknownName, "did you mean 'selection'"),
    ],
)
def test_wrong_arguments_are_named(selftest, wrong, arguments, error, words):
    with pytest.raises(error, match=words):
        selftest(wrong.honest, *arguments)


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1: the twins run themselves")
def test_a_kernel_that_differs_is_found(monkeypatch):
    assert all(tally.compared and not tally.different for tally in compare_kernels(0))

    def off(module, rng):
        return (np.nextafter(1.0, 2.0) if module.__name__.endswith("_twin") else 1.0,)

    monkeypatch.setattr(twins, "_KERNELS", {"off": ("parsing._eisner", off)})
    (tally,) = compare_kernels(0)
    assert tally.different == tally.compared
    assert "input 0" in tally.reason


def test_no_kernels_no_comparison(monkeypatch):
    monkeypatch.setattr(gapless_kernels, "COMPILED", False)
    assert compare_kernels(0) == []
    assert twins.instruction_sets() == ()


def test_specimens_that_are_too_large_are_named(selftest, wrong, specimens):
    def too_large(problem, k):
        raise SpaceTooLarge("33 decisions")

    sound = list(specimens)
    specimens.insert(0, SelftestInstances(Selection, sound[0].draw, best=too_large))
    code, said = selftest(wrong.honest)
    assert code == 0
    assert "note: not tested: specimens of Selection, case 0: SpaceTooLarge: 33 decisions" in said
    code, said = selftest(wrong.honest, "--json")
    assert (code, len(json.loads(said)["skipped"])) == (0, 1)
    del specimens[1:]
    assert selftest(wrong.honest)[0] == 1  # nothing was tested
