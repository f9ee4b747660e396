"""Stored results are read and verified: those that this version writes, and the files of released versions.

`store_results.py` writes one file for each release into tests/data, which never changes again. Until the first
release there is none, and the tests read the file that the present code writes.
"""

import gzip
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest

from gapless.core.certificate import Certificate, DeferredCertificate
from gapless.core.record import Record, read_values
from gapless.plugins import load_plugins
from gapless.roles import NoCertificate

pytestmark = pytest.mark.long
RELEASED = sorted(Path(__file__).parents[1].joinpath("data").glob("results-*.jsonl.gz"))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The file of the present code, and those of all releases."""
    file = tmp_path_factory.mktemp("stored") / "results.jsonl.gz"
    script = Path(__file__).with_name("store_results.py")
    subprocess.run([sys.executable, script, file, "130"], check=True, stdout=subprocess.DEVNULL)
    return [file, *RELEASED]


def class_tags(file: Path) -> set[str]:
    """The classes that the documents of a file name."""
    return set(re.findall(r'"type": ?"(gapless[\w.]*)"', gzip.decompress(file.read_bytes()).decode()))


def test_stored_results_are_read_and_verified(stored: list[Path]) -> None:
    for file in stored:
        for number, record in enumerate(read_values(file), 1):
            assert isinstance(record, Record)
            verdict = record.verify()
            unproved = isinstance(record.result.certificate, NoCertificate)
            assert unproved or verdict, f"{file.name}:{number} {record.name}: {verdict.reason}"
            assert record.words == ("a", "b")


def test_a_fresh_process_knows_every_stored_class(stored: list[Path]) -> None:
    tags = sorted(set().union(*map(class_tags, stored)))
    code = """
import json, sys
import gapless
from gapless.core.owners import import_class
from gapless.core.serial import _CLASSES
for tag in json.loads(sys.argv[1]):
    import_class(tag, _CLASSES)
    if tag not in _CLASSES:
        print(tag)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(tags)], capture_output=True, text=True, check=True
    )
    assert tags
    assert done.stdout == ""


def kinds(above: type[Certificate] = Certificate) -> Iterator[type[Certificate]]:
    """All kinds of certificate that are loaded and can be made."""
    for kind in above.__subclasses__():
        if not inspect.isabstract(kind) and kind is not DeferredCertificate:  # what it makes is stored
            yield kind
        yield from kinds(kind)


def test_every_certificate_is_stored(stored: list[Path]) -> None:
    load_plugins()
    shipped = set(distribution("gapless").read_text("top_level.txt").split())
    wanted = {
        f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
        for kind in kinds()
        if kind.__module__.partition(".")[0] in shipped and not kind.__module__.startswith("gapless.testing")
    }
    assert wanted - class_tags(stored[0]) == set()
