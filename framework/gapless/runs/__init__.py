"""Folders of runs that survive being killed: a manifest, append-only logs of answers, and a lock (decision 015)."""

from gapless.runs.answer import LoggedAnswer, without_evidence
from gapless.runs.answer_log import AnswerLog, read_log
from gapless.runs.fingerprint import Fingerprint
from gapless.runs.folder import SUMMARY, TABLES, OtherVersion, RunFolder
from gapless.runs.manifest import MANIFEST, Manifest, State

__all__ = [
    "MANIFEST",
    "SUMMARY",
    "TABLES",
    "AnswerLog",
    "Fingerprint",
    "LoggedAnswer",
    "Manifest",
    "OtherVersion",
    "RunFolder",
    "State",
    "read_log",
    "without_evidence",
]
