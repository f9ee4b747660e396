"""Progress beside text: on a terminal nothing is mixed up, in a pipe there is no bar."""

import os
import re
import struct
import subprocess
import sys

import pytest
from drawn import mostly_long

pytest.importorskip("rich", reason="bars need rich")
fcntl = pytest.importorskip("fcntl", reason="pseudo-terminals are of POSIX")
pty = pytest.importorskip("pty", reason="pseudo-terminals are of POSIX")
termios = pytest.importorskip("termios", reason="pseudo-terminals are of POSIX")

BAR = re.compile(r"[━╸╺]")
"""The characters of bars and of rules of tables alone."""
ERASED = rb"(?:\r\x1b\[2K(?:\x1b\[1A\x1b\[2K)*|\n)(?:\x1b\[[0-9;?]*[a-z])*"
"""The output before a line that begins at the left of an empty row."""
SPEAKS = """
import sys, warnings
from gapless.cli import Console
console = Console(verbose=True)
console.info("before")
with console.progress("working", 40) as advance:
    for step in range(40):
        advance(1)
        if step % 8 == 0:
            console.info(f"said at {step} [bold] {{}}")
            console.error(f"complained at {step}")
            console.detail(f"detail at {step}")
            getattr(console, '_bar', None) and console._bar.refresh()  # now, not ten times a second
    console.table("A table", ("name", "number"), [("one", 1), ("two", 2)])
    with console.progress("working inside", 3) as inner:
        inner(1)
        getattr(console, '_bar', None) and console._bar.refresh()  # now, not ten times a second
        console.info("said inside")
        print("printed by a library")
        print("warned by a library", file=sys.stderr)
    console.info("said after the inner one")
console.info("after")
"""


def on_terminal(command, *, columns=80, out=None, term="xterm-256color"):
    """The output of a command to a terminal of 24 rows; with `out` its standard output goes there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    with subprocess.Popen(
        command, stdin=theirs, stdout=out or theirs, stderr=theirs, env={**known, "TERM": term}
    ) as process:
        os.close(theirs)
        sent = b""
        while True:
            try:
                sent += os.read(ours, 1 << 16)
            except OSError:  # the last writer has gone
                break
    os.close(ours)
    assert process.returncode == 0
    return sent


def rendered(sent, columns=80):
    """The rows on the screen and above it at the end, and every row with a bar in it that was ever seen."""
    pyte = pytest.importorskip("pyte", reason="needs a terminal emulator: pip install pyte")
    screen = pyte.HistoryScreen(columns, 24, history=10_000)
    stream = pyte.ByteStream(screen)
    bars = {}
    for number, part in enumerate(sent.split(b"\x1b")):
        stream.feed(part if number == 0 else b"\x1b" + part)
        bars.update((row, None) for row in screen.display if BAR.search(row))
    above = ["".join(row[column].data for column in range(columns)) for row in screen.history.top]
    return [row.rstrip() for row in (*above, *screen.display)], list(bars)


def test_text_stands_above_the_bars_that_are_gone_at_the_end():
    sent = on_terminal([sys.executable, "-c", SPEAKS])
    rows, bars = rendered(sent)
    said = [
        f"{what} at {step}{more}"
        for step in range(0, 40, 8)
        for what, more in (("said", " [bold] {}"), ("complained", ""), ("detail", ""))
    ]
    inside = ["said inside", "printed by a library", "warned by a library", "said after the inner one"]
    table = ("A table", "name", "----", "one", "two")
    kept = [row for row in rows if row and "─" not in row and not row.startswith(table)]
    assert kept == ["before", *said, *inside, "after"]
    assert any("40/40" in row for row in bars)
    assert any("working inside" in row for row in bars)
    for row in bars:
        assert re.fullmatch(r"working( inside)? +━*[━╸╺]━* .*", row) or "─" in row, row


def test_standard_output_in_a_file_gets_the_text_and_nothing_else(tmp_path):
    with (tmp_path / "out.txt").open("wb") as out:
        sent = on_terminal([sys.executable, "-c", SPEAKS], out=out)
    written = (tmp_path / "out.txt").read_text()
    assert "\x1b" not in written
    assert "printed by a library\nsaid after the inner one\nafter\n" in written
    assert "complained" not in written
    assert b"said" not in sent
    assert b"40/40" in sent
    assert re.search(ERASED + b"complained at 8", sent)


def test_a_terminal_that_cannot_take_a_line_back_gets_no_bar():
    sent = on_terminal([sys.executable, "-c", SPEAKS], term="dumb").decode()
    assert "\x1b" not in sent
    assert not BAR.search(sent)
    assert "said at 8" in sent


COLLIDES = [sys.executable, "-m", "gapless", "run", "dependency-parsing", "--epochs", "2", "--sentences", "60"]


ENDS = """
import os, sys, time
from gapless.cli import Console
console = Console()
with console.progress("a title that leaves the bar no room " * 3, 40) as advance:
    advance(3)
    console._bar.refresh()
    os.write(1, b"^C")  # as a terminal echoes it
console.error("gapless: interrupted")
"""


@pytest.mark.parametrize("columns", [60, 80])
def test_control_c_leaves_no_bar_behind(columns):
    rows, bars = rendered(on_terminal([sys.executable, "-c", ENDS], columns=columns), columns)
    assert any(re.search("a title that leaves the bar .*… ━.* 3/40", row) for row in bars)
    assert [row for row in rows if row] == ["gapless: interrupted"]


@pytest.mark.long
def test_a_training_on_a_terminal_draws_bars_and_says_its_epochs_when_asked():
    rows, bars = rendered(on_terminal(COLLIDES))
    assert not any("epoch" in row for row in rows)
    assert bars
    rows, bars = rendered(on_terminal([*COLLIDES, "--verbose"]))
    spoken = [row for row in rows if "epoch" in row]
    assert len(spoken) == 10  # 8 of the pruner
    assert all(
        re.fullmatch(r"(pruner|parser), epoch \d: .*(a dev word|right, \d+ sentences? wrong)", r) for r in spoken
    )
    assert not any(BAR.search(row) for row in rows)
    assert not any("epoch" in row for row in bars)


@pytest.mark.parametrize("task", mostly_long(["pos-tagging", "dependency-parsing", "entity-linking"], quick=[1]))
def test_a_pipe_gets_no_bar(task):
    command = [sys.executable, "-m", "gapless", "run", task]
    command += ["--epochs", "1"] if task in ("pos-tagging", "dependency-parsing") else []
    environment = {**os.environ, "FORCE_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "\r" not in done.stdout
    assert "epoch " not in done.stdout
