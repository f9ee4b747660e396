"""One wheel for every x86-64 processor: the kernels choose their instruction set when loaded, and answer alike.

``GAPLESS_INSTALLED`` may name the interpreter of another installation, such as one of the built wheel, to be
looked at instead of this one. Processors that this machine does not have are emulated by qemu.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from drawn import long

import gapless_kernels

PYTHON = os.environ.get("GAPLESS_INSTALLED", sys.executable)
SETS = ("plain", "avx2", "avx512")
QEMU = shutil.which("qemu-x86_64") or shutil.which("qemu-x86_64-static")
# qemu knows no AVX-512, so its best processor masks that; a Nehalem has no AVX of any kind.
EMULATED = {"max": "avx2", "Nehalem": "plain"}

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have one version of each kernel"),
    pytest.mark.skipif(not gapless_kernels.COMPILED, reason="the NumPy twins are in use"),
]


def environment():
    """Variables for another process: nothing of ours, and a path only to this installation."""
    # numpy's BLAS goes by a processor's name, not by what it can: emulated, it would run what is masked.
    variables = {**os.environ, "OPENBLAS_CORETYPE": "Nehalem"}
    variables.pop("GAPLESS_SIMD", None)
    if "GAPLESS_INSTALLED" in os.environ:
        variables.pop("PYTHONPATH", None)
    return variables


def answers(folder, *before, rounds, simd=None):
    """The output of answers.py in a process of its own, started through the command `before`."""
    settings = environment()
    if simd:
        settings["GAPLESS_SIMD"] = simd
    script = Path(__file__).with_name("answers.py")
    run = subprocess.run(
        [*before, PYTHON, "-W", "ignore", script, str(rounds)],
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def rounds(request):
    """Problems of every kind: twice with --long."""
    return 2 if request.config.getoption("--long") else 1


@pytest.fixture(scope="module")
def native(tmp_path_factory, rounds):
    """The answers of this processor at its best."""
    return answers(tmp_path_factory.mktemp("native"), rounds=rounds)


def differing(first, second):
    """The problems and methods that were answered differently; those of `second` may be fewer."""
    assert second["answers"].keys() <= first["answers"].keys()
    return [name for name, told in second["answers"].items() if first["answers"][name] != told]


@pytest.mark.parametrize("name", ["plain", long("avx2"), "avx512"])
def test_instruction_sets_answer_alike(name, native, rounds, tmp_path):
    told = answers(tmp_path, rounds=rounds, simd=name)
    assert told["instruction_set"] == min(name, native["instruction_set"], key=SETS.index)
    assert differing(native, told) == []


@pytest.mark.long
@pytest.mark.skipif(QEMU is None, reason="qemu-x86_64 is not installed (Debian: qemu-user)")
@pytest.mark.parametrize("processor", EMULATED)
def test_masked_processors_answer_alike(processor, native, tmp_path):
    told = answers(tmp_path, str(QEMU), "-cpu", processor, rounds=1)
    assert told["instruction_set"] == EMULATED[processor]
    assert differing(native, told) == []


def test_another_answer_is_seen(native):
    name, told = next(iter(native["answers"].items()))
    other = {"answers": {name: [*told[:-1], told[-1] + " "]}}
    assert differing(native, other) == [name]


def test_an_unknown_instruction_set_is_refused(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", "import gapless_kernels"],
        cwd=tmp_path,
        env={**os.environ, "GAPLESS_SIMD": "avx3"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert "GAPLESS_SIMD=avx3: must be plain, avx2 or avx512" in run.stderr


@pytest.mark.parametrize("command", ["gapless", "-m"])
def test_the_command_refuses_it_in_one_line(command, tmp_path):
    script = shutil.which("gapless", path=Path(sys.executable).parent)
    if command == "gapless" and script is None:
        pytest.skip("the command is not installed beside this Python")
    run = subprocess.run(
        [sys.executable, "-m", "gapless", "plugins"] if command == "-m" else [str(script), "plugins"],
        cwd=tmp_path,
        env={**os.environ, "GAPLESS_SIMD": "sse"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr == "gapless: GAPLESS_SIMD=sse: must be plain, avx2 or avx512, or not be set\n"


# VEX and EVEX instructions, masks, and the bit manipulation that comes with them. Not TZCNT: compilers use it for
# BSF, as which old processors take it.
BEYOND_BASELINE = re.compile(
    r"\t(v(?!err|erw)\w+|k(?:mov|or|and|xor|not|test|unpck|shift|add)\w+"
    r"|shlx|shrx|sarx|rorx|mulx|pdep|pext|andn|bextr|bls\w+|bzhi|lzcnt|popcnt)\b"
)
VERSIONED = re.compile(r"_avx(?:2|512)(?:\.[\w.]+)?$")


def functions(listing):
    """Name and instructions of every function of a disassembly."""
    for block in re.split(r"^[0-9a-f]+ <(?=.*>:$)", listing, flags=re.MULTILINE)[1:]:
        name, _, body = block.partition(">:\n")
        yield name, body


def unguarded(listing):
    """Functions with instructions that an old processor lacks, though their names promise no such version."""
    return [
        f"{name}: {found[1]}"
        for name, body in functions(listing)
        if not VERSIONED.search(name) and (found := BEYOND_BASELINE.search(body))
    ]


@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed (Debian: binutils)")
def test_new_instructions_stay_in_their_versions():
    where = subprocess.run(
        [PYTHON, "-c", "import gapless_kernels; print(gapless_kernels.__file__)"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    versions = set()
    for file in sorted(Path(where.stdout.strip()).parent.rglob("*.so")):
        command = ["objdump", "-d", "--no-show-raw-insn", str(file)]
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert unguarded(listing) == [], file.name
        versions |= {found[0] for name, _ in functions(listing) if (found := VERSIONED.search(name))}
    assert {"_avx2", "_avx512"} <= versions


def test_a_new_instruction_elsewhere_is_caught():
    body = "    1000:\tvaddpd %ymm0,%ymm1,%ymm2\n"
    assert unguarded(f"0001 <step_f64_plain>:\n{body}") == ["step_f64_plain: vaddpd"]
    assert unguarded(f"0001 <step_f64_avx2>:\n{body}") == []
    assert unguarded(f"0001 <step_f64_avx512.constprop.0>:\n{body}") == []
