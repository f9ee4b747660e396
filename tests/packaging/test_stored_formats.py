"""Stored results are read and verified: one file for each release that brought a class, by store_results.py.

A file never changes after its release. The file of 0.1 is written again until then.
"""

import gzip
import inspect
import json
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from gapless.certificates.certificate import Certificate, DeferredCertificate
from gapless.plugins import load_plugins
from gapless.results.record import Record, read_values
from gapless.roles import NoCertificate

STORED = sorted(Path(__file__).parents[1].joinpath("data").glob("results-*.jsonl.gz"))


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.name)
def test_stored_results_are_read_and_verified(file):
    for number, record in enumerate(read_values(file), 1):
        assert isinstance(record, Record)
        verdict = record.verify()
        unproved = isinstance(record.result.certificate, NoCertificate)
        assert unproved or verdict, f"{file.name}:{number} {record.name}: {verdict.reason}"
        assert record.words == ("a", "b")


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.name)
def test_a_fresh_process_knows_every_stored_class(file):
    tags = sorted(set(re.findall(r'"type": ?"(gapless[\w.]*)"', gzip.decompress(file.read_bytes()).decode())))
    code = """
import json, sys
import gapless
from gapless.arrays.class_loaders import import_class
from gapless.arrays.serial import _CLASSES
for tag in json.loads(sys.argv[1]):
    import_class(tag, _CLASSES)
    if tag not in _CLASSES:
        print(tag)
"""
    found = subprocess.run(
        [sys.executable, "-c", code, json.dumps(tags)], capture_output=True, text=True, check=True
    )
    assert found.stdout == ""


def kinds(above=Certificate):
    """All kinds of certificate that are loaded and can be made."""
    for kind in above.__subclasses__():
        if not inspect.isabstract(kind) and kind is not DeferredCertificate:  # what it makes is stored
            yield kind
        yield from kinds(kind)


def test_every_certificate_is_stored():
    load_plugins()
    shipped = set(distribution("gapless").read_text("top_level.txt").split())
    wanted = {
        f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
        for kind in kinds()
        if kind.__module__.partition(".")[0] in shipped and not kind.__module__.startswith("gapless.testing")
    }
    named = set()
    for file in STORED:
        named |= set(re.findall(r'"type": ?"(gapless[\w.]*)"', gzip.decompress(file.read_bytes()).decode()))
    assert wanted - named == set()
