"""Dependency parsing: sentences, compiled features, training, and the parser."""

from gapless_tasks.parsing.sentence import Sentence

__all__ = ["Sentence"]
