"""The story of the demo, found by decoding: nothing about it is known beforehand."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.tolerance import meets
from gapless.cli import Console
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_models.parsing import Sentence
from gapless_models.parsing.beam import BeamParser
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.treebank import Treebank
from gapless_tasks.parsing.parser import Request
from gapless_tasks.parsing.perceptron_parser import SOURCE

WIDTHS = (1, 2, 4, 8)
FAMILIES = ("grandchild", "sibling")
EPOCHS = 5
"""Two seconds of training."""


@attrs.frozen
class Row:
    """A decoder on all sentences of the slice.

    Parameters
    ----------
    name : str
    missed : int
        Sentences whose tree scores less than the best one.
    right : int
        Sentences whose tree is the gold tree.
    seconds : float
        CPU time, with the proofs where there are any.
    """

    name: str
    missed: int
    right: int
    seconds: float


@attrs.frozen
class Story:
    """A sentence that a beam parses wrongly and the best tree rightly.

    Parameters
    ----------
    sentence : Sentence
    problem : ParsingProblem
    width : int
        Of the widest beam that goes wrong.
    found : DependencyTree
        The tree of the beam.
    score : float
        Its score.
    result : Result
        The best tree and its proof.
    """

    sentence: Sentence
    problem: ParsingProblem
    width: int
    found: DependencyTree
    score: float
    result: gl.Result[DependencyTree]

    @property
    def differing(self) -> list[int]:
        """Words, from 1, whose head the beam has wrong."""
        return (np.flatnonzero(self.found.heads != self.result.best.heads) + 1).tolist()

    def record(self) -> gl.Record:
        """Return the sentence with its best tree and the proof, as a record."""
        return gl.Record(self.problem, self.result, "the best tree", self.sentence.words)

    def forged(self) -> gl.Record:
        """Forge a record that calls the tree of the beam the best one.

        It has the same certificate, and a bound that meets the score of the beam.
        """
        claim = gl.Result.of(
            self.problem,
            [self.found],
            self.score,
            gl.Stop.PROVED,
            certificate=self.result.certificate,
            method=self.result.method,
        )
        return gl.Record(self.problem, claim, "forged", self.sentence.words)


def trained(treebank: Treebank, console: Console) -> ParserModel:
    """Train a parser on the training part, with scores of arcs and of pairs of arcs."""
    return SOURCE.train(treebank, Request(FAMILIES, EPOCHS, 0, None, projective=treebank.projective), console)


def tell(
    parser: ParserModel, sentences: Sequence[Sentence], advance: Callable[[int], None]
) -> tuple[Story | None, list[Row]]:
    """Decode the sentences exactly and by beams of each width.

    Returns
    -------
    Story or None
        Of the sentences whose best tree is the gold one and which a beam misses: the widest such beam, and the
        sentence on which it loses most. None where there is no such sentence.
    list of Row
        The beams, the narrow one first, and the exact method.
    """
    problems = [parser.problem(sentence, max_heads=None) for sentence in sentences]
    for problem in problems:  # looked up now: both sides decode from the same scores
        for scored in problem.conjunctions:
            scored.scores(np.arange(len(scored.scopes)))
    gl.solve(problems[0])  # imports
    results: list[gl.Result[DependencyTree]] = []
    begun = time.process_time()
    for problem in problems:
        results.append(gl.solve(problem))
        advance(1)
    seconds = time.process_time() - begun
    gold = [np.array(sentence.heads) for sentence in sentences]
    right = [np.array_equal(result.best.heads, heads) for result, heads in zip(results, gold, strict=True)]
    rows: list[Row] = []
    story: Story | None = None
    for width in WIDTHS:
        begun = time.process_time()
        beams = [BeamParser(problem).parse(width) for problem in problems]
        spent = time.process_time() - begun
        missed = [i for i, (score, _) in enumerate(beams) if not meets(results[i].value, score)]
        trees = [tree for _, tree in beams]
        same = sum(t is not None and np.array_equal(t.heads, h) for t, h in zip(trees, gold, strict=True))
        rows.append(Row(f"beam {width}", len(missed), same, spent))
        shown = [i for i in missed if right[i] and trees[i] is not None]
        if shown:
            i = max(shown, key=lambda i: results[i].value - beams[i][0])
            score, tree = beams[i]
            assert tree is not None
            story = Story(sentences[i], problems[i], width, tree, score, results[i])
        advance(len(problems))
    return story, [*rows, Row("exact, with proofs", 0, sum(right), seconds)]
