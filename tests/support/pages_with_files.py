"""Pages whose blocks are files: written down, compiled and run as they stand there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FILE = re.compile(r"^```(?:py|c)\n((?:#|/\*) (\w+\.(?:py|c))\b.*?)^```", re.DOTALL | re.MULTILINE)
COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)


def run(*command, folder, **environment):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # `python` is this one
    answer = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout[-3000:] + answer.stderr[-3000:]
    return answer.stdout


def written(page, place, names):
    """The files of the page, and what its commands make."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler cc")
    text = page.read_text(encoding="utf-8")
    files = {name: content for content, name in FILE.findall(text)}
    assert set(files) == names
    for name, content in files.items():
        (place / name).write_text(content, encoding="utf-8")
    (commands,) = COMMANDS.findall(text)
    run("sh", "-e", "-c", commands, folder=place)
    return place
