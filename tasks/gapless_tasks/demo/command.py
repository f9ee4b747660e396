"""``gapless demo``: tells the story in one screen, and keeps the picture and the proof in a folder."""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.serial import write_aside
from gapless.arrays.tolerance import meets
from gapless.certificates.certificate import Verdict
from gapless.cli import Console, exit_codes
from gapless.cli.outputs import add_overwrite_option, begins_with, check_output, is_record
from gapless.cli.running import made_folder
from gapless.cli.text_table import folded
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.arc_diagram import draw_svg
from gapless_models.parsing import Sentence
from gapless_models.parsing.beam import BeamParser
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.terminal_drawing import draw, show
from gapless_models.parsing.treebank import Treebank, embedded_treebank
from gapless_tasks.parsing.parser import SOURCE, Request

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


TITLE = "A beam and the best tree"
_STYLE = """
:root { color-scheme: light dark; --rule: #c8c8c8; --right: #2e7d32; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --rule: #555; --right: #81c784; --wrong: #f2938c; }
  .tree svg { filter: invert(.92) hue-rotate(180deg); } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.tree { overflow-x: auto; } .tree svg { display: block; border-radius: 6px; }
.right { color: var(--right); } .wrong { color: var(--wrong); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem 1rem .25rem 0; text-align: right; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { text-align: left; }
code { overflow-wrap: anywhere; }
"""


def page(story: Story, rows: Sequence[Row], count: int, verdict: Verdict, refused: Verdict) -> str:
    """Render the page: both trees, the proof, the forged certificate, and the decoders on all sentences."""
    words, gold, problem = story.sentence.words, story.sentence.heads, story.problem
    best = story.result.best.heads.tolist()
    labels, tags = story.sentence.relations(best), story.sentence.tags
    wrong = len(story.differing)
    pairs = sum(len(scored.scopes) for scored in problem.conjunctions)
    body = [
        f"<h1>{escape(' '.join(words))}</h1>",
        f"<h2>A beam of {story.width}: score {story.score:.3f}, "
        f'<span class="wrong">{wrong} of {len(words)} heads wrong</span></h2>',
        "<p>Wrong arcs are red; the arcs below the words are those that the gold tree has instead.</p>",
        f'<div class="tree">{draw_svg(words, story.found.heads.tolist(), tags=tags, gold=gold)}</div>',
        f"<h2>The best tree: score {story.result.value:.3f}, "
        '<span class="right">every head as in the gold tree</span></h2>',
        f'<div class="tree">{draw_svg(words, best, labels=labels, tags=tags, gold=gold)}</div>',
        "<h2>The proof</h2>",
        f"<p>{problem.decisions.count} arcs and {pairs} pairs of arcs are scored. The verifier, which runs none of "
        f"the solver's code, says: <em>{escape(verdict.reason)}</em>.</p>",
        "<h2>A forged proof</h2>",
        "<p>The beam's tree with the same certificate, called the best one, is refused: "
        f"<em>{escape(refused.reason)}</em>.</p>",
        f"<h2>All {count} sentences</h2>",
        "<table><tr><th>decoder</th><th>best tree missed</th><th>gold tree found</th><th>ms a sentence</th></tr>",
        *(
            f"<tr><td>{escape(row.name)}</td><td>{row.missed}</td><td>{row.right}</td>"
            f"<td>{1000 * row.seconds / count:.2f}</td></tr>"
            for row in rows
        ),
        "</table>",
        "<p>CPU time from scores to trees, for the exact method with the proofs. The beam is written in Python, "
        "the exact search is compiled.</p>",
        "<p>Check again: <code>gapless verify answer.json</code> and <code>gapless verify forged.json</code>, both "
        "beside this page.</p>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


FOLDER = "gapless-demo"
PAGE, ANSWER, FORGED = "demo.html", "answer.json", "forged.json"
_WIDEST = 80


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless demo``."""
    parser.add_argument(
        "-o", "--out", metavar="FOLDER", default=FOLDER, help=f"where the picture and the proof go ({FOLDER})"
    )
    add_overwrite_option(parser)
    parser.add_argument("--verbose", action="store_true", help="say how each epoch of the training went")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless demo``."""
    console.verbose = parsed.verbose
    with made_folder(parsed.out) as folder:
        assert folder is not None
        for name, is_written_here in ((PAGE, begins_with(TITLE)), (ANSWER, is_record), (FORGED, is_record)):
            check_output(folder / name, is_written_here, overwrite=parsed.overwrite)
        treebank = embedded_treebank()
        begun = time.process_time()
        parser = trained(treebank, console)
        training = time.process_time() - begun
        sentences = [*treebank.dev, *treebank.test]
        with console.progress("decoding", len(sentences) * (1 + len(WIDTHS))) as advance:
            story, rows = tell(parser, sentences, advance)
        learnt = f"A parser learnt from {len(treebank.train)} sentences in {training:.1f} s."
        _say(console, f"{learnt} It decodes {len(sentences)} others.")
        if story is None:
            _show_rows(rows, len(sentences), console)
            console.result("no beam misses a tree that the exact method has right")
            console.data({"story": None, "decoders": _decoders(rows, len(sentences))})
            return exit_codes.PROVED
        verdict, forged = story.result.verify(story.problem), story.forged()
        refused = forged.verify()
        story.record().save(folder / ANSWER)
        forged.save(folder / FORGED)
        write_aside(folder / PAGE, page(story, rows, len(sentences), verdict, refused))
        _tell(story, verdict, refused, console)
        _show_rows(rows, len(sentences), console)
        console.info()
        console.info(f"proof: gapless verify {folder / ANSWER}")
        console.info(f"forged: gapless verify {folder / FORGED}")
        console.result(f"picture: {folder / PAGE}")
        console.data(
            {
                "story": _document(story, verdict, refused),
                "decoders": _decoders(rows, len(sentences)),
                "training": {"sentences": len(treebank.train), "seconds": training},
                "picture": str(folder / PAGE),
                "answer": str(folder / ANSWER),
                "forged": str(folder / FORGED),
            }
        )
    return exit_codes.PROVED if verdict and not refused else exit_codes.FAILED


def _width() -> int:
    return min(_WIDEST, shutil.get_terminal_size().columns)


def _say(console: Console, text: str) -> None:
    for line in folded(text, _width()):
        console.info(line)


def _tell(story: Story, verdict: Verdict, refused: Verdict, console: Console) -> None:
    sentence, result = story.sentence, story.result
    console.info()
    wrong = f"{len(story.differing)} of {len(sentence)} heads wrong (✗)"
    _say(console, f"A beam of {story.width}: score {story.score:.3f}, {wrong}")
    show(draw(sentence.words, story.found.heads.tolist(), gold=sentence.heads, width=_width()), console)
    console.info()
    more = f"{result.value - story.score:.3f} more"
    _say(console, f"The best tree: score {result.value:.3f}, {more}; every head is the gold one")
    show(draw(sentence.words, result.best.heads.tolist(), gold=sentence.heads, width=_width()), console)
    console.info()
    changed = [
        f"{sentence.words[word - 1]} <- {_name(sentence.words, result.best.heads[word - 1])}, not "
        f"{_name(sentence.words, story.found.heads[word - 1])}"
        for word in story.differing
    ]
    _say(console, f"right: {'; '.join(changed)}")
    _say(console, f"proof: {'holds' if verdict else 'REFUSED'}, {verdict.reason}")
    _say(console, f"forged, the beam's tree called best: {'ACCEPTED' if refused else 'refused'}, {refused.reason}")
    console.info()


def _name(words: Sequence[str], head: int) -> str:
    return words[head - 1] if head else "root"


def _show_rows(rows: Sequence[Row], count: int, console: Console) -> None:
    console.table(
        f"{count} sentences, CPU time from scores to trees (the beam is written in Python)",
        ("decoder", "best tree missed", "gold tree found", "ms a sentence"),
        [(row.name, row.missed, row.right, 1000 * row.seconds / count) for row in rows],
    )


def _decoders(rows: Sequence[Row], count: int) -> list[dict[str, Any]]:
    return [{**attrs.asdict(row), "sentences": count} for row in rows]


def _document(story: Story, verdict: Verdict, refused: Verdict) -> dict[str, Any]:
    return {
        "words": list(story.sentence.words),
        "gold": list(story.sentence.heads),
        "beam": {"width": story.width, "heads": story.found.heads.tolist(), "score": story.score},
        "exact": {
            "heads": story.result.best.heads.tolist(),
            "score": story.result.value,
            "bound": story.result.bound,
            "proved": story.result.proved,
        },
        "differing": story.differing,
        "verdict": {"holds": bool(verdict), "reason": verdict.reason},
        "forged": {"holds": bool(refused), "reason": refused.reason, "location": refused.location},
    }
