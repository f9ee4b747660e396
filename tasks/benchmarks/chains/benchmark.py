"""``python -m benchmarks chains``: decoders, peers and the physical floor take turns on one core."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import gapless as gl
from benchmarks.chains import loops, synthetic
from benchmarks.chains.contenders import VITERBI
from benchmarks.chains.corpora import CORPORA, Corpus
from benchmarks.chains.measurement import Effort, Measured, measure_scores, ratio
from benchmarks.chains.one_call import Call
from benchmarks.chains.score_set import ScoreSet
from benchmarks.chains.stopwatch import Seconds
from benchmarks.chains.targets import lines
from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import BenchmarkLine, Spread
from gapless.cli import Console
from gapless_models.tagging import train
from gapless_models.tagging.decoder import decode
from gapless_tasks.run_options import add_data_option

LABELS = (45, 350, 1000)
_PARTS = ("call", "kernel", "viterbi")
_NEAR = 0.2


def measure(arguments: argparse.Namespace, bench: Bench) -> Iterator[BenchmarkLine]:
    """Measure every number of each model."""
    cache, console = Path(arguments.cache) if arguments.cache else None, bench.console
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
    try:
        compiled = loops.compiled()
    except gl.MissingDependency as missing:
        bench.remarks.append(str(missing))
        compiled = None
    if arguments.quick:
        console.info("marks are not judged: --quick shows that all runs and measures nothing")
    bench.judged, bench.more["sets"] = not arguments.quick, []
    effort = Effort.quick() if arguments.quick else Effort()
    for count in arguments.labels:
        if arguments.data is None:
            scores = synthetic.peaked(count, 20 if arguments.quick else max(200, 400_000 // count))
        else:
            scores = trained(nearest(count), Path(arguments.data), cache, console)
        console.info(f"{scores.name}: {scores.label_count} labels, {scores.sentences} sentences, {scores.about}")
        found = measure_scores(scores, compiled, effort, _narrator(console))
        show_times(found, console)
        for name in found.disagreements:
            bench.wrong.append(f"{scores.name}: {name} does not give the optimal values")
        bench.more["sets"].append(_document(found))
        yield from lines(found)


def nearest(count: int) -> Corpus:
    """Choose the corpus with about that many labels.

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
    """Compute scores of the test part under a quickly trained model, or load what an earlier run stored."""
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
    """Show the times of each contender."""
    mean_length = measured.scores.tokens / measured.scores.sentences
    rows = []
    for name, cold in sorted(measured.streamed.items(), key=lambda item: float(np.median(item[1]))):
        warm = measured.cycled[name]
        faster = [ratio(seconds, VITERBI, name) for seconds in (measured.streamed, measured.cycled)]
        whole = measured.from_arrays.get(name)
        rows.append(
            (
                name,
                "" if whole is None else str(_nanoseconds(whole)),
                "" if whole is None else f"{1 / (mean_length * float(np.median(whole))):,.0f}",
                str(_nanoseconds(cold)),
                *(float(f"{one.median:.3g}") if one is not None else "" for one in faster),
                str(_nanoseconds(warm)),
            )
        )
    title = f"CPU time, {measured.scores.name}, {measured.scores.label_count} labels, one thread: median (range)"
    if measured.accuracy is not None:
        title += f"; {100 * measured.accuracy:.2f} % of the labels right"
    columns = (
        *("decoder", "from arrays, cold ns/token", "sentences/s", "search alone, cold ns/token"),
        *(f"x {VITERBI}, cold", "warm", "search alone, warm ns/token"),
    )
    console.table(title, columns, rows)
    console.info()


def _document(one: Measured) -> dict[str, Any]:
    """Return the times of one model's scores, for programs."""
    return {
        "name": one.scores.name,
        "about": one.scores.about,
        "labels": one.scores.label_count,
        "sentences": one.scores.sentences,
        "tokens": one.scores.tokens,
        "accuracy": one.accuracy,
        "cold_ns_per_token": _each(one.streamed),
        "from_arrays_ns_per_token": _each(one.from_arrays),
        "one_call": [_call(call) for call in one.calls],
        "warm_ns_per_token": _each(one.cycled),
        "memory": attrs.asdict(one.memory),
        "disagreements": one.disagreements,
    }


def _each(seconds: Mapping[str, Seconds]) -> dict[str, Any]:
    return {name: attrs.asdict(_nanoseconds(one)) for name, one in seconds.items()}


def _call(call: Call) -> dict[str, Any]:
    spreads = {f"{name}_ns_per_token": attrs.asdict(_nanoseconds(getattr(call, name))) for name in _PARTS}
    return {**{name: getattr(call, name) for name in ("instruction_set", "tokens", "page_faults")}, **spreads}


def _nanoseconds(seconds: Any) -> Spread:
    return Spread.of(seconds * 1e9)


def _narrator(console: Console) -> Callable[[str], None]:
    """Say what is being done where somebody watches."""
    return console.error if console.err.isatty() and not console.as_json else lambda text: None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
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
