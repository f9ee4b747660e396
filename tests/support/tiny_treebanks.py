"""Sentences so short that all their trees are listed, and parsers that are trained on them."""

import numpy as np

from gapless_dependency.enumeration import tree_scores
from gapless_models.parsing import Options, Sentence, train

BITS = 14


def sentence(text, heads=()):
    """Read words and tags as in ``The/DT dog/NN``."""
    pairs = [word.rsplit("/", 1) for word in text.split()]
    return Sentence(tuple(w for w, _ in pairs), tuple(t for _, t in pairs), ("_",) * len(pairs), heads)


PLAIN = [
    sentence("The/DT dog/NN barked/VBD ./.", (2, 3, 0, 3)),
    sentence("She/PRP sees/VBZ stars/NNS tonight/NN", (2, 0, 2, 2)),
    sentence("Old/JJ ships/NNS in/IN harbour/NN rust/VBP", (2, 5, 2, 3, 0)),
    sentence("Rain/NN fell/VBD on/IN the/DT roof/NN", (2, 0, 2, 5, 3)),
    sentence("Stop/VB", (0,)),
]
PATTERNED = [
    sentence("He/PRP said/VBD ,/, ''/'' go/VB", (2, 0, 2, 2, 2)),
    sentence("They/PRP went/VBD in/IN rather/RB than/IN in/IN", (2, 0, 2, 5, 3, 5)),
    sentence("Either/CC eat/VB fish/NN or/CC bread/NN", (2, 0, 5, 5, 2)),
    sentence("She/PRP saw/VBD stars/NNS in/IN spring/NN", (2, 0, 2, 2, 4)),
    sentence("More/JJR ate/VBD more/JJR than/IN fish/NN", (2, 0, 2, 3, 4)),
    sentence("Stop/VB !/.", (0, 1)),
]
"""Hand-crafted patterns match in all of them but the last."""


def by_enumeration(problem):
    """Return the best tree."""
    heads, scores = tree_scores(problem)
    return problem.tree(heads[int(scores.argmax())])


def fit(treebank=PLAIN, **changes):
    """Train a parser of the treebank without pruning, unless options say otherwise."""
    options = Options(**{"epochs": 12, "max_heads": None, "bits": BITS, **changes})
    return train(treebank, (), options, solver=by_enumeration)


def table_of(vector):
    """Return the dense table of a feature vector's one block."""
    ((places, values),) = vector.merged().parts.values()
    return np.bincount(places, values, minlength=1 << BITS)
