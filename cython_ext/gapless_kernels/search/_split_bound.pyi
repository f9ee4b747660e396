"""Branch and bound over split scores, in compiled code (Qian and Liu 2013, with better duals)."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy.typing as npt

PROVED: Final[int]
TIME: Final[int]
NODES: Final[int]
STEPS: Final[int]

class SplitBoundSearch:
    """The best tree under arc scores and scores of sets of arcs that fire together.

    One object is one search; it holds all its state, so that `advance` can be called again and again.

    Parameters
    ----------
    weights : float64 (n + 1, n + 1)
        Arc scores [head, modifier]; only those of the listed arcs are read, and must be finite.
    blocks : sequence of (int64 (m, width), float64 (m,))
        Scopes as arc numbers, and their finite scores. Scopes that no tree has (two arcs into one word, an arc and
        its reverse) count nothing.
    heads, modifiers : int64 (arcs,)
        The candidate arcs, each once.
    projective, single_root : bool
    variant : {"default", "paper"}
        "paper": every scope split on its own, halving steps, no fixing, level by level.
    order : {"best-first", "depth-first", "breadth-first"}
        Which node is next; "paper" always takes the last.
    incumbent_heads : int (n + 1,), optional
        A tree to begin with; entry 0 is ignored. The caller answers for its being a tree.
    keep_proof : bool
        Whether multipliers are kept for `proof`.
    granularity : float
        If > 0, every score is a multiple of it and bounds are rounded down to one.
    proof_limit : float
        Bytes beyond which the proof is given up but for the root's multipliers and fixings.
    memory_limit : float
        Bytes for multipliers, proof and open nodes, half for the last; the proof has half at most. Without room for
        multipliers, nodes begin with those of an ancestor; without room for open nodes, it goes depth-first.
        The answer is the same. A few copies of the multipliers and one open node for each arc are always allowed.
    root_steps, root_trend : int
        The root branches after so many steps, or when its gap has hardly fallen within so many. Not for "paper".
    checked : bool
        Whether the caller answers for the blocks: contiguous int64 and float64 arrays, scopes of different arcs
        that there are, finite scores. Anything else is then undefined behaviour.
    compact : bool
        Whether only `proof` with ``sparse=True`` will be asked for: much more of it fits into `proof_limit`.
    ask : callable, optional
        From int64 (m,) numbers of scopes, counted over all blocks, to their float64 (m,) finite scores; called
        from `advance` when those of unknown scopes matter, once for each scope. What it raises, `advance` raises.
    unknown : bool (scopes,), optional
        Scopes of two arcs or more whose score in the blocks is an upper bound only. Not for "paper".
    choices : int
        From so many ways to choose heads on, all trees of a node are looked at; 0..16384. "paper" never does.

    Raises
    ------
    ValueError
        Names the argument and the place.
    """

    def __init__(
        self,
        weights: npt.ArrayLike,
        blocks: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]],
        heads: npt.ArrayLike,
        modifiers: npt.ArrayLike,
        *,
        projective: bool,
        single_root: bool,
        variant: str = ...,
        order: str = ...,
        incumbent_heads: npt.ArrayLike | None = ...,
        keep_proof: bool = ...,
        granularity: float = ...,
        proof_limit: float = ...,
        memory_limit: float = ...,
        choices: int = ...,
        root_steps: int = ...,
        root_trend: int = ...,
        compact: bool = ...,
        checked: bool = ...,
        ask: Callable[[npt.NDArray[Any]], npt.ArrayLike] | None = ...,
        unknown: npt.ArrayLike | None = ...,
    ) -> None: ...
    def advance(self, seconds: float = ..., nodes: int = ..., steps: int = ...) -> int:
        """Work for `seconds` or `steps`, or until `nodes` nodes were worked on in all.

        A step is one bound of a node, and a move of its multipliers. Returns `PROVED`, `TIME`, `STEPS` or `NODES`.

        The GIL is released; signals are the caller's, between slices.
        """

    def hold(self, incumbent_heads: npt.ArrayLike | None) -> None:
        """Keep a tree, int (n + 1,), if it is the best so far; the search goes on where it is."""

    def restart(self, multipliers: npt.ArrayLike, incumbent_heads: npt.ArrayLike | None = ...) -> None:
        """Forget the tree below the root and bound the root again, beginning with these multipliers.

        Arcs that the root has fixed stay so, and so does the incumbent.

        Parameters
        ----------
        multipliers : float64 (slots,)
            In units of scores, as `slots` orders them: d >= 0 of a grouped pair, a share of another positive score
            for each of its arcs, how much of a negative score is charged at the first of its arcs. They are clipped
            and normalised to what is allowed.
        incumbent_heads : int (n + 1,), optional
            A tree to hold if it is the best so far.
        """

    def slots(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """For each slot of multipliers its scope (-1: none), and which of its arcs; int64 (slots,)."""

    @property
    def root_arcs(self) -> npt.NDArray[Any]:
        """Arcs that the root left possible when it branched; bool (arcs,). All, if it has not."""

    @property
    def scored(self) -> int:
        """Scopes that were asked for."""

    def settle(self) -> None:
        """Bound the node in work by its latest multipliers, where a proof is kept; before `bound`, `proof`."""

    @property
    def value(self) -> float:
        """Score of `heads`; -inf while there is none."""

    @property
    def bound(self) -> float:
        """No tree scores more; +inf before the first bound."""

    @property
    def working(self) -> bool:
        """Whether a node is in work."""

    @property
    def step_bound(self) -> float:
        """The least bound that steps of the node in work have found; +inf before the first, and between nodes."""

    @property
    def free(self) -> int:
        """Arcs that are possible in the node in work."""

    @property
    def heads(self) -> npt.NDArray[Any]:
        """The best tree found, int64 (n + 1,); -1 where unknown and at 0."""

    @property
    def dp_calls(self) -> int:
        """Trees asked for, those for the incumbent included; max-marginals not."""

    @property
    def nodes(self) -> int: ...
    @property
    def fixed(self) -> int:
        """Arcs that max-marginals have ruled out, over all nodes."""

    @property
    def enumerated(self) -> int:
        """Nodes closed by looking at all trees that were left: at most `choices` choices of heads."""

    @property
    def root_closed(self) -> bool:
        """Whether nothing was branched on, be it by a bound or by enumeration."""
    @property
    def infeasible(self) -> bool:
        """Whether it is proved that there is no tree."""

    @property
    def proof_dropped(self) -> bool:
        """Whether the proof outgrew `proof_limit`: `proof` is then that of the root alone, and a weaker bound."""

    @property
    def memory(self) -> float:
        """Bytes that multipliers, proof and open nodes take now."""

    @property
    def order(self) -> str:
        """Which node is next; turns to "depth-first" without room for open nodes."""

    @property
    def rough(self) -> bool:
        """Whether scores cancel so much that rounding may exceed the margin: check `proof` first."""

    def groups(self) -> npt.NDArray[Any]:
        """For each scope, in the order of the blocks, whether it is a pair in a group; bool (scopes,)."""

    def proof(self, sparse: bool = ...) -> dict[str, Any]:
        """The search as a record.

        Parameters
        ----------
        sparse : bool
            Whether ``multipliers`` is, for each row, a pair of arrays: the slots (see `slots`) whose multipliers
            are not 0, and these in units of scores, a charged part of a negative score written negative. There is
            no ``multiplier_first`` then. Needs no score that was not asked for.

        Returns
        -------
        dict
            parent, arc : int64 (nodes,)
                The parent (-1 for the root, which is node 0; parents come first) and the arc branched on.
            on : bool (nodes,)
                Whether that arc is on here, or off.
            multipliers_at : int64 (nodes,)
                For a node without children: the row of `multipliers` whose bound closes it, or bounds it when
                the search stopped early; -1 if its fixings leave no tree, or nothing is known yet; -2 if its trees
                were all looked at.
            step_node, step_multipliers : int64 (steps,)
            step_first : int64 (steps + 1,)
            off : int64
                Step k rules out the arcs ``off[step_first[k]:step_first[k + 1]]`` in its node, for good, because
                the bound at row ``step_multipliers[k]`` with such an arc in the tree does not exceed `bound`.
                Steps of a node are in order; each stands on those before it.
            grouped : bool (scopes,)
            multiplier_first : int64 (scopes + 1,)
            multipliers : float64 (rows, multipliers)
                From ``multiplier_first[c]``: d >= 0 of a grouped pair; the part in [0, 1] of another negative
                score; otherwise one share for each arc.

        Raises
        ------
        ValueError
            None was asked for.
        """
