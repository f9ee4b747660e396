"""``gapless demo``: tells the story in one screen, and keeps the picture and the proof in a folder."""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Sequence
from typing import Any

import attrs

from gapless.arrays.serial import write_aside
from gapless.certificates.certificate import Verdict
from gapless.cli import Console, exit_codes
from gapless.cli.outputs import add_overwrite_option, begins_with, check_output, is_record
from gapless.cli.running import made_folder
from gapless.cli.text_table import folded
from gapless_models.parsing.terminal_drawing import draw, show
from gapless_models.parsing.treebank import embedded_treebank
from gapless_tasks.demo.page import TITLE, page
from gapless_tasks.demo.story import WIDTHS, Row, Story, tell, trained

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
