"""The compiled search: branch and bound over decisions, a maximiser, conjunctions and factors."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy.typing as npt

from gapless_kernels.search.roles import Factor, Maximiser

PROVED: Final[int]
TIME: Final[int]
NODES: Final[int]
STEPS: Final[int]
TARGET: Final[int]
GAP: Final[int]
EVENTS: Final[int]

class CompiledSearch:
    """A search for the best structure under weights of decisions, scores of scopes, and factors.

    One object is one search; it holds all its state, so that `advance` can be called again and again. The
    bound splits the score of each set over its decisions (Qian and Liu 2013, equation 8, with better duals),
    and gives each factor a copy of its decisions, at a price for each (Komodakis et al. 2007, section 3).

    Parameters
    ----------
    maximiser : gapless_kernels.search.roles.Maximiser
        Over the decisions. It serves one search at a time.
    base : float64 (decisions,)
        Weights of decisions; -inf where one cannot be on.
    blocks : sequence of (int64 (m, width), float64 (m,))
        Scopes as numbers of decisions, and their finite scores. Scopes that no structure has (two decisions
        of one group, or in conflict by `Maximiser.take_conflicts`) count nothing.
    group_first : int64 (groups + 1,), optional
    groups : int64, optional
        Group g holds the decisions ``groups[group_first[g]:group_first[g + 1]]``, of which every structure
        turns on exactly one. A decision is in one group at most.
    guides : sequence of (float64 (count,) or None), optional
        For each factor a direction in the order of its scope, in which its prices move first at the root.
    factors : sequence of gapless_kernels.search.roles.Factor
        Each serves one search at a time. Not for "paper".
    variant : {"default", "paper"}
        "paper": every scope split on its own, halving steps, no fixing, level by level.
    order : {"best-first", "depth-first", "breadth-first"}
        Order of the open nodes; "paper" always takes the last.
    incumbent : int (m,), optional
        The decisions of a structure to begin with. The caller answers for the maximiser's having it.
    keep_proof : bool
        Whether multipliers are kept for `record`.
    granularity : float
        If > 0, every score is a multiple of it and bounds are rounded down to one.
    proof_limit : float
        Limit on the proof in bytes; beyond it, only the root's multipliers and fixings are kept.
    memory_limit : float
        Limit in bytes on multipliers, proof and open nodes; half is for open nodes, the proof has half at
        most. Without room for multipliers, nodes begin with those of an ancestor; without room for open
        nodes, the search goes depth-first. The answer is the same. A few copies of the multipliers and one
        open node for each decision are always allowed.
    root_steps, root_trend : int
        Limit on steps at the root, and the number of steps over which its gap must fall; then it branches.
        Not for "paper".
    checked : bool
        Whether the caller answers for the blocks: contiguous int64 and float64 arrays, scopes of different
        decisions that there are, finite scores. Anything else is then undefined behaviour.
    lifted : bool
        Whether the charge of a pair of a negative score takes in members of their choice groups that exclude
        one of the two, which is tighter. Not for "paper", nor where the maximiser does not tell what excludes
        what.
    ask : callable, optional
        From int64 (m,) numbers of scopes, counted over all blocks, to their float64 (m,) finite scores;
        called from `advance` when those of unknown scopes matter, once for each scope. What it raises,
        `advance` raises.
    unknown : bool (scopes,), optional
        Scopes of two decisions or more whose score in the blocks is an upper bound only. Not for "paper".
    events : {None, "nodes", "steps"}
        Events kept for `events`: none, the end of each node, or also each step of the root.
    choices : int
        Enumerate the structures of a node that leaves at most this many ways to choose; 0..16384. Not for
        "paper".
    on : int (m,), optional
        Decisions without a group that are on from the start. A record says nothing of them.
    largest_term : float
        The largest positive number that a role sums inside an internal score or a value, where roles know:
        beside it, digits of sums are lost, and no role is blamed for them.

    Raises
    ------
    ValueError
        Names the argument and the place.
    """

    def __init__(
        self,
        maximiser: Maximiser,
        base: npt.ArrayLike,
        blocks: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] = ...,
        *,
        group_first: npt.ArrayLike | None = ...,
        groups: npt.ArrayLike | None = ...,
        factors: Sequence[Factor] = ...,
        guides: Sequence[Any] | None = ...,
        variant: str = ...,
        order: str = ...,
        incumbent: npt.ArrayLike | None = ...,
        keep_proof: bool = ...,
        granularity: float = ...,
        proof_limit: float = ...,
        memory_limit: float = ...,
        choices: int = ...,
        root_steps: int = ...,
        root_trend: int = ...,
        lifted: bool = ...,
        checked: bool = ...,
        ask: Callable[[npt.NDArray[Any]], npt.ArrayLike] | None = ...,
        unknown: npt.ArrayLike | None = ...,
        events: str | None = ...,
        on: npt.ArrayLike | None = ...,
        largest_term: float = ...,
    ) -> None: ...
    def advance(
        self,
        seconds: float = ...,
        nodes: int = ...,
        steps: int = ...,
        target: float = ...,
        gap: float = ...,
    ) -> int:
        """Search for `seconds` or `steps`, or until `nodes` nodes were processed in all.

        A step is one bound of a node, and a move of its multipliers; a call makes one, however few the
        seconds. `target`: between nodes, stop at a structure of this score. `gap`: likewise, when bound and
        value are no further apart than this share of the value. Returns `PROVED`, `TIME`, `STEPS`, `NODES`,
        `TARGET`, `GAP`, or `EVENTS` where these have no more room.

        The GIL is released; the caller handles signals between calls. What a role raises is raised here, and
        whatever was found before is kept; the search cannot go on then.
        """

    def events(self) -> npt.NDArray[Any]:
        """Return what happened since the last call, and forget it.

        Records of nodes (how many were begun), step (whether this is one of the root, or the end of a node),
        depth, free (decisions possible), bound (of everything; of the root alone for a step) and value.
        """

    def offer_incumbent(self, incumbent: npt.ArrayLike | None) -> None:
        """Make a structure, a list of decisions, the incumbent if it is the best so far."""

    def restart(self, multipliers: npt.ArrayLike, incumbent: npt.ArrayLike | None = ...) -> None:
        """Forget the nodes below the root and bound the root again, beginning with these multipliers.

        Decisions that the root has fixed stay so, and so does the incumbent.

        Parameters
        ----------
        multipliers : float64 (slots,)
            In units of scores, as `slots` orders them: d >= 0 of a grouped pair, a share of another positive
            score for each of its decisions, how much of a negative score is charged at the first of them.
            They are clipped and normalised to what is allowed.
        incumbent : int (m,), optional
            The decisions of a structure to hold if it is the best so far.
        """

    def slots(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return the scope (-1: none) of each slot of multipliers, and the decision's index there, int64.

        The last slots, with scope -1, are the prices of factors: one for each decision, factor after factor.
        """

    @property
    def root_free(self) -> npt.NDArray[Any]:
        """Decisions left possible at the root when it branched, bool (decisions,); all, if it has not."""

    @property
    def scored(self) -> int:
        """Number of scopes whose score was asked for."""

    def bound_current_node(self) -> None:
        """Bound the current node by its latest multipliers, if a proof is kept; call before `record`."""

    @property
    def value(self) -> float:
        """Score of `on`; -inf while there is none."""

    @property
    def bound(self) -> float:
        """Upper bound on every structure; +inf before the first bound."""

    @property
    def working(self) -> bool:
        """Whether the search stopped within a node."""

    @property
    def step_bound(self) -> float:
        """Least bound of the steps at the current node; +inf before the first, and between nodes."""

    @property
    def free(self) -> int:
        """Number of decisions possible at the current node."""

    @property
    def on(self) -> npt.NDArray[Any]:
        """The decisions of the best structure found, int64 (m,), ascending; empty while there is none."""

    @property
    def dp_calls(self) -> int:
        """Number of best structures computed, including those for the incumbent, without max-marginals."""

    @property
    def nodes(self) -> int: ...
    @property
    def steps(self) -> int:
        """Number of steps so far."""

    @property
    def fixed(self) -> int:
        """Number of decisions that max-marginals fixed, over all nodes."""

    @property
    def enumerated(self) -> int:
        """Number of nodes closed by enumeration of their structures."""

    @property
    def root_closed(self) -> bool:
        """Whether the root was closed without branching, by a bound or by enumeration."""
    @property
    def infeasible(self) -> bool:
        """Whether there is provably no structure."""

    @property
    def proof_dropped(self) -> bool:
        """Whether the proof exceeded `proof_limit`; then `record` holds the root alone, a weaker bound."""

    @property
    def memory(self) -> float:
        """Bytes now in use for multipliers, proof and open nodes."""

    @property
    def order(self) -> str:
        """Order of the open nodes; becomes "depth-first" without room for them."""

    @property
    def lost(self) -> float:
        """Loss of a bound by rounding in float64, at most."""

    def grouped(self) -> npt.NDArray[Any]:
        """Return whether each scope is a pair in a star, in the order of the blocks; bool (scopes,)."""

    def record(self) -> dict[str, Any]:
        """Return the search as flat arrays. They depend on no score that was not asked for.

        Returns
        -------
        dict
            parent, decision : int64 (nodes,)
                The parent (-1 for the root, which is node 0; parents come first) and the decision branched
                on.
            on : bool (nodes,)
                Whether that decision is on here, or off.
            multipliers_at : int64 (nodes,)
                For a node without children: the row of multipliers whose bound closes it, or bounds it when
                the search stopped early; -1 if its fixings leave no structure, or nothing is known yet; -2 if
                its structures were all looked at.
            shown_at : int64 (nodes,)
                The node under whose fixings that row gives the bound: itself, or for a node that was not
                worked on to its end, one above it.
            step_node, step_multipliers : int64 (steps,)
            step_first : int64 (steps + 1,)
            off : int64
                Step k rules out the decisions ``off[step_first[k]:step_first[k + 1]]`` in its node, for good,
                because the bound at row ``step_multipliers[k]`` with such a decision on does not exceed
                `bound`. A number e < 0 stands for decision ``~e``, in no group, which is fixed on: the bound
                is that with it off. Steps of a node are in order; each stands on those before it.
            orientation : int64 (blocks,)
                1 or 2 where pairs of the block are in groups, their lower decision being the second or the
                first; else 0.
            alone : int64
                Scopes that could be in a group and are in none.
            row_first : int64 (rows + 1,)
            scopes, places : int32
            values : float64
            prices : int
                The multipliers of row r that are not 0 are ``values[row_first[r]:row_first[r + 1]]``, each of
                a scope and, for what a decision carries of a score, of its place there. They are in units of
                scores; the charged part of a negative score is negative. From the number of scopes on,
                `scopes` counts the `prices` of factors, one for each decision of their scopes.

        Raises
        ------
        ValueError
            No proof is kept.
        """
