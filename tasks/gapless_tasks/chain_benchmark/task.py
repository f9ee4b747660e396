"""The command: scores, measurements, tables."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless_tasks.chain_benchmark import loops, synthetic
from gapless_tasks.chain_benchmark.contenders import VITERBI
from gapless_tasks.chain_benchmark.corpora import CORPORA, Corpus
from gapless_tasks.chain_benchmark.measurement import Effort, Measured, measure, ratio
from gapless_tasks.chain_benchmark.one_call import Call
from gapless_tasks.chain_benchmark.score_set import ScoreSet
from gapless_tasks.chain_benchmark.stopwatch import Spread
from gapless_tasks.chain_benchmark.targets import Line, lines
from gapless_tasks.data_folder import add_data_option
from gapless_tasks.machine import machine
from gapless_tasks.tagging import train
from gapless_tasks.tagging_job.decoder import decode

LABELS = (45, 350, 1000)
_PARTS = ("call", "kernel", "viterbi")
_NEAR = 0.2


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do the job."""
    effort = Effort.quick() if arguments.quick else Effort()
    cache = Path(arguments.cache) if arguments.cache else None
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
    try:
        compiled = loops.compiled()
    except gl.MissingDependency as missing:
        console.complain(str(missing))
        compiled = None
    found: list[Measured] = []
    for count in arguments.labels:
        if arguments.data is None:
            scores = synthetic.peaked(count, 20 if arguments.quick else max(200, 400_000 // count))
        else:
            scores = trained(nearest(count), Path(arguments.data), cache, console)
        console.say(f"{scores.name}: {scores.label_count} labels, {scores.sentences} sentences, {scores.about}")
        found.append(measure(scores, compiled, effort, _narrator(console)))
        show_times(found[-1], console)
    judged = [line for one in found for line in lines(one)]
    if arguments.quick:
        console.say("marks are not judged: --quick shows that all runs and measures nothing")
    else:
        show_lines(judged, console)
    for one in found:
        for name in one.disagreements:
            console.complain(f"{one.scores.name}: {name} does not give the optimal values")
    console.data(document(found, judged, verdicts=not arguments.quick))
    return exit_codes.FAILED if any(one.disagreements for one in found) else exit_codes.PROVED


def nearest(count: int) -> Corpus:
    """The corpus with about that many labels.

    Raises
    ------
    InvalidProblem
        None has; the message lists what there is.
    """
    best = min(CORPORA, key=lambda corpus: abs(corpus.size - count))
    if abs(best.size - count) > _NEAR * best.size:
        sizes = ", ".join(f"{corpus.size} ({corpus.name})" for corpus in CORPORA)
        raise gl.InvalidProblem(f"--labels {count}: the corpora have about {sizes} labels")
    return best


def trained(corpus: Corpus, data: Path, cache: Path | None, console: Console) -> ScoreSet:
    """Scores of the test part under a quickly trained model, or what an earlier run stored."""
    stored = None if cache is None else cache / f"{corpus.name}.npz"
    if stored is not None and stored.exists():
        return ScoreSet.load(stored)
    sentences, test = corpus.part(data, "train"), corpus.part(data, "test")
    with console.progress(f"training {corpus.name}", corpus.epochs) as advance:
        tagger = train(
            sentences,
            decode,
            corpus.epochs,
            min_count=2,
            labels=corpus.labels(sentences),
            progress=lambda _: advance(1),
        )
    number = {label: y for y, label in enumerate(tagger.labels)}
    scores = ScoreSet(
        corpus.name,
        corpus.about,
        np.concatenate([tagger.scores(sentence.words).astype(np.float32) for sentence in test]),
        np.concatenate([[0], np.cumsum([len(sentence) for sentence in test])]),
        tagger.transition,
        tagger.initial,
        tagger.final,
        np.array([number.get(label, -1) for sentence in test for label in sentence.labels]),
    )
    if stored is not None:
        scores.save(stored)
    return scores


def show_times(measured: Measured, console: Console) -> None:
    """What each contender takes."""
    mean_length = measured.scores.tokens / measured.scores.sentences
    rows = []
    for name, cold in sorted(measured.streamed.items(), key=lambda item: float(np.median(item[1]))):
        warm = measured.cycled[name]
        faster = [ratio(seconds, VITERBI, name) for seconds in (measured.streamed, measured.cycled)]
        whole = measured.from_arrays.get(name)
        rows.append(
            (
                name,
                "" if whole is None else _spread(_nanoseconds(whole)),
                "" if whole is None else f"{1 / (mean_length * float(np.median(whole))):,.0f}",
                _spread(_nanoseconds(cold)),
                *(f"{one.median:.3g}" if one is not None else "" for one in faster),
                _spread(_nanoseconds(warm)),
            )
        )
    title = f"CPU time, {measured.scores.name}, {measured.scores.label_count} labels, one thread: median (range)"
    if measured.accuracy is not None:
        title += f"; {100 * measured.accuracy:.2f} % of the labels right"
    columns = (
        "decoder",
        "from arrays, cold ns/token",
        "sentences/s",
        "search alone, cold ns/token",
        f"x {VITERBI}, cold",
        "warm",
        "search alone, warm ns/token",
    )
    console.table(title, columns, rows)
    console.say()


def show_lines(judged: Sequence[Line], console: Console) -> None:
    """The numbers beside what they are to be."""
    console.say(
        "must: the least to be reached; aim: what to strive for; cold: scores come from memory, as in a long text; "
        "warm: from the caches, decoded again and again"
    )
    console.table(
        "What is to be reached: median (range)",
        ("what", "scores", "caches", "value", "must", "aim", "reached"),
        [
            (
                line.what,
                line.scores,
                line.caches,
                "not measured" if line.value is None else f"{_spread(line.value)} {line.unit}".rstrip(),
                *("" if mark is None else f"{mark:g}" for mark in (line.must, line.aim)),
                line.verdict,
            )
            for line in judged
        ],
    )
    missed = sum(line.verdict == "missed" for line in judged)
    console.say(f"{missed} of {sum(bool(line.verdict) for line in judged)} marks missed")


def document(found: Sequence[Measured], judged: Sequence[Line], *, verdicts: bool) -> dict[str, Any]:
    """The whole outcome for programs; without `verdicts` no line is judged."""
    return {
        "machine": machine(),
        "sets": [
            {
                "name": one.scores.name,
                "about": one.scores.about,
                "labels": one.scores.label_count,
                "sentences": one.scores.sentences,
                "tokens": one.scores.tokens,
                "accuracy": one.accuracy,
                "cold_ns_per_token": {name: attrs.asdict(_nanoseconds(s)) for name, s in one.streamed.items()},
                "from_arrays_ns_per_token": {
                    name: attrs.asdict(_nanoseconds(s)) for name, s in one.from_arrays.items()
                },
                "one_call": [_call(call) for call in one.calls],
                "warm_ns_per_token": {name: attrs.asdict(_nanoseconds(s)) for name, s in one.cycled.items()},
                "memory": attrs.asdict(one.memory),
                "disagreements": one.disagreements,
            }
            for one in found
        ],
        "lines": [{**attrs.asdict(line), "verdict": line.verdict if verdicts else ""} for line in judged],
    }


def _call(call: Call) -> dict[str, Any]:
    spreads = {f"{name}_ns_per_token": attrs.asdict(_nanoseconds(getattr(call, name))) for name in _PARTS}
    return {
        "instruction_set": call.instruction_set,
        "tokens": call.tokens,
        "page_faults": call.page_faults,
        **spreads,
    }


def _nanoseconds(seconds: Any) -> Spread:
    return Spread.of(seconds * 1e9)


def _spread(spread: Spread) -> str:
    if spread.least == spread.most:
        return f"{spread.median:.3g}"
    return f"{_short(spread.median)} ({_short(spread.least)}-{_short(spread.most)})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _narrator(console: Console) -> Callable[[str], None]:
    """Says what is being done where somebody watches."""
    return console.complain if console.err.isatty() and not console.as_json else lambda text: None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the task."""
    add_data_option(parser, CORPORA[0].folder, "drawn scores")
    parser.add_argument(
        "--labels", type=_counts, default=LABELS, help="numbers of labels, with commas (default 45,350,1000)"
    )
    parser.add_argument("--cache", metavar="DIR", help="keep the trained models' scores here for the next run")
    parser.add_argument("--quick", action="store_true", help="a few seconds: shows that all runs, measures nothing")


def _counts(text: str) -> tuple[int, ...]:
    try:
        counts = tuple(int(part) for part in text.split(","))
    except ValueError:
        counts = ()
    if not counts or min(counts) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a list of positive whole numbers, such as 45,350")
    return counts


TASK = gl.Task(
    "chain-benchmark", "How fast chains are decoded, next to baselines and the floor.", add_arguments, run
)
