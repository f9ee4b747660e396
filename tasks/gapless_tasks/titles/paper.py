"""The paper's numbers beside which ours are printed.

Source: Deshpande, Barzilay and Karger, Randomized Decoding for Selection-and-Ordering Problems, NAACL-HLT 2007,
section 6: 165 test titles of an algorithms textbook; decoders in Python with Psyco, the integer program on
lp_solve. Here is what the text says; its table 1 has more.
"""

from __future__ import annotations

import attrs

ITERATIONS_90, ITERATIONS_100 = 11, 35
"""Colourings after which the optimum was found for 90 % of the titles, and for all (figure 2)."""


@attrs.frozen
class Numbers:
    """One row of table 1; None where the text does not say.

    Parameters
    ----------
    mean, median : float or None
        Seconds a title until the optimum was found.
    optimal : float or None
        Share of titles.
    rouge_loss : float or None
        ROUGE below that of the optimal titles, from 0 to 1.
    """

    mean: float | None = None
    median: float | None = None
    optimal: float | None = None
    rouge_loss: float | None = None


COLOUR_CODING = Numbers(median=9.7, optimal=1.0, rouge_loss=0.0)
INTEGER_PROGRAM = Numbers(mean=6536.0, median=57.3, optimal=1.0, rouge_loss=0.0)
BEAM_1 = Numbers(optimal=0.0, rouge_loss=0.2322)
"""Its median is "less than one second"."""
BEAM_1345 = Numbers(median=23 * 9.7, optimal=1.0, rouge_loss=0.0)
""""Twenty-three times slower than the randomized decoder with respect to the median running time"."""
UNKNOWN = Numbers()
