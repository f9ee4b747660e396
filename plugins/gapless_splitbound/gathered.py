"""A parsing problem with the pairs of each head as one factor, for parses whose dual is loose."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import Problem, Result, Verdict
from gapless.core.certificate import DeferredCertificate
from gapless.core.pair_scores import MOST_PAIRED, PairScores
from gapless.roles import Certificate, Fixings, NoCertificate, serialisable
from gapless_dependency import DependencyTree, ParsingProblem


def may_gather(problem: ParsingProblem) -> bool:
    """Whether `gathered` is worth a try."""
    if problem.projective or problem.label_names is not None or len(problem.factors) != len(problem.conjunctions):
        return False  # some factor is no conjunction
    return any(scored.scopes.size and scored.scopes.shape[1] == 2 for scored in problem.conjunctions)


def gathered(problem: ParsingProblem) -> ParsingProblem | None:
    """The same problem, its pairs of arcs of one head taken together; None where that cannot be, or gains nothing.

    Every tree has the same score in both. Trees are non-projective, all scores of pairs of arcs of one head are
    finite, each pair is scored once, and no head has more than 64 arcs in pairs.
    """
    if not may_gather(problem):
        return None
    heads, kept = problem.decisions.heads, []
    first, second, scores = [], [], []
    for scored in problem.conjunctions:
        pairs = scored.scopes
        if pairs.size and pairs.shape[1] == 2 and (heads[pairs[:, 0]] == heads[pairs[:, 1]]).all():
            first.append(pairs.min(axis=1))
            second.append(pairs.max(axis=1))
            scores.append(scored.all_scores())
        else:
            kept.append(scored.factor)
    if not scores:
        return None
    one, other, each = np.concatenate(first), np.concatenate(second), np.concatenate(scores)
    keys = one * problem.decisions.count + other
    if not np.isfinite(each).all() or np.unique(keys).size < keys.size:
        return None
    factors = []
    for head in np.unique(heads[one]).tolist():
        here = heads[one] == head
        arcs, places = np.unique(np.concatenate([one[here], other[here]]), return_inverse=True)
        if arcs.size > MOST_PAIRED:
            return None
        table = np.zeros((arcs.size, arcs.size))
        rows, columns = places[: here.sum()], places[here.sum() :]
        table[rows, columns] = table[columns, rows] = each[here]
        factors.append(PairScores(arcs, table))
    if max(factor.decisions.size for factor in factors) < 3:
        return None
    return ParsingProblem(
        problem.scores,
        factors=[*kept, *factors],
        projective=problem.projective,
        single_root=problem.single_root,
        words=problem.words,
        granularity=problem.granularity,
    )


@serialisable("gapless_splitbound.GatheredPairs")
@attrs.frozen
class GatheredPairs(Certificate):
    """Evidence that speaks of the problem with the pairs of each head as one factor.

    The verifier gathers the pairs by itself, see `gathered`, and checks the evidence against what it gets.

    Parameters
    ----------
    evidence : Certificate
    """

    kind: ClassVar[str] = "gathered pairs"
    factors: ClassVar[bool] = True
    evidence: Certificate

    def verify(self, problem: Problem[Any], fixings: Fixings | None = None) -> Verdict:
        """Verify the evidence for the gathered problem."""
        other = gathered(problem) if isinstance(problem, ParsingProblem) else None
        if other is None or not isinstance(self.evidence, Certificate):
            reason = "the evidence does not fit the problem: it has no pairs of arcs of one head to gather"
            return Verdict(False, reason, f"certificate ({self.kind})")
        return self.evidence.verify(other, fixings)

    def work_to_verify(self, problem: Problem[Any]) -> float:
        """That of the evidence."""
        return 2.0 * self.evidence.work_to_verify(problem)

    @property
    def missing(self) -> str:
        """What the evidence lacks."""
        return self.evidence.missing


def _wrapped(evidence: Certificate) -> Certificate:
    made = evidence.made() if isinstance(evidence, DeferredCertificate) else evidence
    return made if isinstance(made, NoCertificate) else GatheredPairs(made)


def together(
    found: Result[DependencyTree], before: Result[DependencyTree], *, gathered: bool
) -> Result[DependencyTree]:
    """The answer of two searches, the second of which ended as `found`, with the lower bound of both.

    `gathered`: whether the second was for the gathered problem.
    """
    held, stats = found._certificate, found.stats
    extra = {
        name: value + before.stats.extra[name] if type(value) is int else value
        for name, value in stats.extra.items()
    }
    counted = attrs.evolve(
        stats,
        nodes=stats.nodes + before.stats.nodes,
        iterations=stats.iterations + before.stats.iterations,
        oracle_calls=stats.oracle_calls + before.stats.oracle_calls,
        warm_start_used=before.stats.warm_start_used,
        extra={**extra, "root_closed": False},
    )
    if before.bound < found.bound:
        return attrs.evolve(
            found,
            bound=before.bound,
            certificate=before._certificate,
            stats=counted,
            explanation=before.explanation,
        )
    wraps = gathered and not isinstance(held, NoCertificate)
    evidence = DeferredCertificate(partial(_wrapped, held)) if wraps else held
    return attrs.evolve(found, certificate=evidence, stats=counted)
