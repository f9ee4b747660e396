"""The paper's numbers beside which ours are printed.

Source: Qian and Liu, Branch and Bound Algorithm for Dependency Parsing with Non-local Features, TACL 1, 2013,
tables 2 and 3. Theirs are the whole Penn Treebank and Chinese Treebank 5: 40,000 and 16,000 training sentences.
"""

from __future__ import annotations

import attrs

from gapless_models.parsing.patterns import PATTERN

GRANDCHILD, SIBLING, COMB = "grandchild", "sibling", "comb"
ADJACENT, OUTERMOST = "adjacent-sibling", "outermost-grandchild"
GREAT_GRANDCHILD, TRI_SIBLING = "great-grandchild", "tri-sibling"


@attrs.frozen
class Row:
    """One row of table 2: a model.

    Parameters
    ----------
    name : str
        Also part of the file that keeps the model.
    families : tuple of str
        Its factors.
    english, chinese : float or None
        The paper's UAS without punctuation, in percent, on PTB and CTB5.
    baseline : bool
        Whether the full model is to beat it.
    projective : bool
        Whether there is an oracle for it over projective trees only.
    """

    name: str
    families: tuple[str, ...]
    english: float | None = None
    chinese: float | None = None
    baseline: bool = False
    projective: bool = False


FULL = "all"
MODELS = (
    Row("first order", (), baseline=True),
    Row("second order", (ADJACENT, OUTERMOST), 92.81, 86.89, baseline=True, projective=True),
    Row("+ grandchild", (GRANDCHILD,), 92.97, 87.02),
    Row("+ great-grandchild", (GREAT_GRANDCHILD,), 92.78, 86.77),
    Row("+ sibling", (SIBLING,), 93.00, 87.05),
    Row("+ tri-sibling", (TRI_SIBLING,), 92.79, 86.81),
    Row("+ comb", (COMB,), 92.86, 86.91),
    Row("+ hand craft", (PATTERN,), 92.89, None),
    Row(FULL, (GRANDCHILD, SIBLING, COMB, PATTERN), 93.17, 87.25),
)
"""Table 2. The paper adds its factors to the second-order baseline.

Its last system is all but the great-grandchildren and the tri-siblings, which "slightly hurt the performance"
(section 4.5); for Chinese it has no hand-crafted features (section 4.3), ours has them.
"""


@attrs.frozen
class Pruning:
    """One row of table 3.

    Parameters
    ----------
    max_heads : int or None
        Candidate heads of a word; None keeps all.
    english, english_speed, chinese, chinese_speed : float
        The paper's UAS, in percent, and words a second.
    """

    max_heads: int | None
    english: float
    english_speed: float
    chinese: float
    chinese_speed: float

    @property
    def name(self) -> str:
        """Name of the row in the paper."""
        return "no prune" if self.max_heads is None else f"k = {self.max_heads}"


PRUNINGS = (
    Pruning(3, 92.68, 493, 85.76, 128),
    Pruning(5, 93.10, 264, 86.94, 108),
    Pruning(10, 93.17, 177, 87.25, 97),
    Pruning(20, 93.17, 105, 87.28, 76),
    Pruning(None, 93.18, 52, 87.28, 73),
)
"""Table 3."""
CALLS = {"english": 54.7, "chinese": 44.3}
"""Oracle calls a sentence without pruning (section 4.6)."""


def language(treebank: str) -> str | None:
    """Return the column of the paper's tables for a treebank: ``english``, ``chinese``, or None."""
    return next((name for name in ("english", "chinese") if name in treebank.lower()), None)
