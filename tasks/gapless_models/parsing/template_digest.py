"""Digests of the templates of a model: its weights mean nothing under others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

import gapless_kernels
from gapless import InvalidProblem
from gapless_models.parsing.atoms import ATOMS, PAD, atoms_of
from gapless_models.parsing.families import ARC, FAMILIES
from gapless_models.parsing.hand_crafted import HAND_CRAFTED
from gapless_models.parsing.patterns import PATTERN
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.templates import Templates

_BITS = 22
_PARTS = 200
_STEP = 7
"""Every seventh part is hashed, so that all positions come in all places."""
_TEXT = "The/DT/DET Re-elected/NNP/PROPN 1,200/CD/NUM are/VBP/AUX ,/,/PUNCT and/CC/CCONJ they/PRP/PRON know/VB/VERB"


def template_digests(families: Iterable[str]) -> dict[str, str]:
    """Compute a digest of the templates of arcs and of each family, with the atoms they read and the hashing.

    It is taken from the templates and from the table places of parts of a fixed sentence.
    """
    words, tags, coarse = zip(*(token.rsplit("/", 2) for token in _TEXT.split()), strict=True)
    atoms = atoms_of(Sentence(words, tags, coarse))
    digests = {ARC.name: _digest(ARC, atoms).hexdigest()[:16]}
    for family in families:
        if family != PATTERN:
            digests[family] = _digest(FAMILIES[family], atoms).hexdigest()[:16]
            continue
        combined = hashlib.sha256()
        for pattern in HAND_CRAFTED:
            combined.update(pattern.digest() + _digest(pattern.features, atoms).digest())
        digests[family] = combined.hexdigest()[:16]
    return digests


def _digest(templates: Templates, atoms: NDArray[np.uint32]) -> hashlib._Hash:
    size = len(atoms) - 2 * PAD
    tuples = islice(product(range(size), repeat=len(templates.slots)), 0, _PARTS * _STEP, _STEP)
    parts = np.array(list(tuples), np.int64)
    places = gapless_kernels.part_features(atoms, parts, templates.values, templates.rows, _BITS)
    digest = hashlib.sha256(" ".join((*ATOMS, templates.name, *templates.slots)).encode())
    for array, kind in ((templates.values, "<i4"), (templates.rows, "<i4"), (places, "<i8")):
        digest.update(array.astype(kind).tobytes())
    return digest


def check_templates(trained: Mapping[str, str], families: Iterable[str], place: str) -> None:
    """Raise `InvalidProblem` if a model was trained with other templates than today's; the message names them."""
    differ = [name for name, digest in template_digests(families).items() if trained.get(name) != digest]
    if differ:
        raise InvalidProblem(
            f"{place}: trained with other templates of {', '.join(differ)} than this version of gapless has; "
            "train it again"
        )
