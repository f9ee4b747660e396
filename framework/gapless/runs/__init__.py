"""Folders of runs that can be killed: a manifest, append-only answers, and a lock."""

from gapless.runs.answer import Answer, numbers_only
from gapless.runs.answer_log import AnswerLog, read_log
from gapless.runs.fingerprint import Fingerprint
from gapless.runs.folder import SUMMARY, TABLES, OtherVersion, RunFolder
from gapless.runs.manifest import MANIFEST, Manifest, State

__all__ = [
    "MANIFEST",
    "SUMMARY",
    "TABLES",
    "Answer",
    "AnswerLog",
    "Fingerprint",
    "Manifest",
    "OtherVersion",
    "RunFolder",
    "State",
    "numbers_only",
    "read_log",
]
