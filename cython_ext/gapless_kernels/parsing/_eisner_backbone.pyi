"""Higher-order projective trees as backbones of the search, in compiled code."""

import numpy as np
import numpy.typing as npt

from gapless_kernels.search.roles import Maximiser

class HigherOrderTrees(Maximiser):
    """Projective trees over given arcs, whose larger parts have scores of their own.

    With grandchildren or grand-siblings it is the order of ``eisner_grand_sibling``, with outermost
    grandchildren that of ``eisner_carreras``, else that of ``eisner_sibling``. As for
    ``search._trees.Trees``, weights alone tell what the choice of a word's head leaves out.

    Parameters
    ----------
    heads, modifiers : int (arcs,)
        Candidate arcs, each once; the decisions.
    words : int
        n, in 1..30000.
    single_root : bool
    sibling, outermost, grandchild : float64 (n + 1, n + 1, n + 1), optional
        Own scores as ``eisner_carreras`` and ``eisner_grand_sibling`` have them; -inf forbids.
    grand_sibling : float64 (n + 1, n + 1, n + 1, n + 1), optional
    """

    def __init__(
        self,
        heads: npt.NDArray[np.integer],
        modifiers: npt.NDArray[np.integer],
        words: int,
        single_root: bool,
        *,
        sibling: npt.NDArray[np.float64] | None = None,
        outermost: npt.NDArray[np.float64] | None = None,
        grandchild: npt.NDArray[np.float64] | None = None,
        grand_sibling: npt.NDArray[np.float64] | None = None,
    ) -> None: ...
