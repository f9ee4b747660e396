"""Accuracy of decoded labels: words, parts of joint labels, and entities by seqeval."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec

from gapless_models.tagging import TaggedSentence
from gapless_models.tagging.readers import JOINT

SEQEVAL_MISSING = "entities are not scored: seqeval is not installed (pip install 'gapless[tasks]')"
_ENTITY = re.compile(r"O|[BI]-.+")


def can_score_entities() -> bool:
    """Return whether seqeval is installed."""
    return find_spec("seqeval") is not None


def accuracy(gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> float:
    """Compute the share of words with their gold label, in [0, 1]; 0 without words."""
    pairs = [g == f for row, other in zip(gold, found, strict=True) for g, f in zip(row, other, strict=True)]
    return sum(pairs) / len(pairs) if pairs else 0.0


def joint_scores(gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> Mapping[str, float]:
    """Compute the scores of the parts of joint labels ``TAG|ENTITY``, entities in IOB2.

    Returns
    -------
    mapping of str to float
        ``tag_accuracy``; with seqeval also ``entity_precision``, ``entity_recall`` and ``entity_f1``, of whole
        entities with their kind (micro-averaged), an entity beginning wherever IOB2 lets it begin.
    """
    gold_tags, gold_entities = _parts(gold)
    found_tags, found_entities = _parts(found)
    return {"tag_accuracy": accuracy(gold_tags, found_tags), **entity_scores(gold_entities, found_entities)}


def entity_scores(gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> Mapping[str, float]:
    """Compute the entity scores of `joint_scores`; empty without seqeval."""
    if not can_score_entities():
        return {}
    # Here, not above: it imports scikit-learn, a second that no other command and no `solve` should wait for.
    metrics, scheme = import_module("seqeval.metrics"), import_module("seqeval.scheme")
    options = {"mode": "strict", "scheme": scheme.IOB2, "zero_division": 0}
    measures = {name: getattr(metrics, f"{name}_score") for name in ("precision", "recall", "f1")}
    rows = [list(row) for row in gold], [list(row) for row in found]  # seqeval accepts no other sequences
    return {f"entity_{name}": float(measure(*rows, **options)) for name, measure in measures.items()}


def are_entities(sentences: Sequence[TaggedSentence]) -> bool:
    """Return whether the labels are entities in IOB2."""
    labels = {label for sentence in sentences for label in sentence.labels}
    return any(label.startswith("B-") for label in labels) and all(map(_ENTITY.fullmatch, labels))


def _parts(labels: Sequence[Sequence[str]]) -> tuple[list[list[str]], list[list[str]]]:
    rows = [[label.split(JOINT) for label in row] for row in labels]
    return [[row[0] for row in words] for words in rows], [[row[-1] for row in words] for words in rows]
