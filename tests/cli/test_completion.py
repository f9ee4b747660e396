"""``gapless completion``: a script that needs nothing of gapless when it completes."""

import sys

import pytest

from gapless.cli import exit_codes, main


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_scripts_name_commands_tasks_and_options(shell, capsys):
    pytest.importorskip("shtab", reason="the extra `tasks` brings it")
    assert main(["completion", shell]) == exit_codes.PROVED
    script = capsys.readouterr().out
    for name in ("selftest", "entity-linking", "at-once", "cluster", "fetch"):
        assert name in script, name
    assert "python" not in script.lower().replace("python -m benchmarks", "")


def test_without_shtab_there_is_a_clear_error(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == exit_codes.USAGE
    assert "gapless completion needs shtab: pip install 'gapless[tasks]'" in capsys.readouterr().err


def test_fish_is_refused_with_what_there_is(capsys):
    with pytest.raises(SystemExit):
        main(["completion", "fish"])
    assert "bash" in capsys.readouterr().err
