"""``gapless completion``: a script that needs nothing of gapless when it completes."""

import re
import shutil
import subprocess
import sys

import pytest

from gapless.cli import exit_codes, main


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_scripts_name_commands_tasks_and_options(shell, capsys):
    pytest.importorskip("shtab", reason="the extra `tasks` brings it")
    assert main(["completion", shell]) == exit_codes.PROVED
    script = capsys.readouterr().out
    for name in ("selftest", "entity-linking", "chunk-size", "cluster", "fetch"):
        assert name in script, name
    assert "python" not in script.lower().replace("python -m benchmarks", "")


def test_without_shtab_there_is_a_clear_error(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == exit_codes.USAGE
    assert "gapless completion needs shtab: pip install 'gapless[tasks]'" in capsys.readouterr().err


CHECKS = {"bash": ["-n"], "zsh": ["-n"], "fish": ["--no-execute"], "tcsh": ["-n"]}


@pytest.mark.parametrize("shell", CHECKS)
def test_scripts_are_right_by_their_own_shell(shell, capsys, tmp_path):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    assert main(["completion", shell]) == exit_codes.PROVED
    script = tmp_path / f"gapless.{shell}"
    script.write_text(capsys.readouterr().out)
    done = subprocess.run([program, *CHECKS[shell], script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_line_of_the_fish_script_stands_by_itself(capsys):
    """Blocks are closed and quotes too: by structure, where there is no fish."""
    assert main(["completion", "fish"]) == exit_codes.PROVED
    depth = 0
    for line in capsys.readouterr().out.splitlines():
        bare = re.sub(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", "", line)
        code = re.sub(r"(^|\s)#.*", "", bare)
        assert "'" not in code, line
        assert '"' not in code, line
        words = re.split(r"[;\s]+", code.strip())
        depth += words[0] in ("function", "if", "for", "while", "switch", "begin")
        depth -= words[0] == "end"
        assert depth >= 0, line
    assert depth == 0


def test_fish_offers_commands_options_choices_and_paths(capsys):
    assert main(["completion", "fish"]) == exit_codes.PROVED
    lines = capsys.readouterr().out.splitlines()

    def offered(command, option):
        (line,) = (one for one in lines if f"using {command}'" in one and f"-l {option} " in one)
        return line

    assert "__fish_complete_path" in offered("solve", "start")  # a file
    assert "-x" in offered("solve", "nodes")  # a number, and no file
    assert "loky" in offered("solve", "backend")
    assert "-s q -l quiet" in offered("run pos-tagging", "quiet")
    assert any("-a fetch" in line and "using data;" in line for line in lines)
