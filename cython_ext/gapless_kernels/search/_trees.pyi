"""Dependency trees as a maximiser of the search."""

import numpy.typing as npt

from gapless_kernels.search.roles import Maximiser

class Trees(Maximiser):
    """The best dependency tree of given arcs: Eisner's dynamic program, or a maximum arborescence.

    Arcs are the decisions; those into one word are a choice group. An arc and its reverse conflict.

    Parameters
    ----------
    heads, modifiers : int64 (arcs,)
        Arcs, each once; 0 is the root.
    words : int
        1 or more.
    projective, single_root : bool

    Raises
    ------
    ValueError
        Names the argument and the place.
    """

    def __init__(
        self,
        heads: npt.ArrayLike,
        modifiers: npt.ArrayLike,
        words: int,
        *,
        projective: bool,
        single_root: bool,
    ) -> None: ...
