"""Readers that are wrong on purpose: the fuzzer must find out."""

import os
import signal

import documents
import truth

import gapless as gl


def crash(path):
    """As compiled code that writes where it must not."""
    os.abort()


def hang(path):
    """Computes for ever."""
    while True:
        pass


def wait(path):
    """Waits for what never comes."""
    signal.pause()


def memory(path):
    """Believes a size that a file states."""
    bytearray(1 << 40)


class Gullible(gl.Record):
    """Takes every claim for true."""

    def verify(self, *, work=None):
        """Without looking."""
        return gl.Verdict(True, "believed")


def forged(path):
    """Verifies what a result claims without looking at the evidence."""
    record = gl.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
    if isinstance(record, gl.Record):
        truth.check_record(Gullible(record.problem, record.result), documents.judges())
