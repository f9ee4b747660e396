"""``gapless run pos-tagging``: train a tagger, decode the test part exactly, verify every certificate."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless.core.serial import require_folder, write_aside
from gapless.plugins import load_plugins
from gapless_chains import ChainProblem
from gapless_kernels import viterbi
from gapless_tasks.tagging import (
    ChainTagger,
    EpochReport,
    TaggedFileError,
    TaggedSentence,
    embedded_corpus,
    read_tagged,
    train,
)

METHODS = ("viterbi", "column-generation")
CORPUS = Path("tagging", "wsj_pos")
UNSEEN = -1
"""Number of a gold label that the training part does not have: never predicted, always an error."""
Labels = NDArray[np.int64]


@attrs.frozen
class Corpus:
    """A tagged corpus in its parts; `dev` may be empty."""

    name: str
    train: Sequence[TaggedSentence]
    dev: Sequence[TaggedSentence]
    test: Sequence[TaggedSentence]


@attrs.frozen
class Outcome:
    """One row of the table: what one method did on the test part."""

    method: str
    decoded: int
    accuracy: float
    sentences_per_second: float
    proved: float
    verified: float
    mean_domain: float
    iterations: float
    seconds: float


def load_corpus(folder: str | None) -> Corpus:
    """The embedded corpus, or ``FOLDER/tagging/wsj_pos/{train,dev,test}.tsv.gz``.

    Raises
    ------
    InvalidProblem
        The folder does not hold the corpus; the message names the missing file.
    """
    if folder is None:
        return Corpus("embedded corpus", embedded_corpus("train"), (), embedded_corpus("test"))
    root = Path(folder) / CORPUS
    try:
        return Corpus(str(root), *(read_tagged(root / f"{part}.tsv.gz") for part in ("train", "dev", "test")))
    except (TaggedFileError, OSError) as error:
        raise gl.InvalidProblem(f"{error} (--data names the folder that holds {CORPUS}/)") from error


def decode(
    unary: NDArray[np.float64],
    transition: NDArray[np.float64],
    initial: NDArray[np.float64],
    final: NDArray[np.float64],
) -> Labels:
    """Exact decoding inside the training loop."""
    scores = unary.copy()
    scores[0] += initial
    scores[-1] += final
    labels = np.empty(len(scores), np.int64)
    viterbi(scores, transition, labels)
    return labels


def chain_problems(tagger: ChainTagger, sentences: Sequence[TaggedSentence]) -> list[ChainProblem]:
    """What the tagger asks about each sentence; all share its transition scores."""
    return ChainProblem.many(
        (tagger.scores(sentence) for sentence in sentences),
        tagger.transition,
        initial=tagger.initial,
        final=tagger.final,
        labels=tagger.labels,
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do the job."""
    out = prepare(arguments)
    corpus = load_corpus(arguments.data)
    console.say(
        f"{corpus.name}: {len(corpus.train)} training, {len(corpus.dev)} dev, {len(corpus.test)} test sentences"
    )
    tagger, seconds = train_tagger(corpus, arguments, console)
    console.say(f"averaged perceptron with {len(tagger.labels)} labels, ready in {seconds:.1f} s")
    problems = chain_problems(tagger, corpus.test)
    number = {label: i for i, label in enumerate(tagger.labels)}
    gold = [np.array([number.get(label, UNSEEN) for label in sentence.labels]) for sentence in corpus.test]
    outcomes: list[Outcome] = []
    for method in arguments.method or METHODS:
        outcomes.append(decode_with(method, problems, gold, console, arguments.jobs, out))
        if outcomes[-1].decoded < len(problems):
            console.complain(f"{method}: interrupted: {outcomes[-1].decoded} of {len(problems)} sentences decoded")
            break
    show(corpus, outcomes, console, out)
    if outcomes[-1].decoded < len(problems):
        return exit_codes.INTERRUPTED
    return exit_codes.PROVED if all(o.verified == 1.0 for o in outcomes) else exit_codes.FAILED


def prepare(arguments: argparse.Namespace) -> Path | None:
    """Find out what cannot work before minutes of training: methods, the model's folder, the answers' folder.

    Returns
    -------
    Path or None
        The folder for the answers; it exists.
    """
    registry = load_plugins().registry
    for method in arguments.method or METHODS:
        registry.find_method(ChainProblem, method)
    if arguments.model:
        require_folder(arguments.model)
    if not arguments.out:
        return None
    out = Path(arguments.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise gl.InvalidProblem(f"--out {out}: cannot be used as a folder ({error.strerror})") from error
    return out


def train_tagger(corpus: Corpus, arguments: argparse.Namespace, console: Console) -> tuple[ChainTagger, float]:
    """Load the stored tagger, or train one, choosing the epoch by dev accuracy where there is a dev part."""
    start = time.perf_counter()
    stored = Path(arguments.model) if arguments.model else None
    if stored is not None and stored.exists():
        try:
            return ChainTagger.load(stored), time.perf_counter() - start
        except ValueError as error:
            raise gl.InvalidProblem(f"--model {error}") from error
    with console.progress("training", arguments.epochs) as advance:

        def report(epoch: EpochReport) -> None:
            advance(1)
            dev = "" if epoch.dev_accuracy is None else f", {100 * epoch.dev_accuracy:.2f} % of the dev words right"
            console.say(f"epoch {epoch.epoch}: {epoch.updates} sentences wrong{dev}")

        tagger = train(
            corpus.train, decode, arguments.epochs, arguments.seed, dev=corpus.dev or None, progress=report
        )
    if stored is not None:
        tagger.save(stored)
    return tagger, time.perf_counter() - start


def decode_with(
    method: str,
    problems: Sequence[ChainProblem],
    gold: Sequence[Labels],
    console: Console,
    jobs: int,
    out: Path | None,
) -> Outcome:
    """Decode every sentence, then verify every answer."""
    start = time.perf_counter()
    batch = gl.solve_many(problems, method, jobs=jobs)
    seconds = time.perf_counter() - start
    for number, error in batch.errors.items():
        console.complain(f"{method}: sentence {number}: {error}")
    held = {i: batch[i] for i, status in enumerate(batch.statuses) if status is not None}
    results = {i: result for i, result in held.items() if result.stop is not gl.Stop.INTERRUPTED}
    reached = list(results)
    verified = 0
    with console.progress(f"verifying {method}", len(reached)) as advance:
        for number, result in results.items():
            verdict = result.verify(problems[number])
            verified += result.proved and bool(verdict)
            if not verdict:
                console.complain(f"{method}: sentence {number}: {verdict.place}: {verdict.reason}")
            advance(1)
    if out is not None:
        records = (gl.dumps(gl.Record(problems[i], r, f"sentence {i}")) for i, r in results.items())
        write_aside(out / f"{method}.jsonl", "".join(f"{line}\n" for line in records))
    right = sum(int((r.best == gold[i]).sum()) for i, r in results.items() if r.solutions)
    domains = [r.stats.extra.get("mean_domain_size", problems[i].label_count) for i, r in results.items()]
    return Outcome(
        method,
        decoded=len(reached) + len(batch.errors.keys() - results.keys()),
        accuracy=right / max(1, sum(len(gold[i]) for i in reached)),
        sentences_per_second=len(reached) / seconds,
        proved=batch.proved,
        verified=verified / max(1, len(problems)),
        mean_domain=float(np.mean(domains)) if reached else 0.0,
        iterations=float(np.mean([r.stats.iterations for r in results.values()])) if reached else 0.0,
        seconds=seconds,
    )


def show(corpus: Corpus, outcomes: Sequence[Outcome], console: Console, out: Path | None) -> None:
    """Print the table and the verdict."""
    console.table(
        f"Exact decoding of {len(corpus.test)} test sentences",
        ("method", "accuracy %", "sentences/s", "proved %", "labels looked at", "rounds"),
        [
            (
                o.method,
                round(100 * o.accuracy, 2),
                round(o.sentences_per_second),
                round(100 * o.proved, 2),
                round(o.mean_domain, 2),
                round(o.iterations, 2),
            )
            for o in outcomes
        ],
    )
    if all(o.verified == 1.0 for o in outcomes):
        console.say("all certificates verified")
    else:
        for o in outcomes:
            console.say(f"{o.method}: {100 * o.verified:.2f} % of the answers proved and verified")
    document: dict[str, Any] = {
        "corpus": corpus.name,
        "sentences": len(corpus.test),
        "methods": [attrs.asdict(o) for o in outcomes],
        "all_verified": all(o.verified == 1.0 for o in outcomes),
    }
    console.data(document)
    if out is not None:
        write_aside(out / "summary.json", json.dumps(document, indent=2) + "\n")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the task."""
    parser.add_argument("--data", metavar="DIR", help=f"folder of corpora; uses DIR/{CORPUS} (default: embedded)")
    parser.add_argument("--method", action="append", help=f"default: {', '.join(METHODS)}; may be repeated")
    parser.add_argument("--epochs", type=_positive, default=8, help="passes over the training part (default 8)")
    parser.add_argument("--model", metavar="FILE", help="load this tagger; if missing, train and store it there")
    parser.add_argument("--seed", type=int, default=0, help="order of the training sentences (default 0)")
    parser.add_argument("--jobs", type=_positive, default=1, help="processes for decoding (default 1)")
    parser.add_argument("--out", metavar="DIR", help="keep every answer with its certificate, and a summary")


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive whole number")
    return number


TASK = gl.Task("pos-tagging", "Part-of-speech tagging: exact decoding of a chain model.", add_arguments, run)
