"""The task: models, exact parsing of the test parts, the comparisons of the paper, and its tables."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

import gapless as gl
from gapless.cli import Console
from gapless.runs import Fingerprint, RunFolder
from gapless_models.parsing import Sentence
from gapless_models.parsing.training import Stage
from gapless_models.parsing.treebank import EMBEDDED, Treebank, load_treebank
from gapless_models.price_and_cut import PERCEPTRON, GrandparentModel, Training, train
from gapless_tasks.parsing.explaining import explain_sentence
from gapless_tasks.parsing.length_figures import can_draw, show_figures, write_figures
from gapless_tasks.parsing.outcome import ANSWERS, keep_trees
from gapless_tasks.parsing.sentence_arrays import certified_rate
from gapless_tasks.parsing.tables import show_exact_parsing, show_verified
from gapless_tasks.parsing.training_progress import check_training, epoch_progress, load_stored, train_and_store
from gapless_tasks.price_and_cut import options
from gapless_tasks.price_and_cut.measuring import (
    SHIPPED,
    Measured,
    Problems,
    System,
    Systems,
    disagreements,
    measure,
)
from gapless_tasks.price_and_cut.tables import SPEEDS, figures, table_1, table_2
from gapless_tasks.run_options import finish, run_in_folder
from gapless_tasks.stored_answers import file_name


def short_name(treebank: str) -> str:
    """Return the name of a treebank, which may be a path, in file names of models and answers."""
    return Path(treebank).name.removesuffix(".gz").removesuffix(".conllu")


@attrs.frozen
class Models:
    """The source of trained models.

    Parameters
    ----------
    folder : Path or None
        Each model is stored here under the name of its treebank.
    retrain : bool
        Train although there is a stored one, and replace it.
    epochs, seed : int
        See `Training`.
    overwrite : bool
        Whether `retrain` replaces a file that holds no model.
    """

    folder: Path | None
    retrain: bool
    learner: str
    epochs: int
    seed: int
    overwrite: bool = False

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Models:
        """Read the options; create the folder if it is missing.

        Raises
        ------
        InvalidProblem
            It cannot be made.
        """
        folder = Path(arguments.models) if arguments.models else None
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise gl.InvalidProblem(f"--models {folder}: cannot be used as a folder ({error})") from error
        settings = arguments.learner, arguments.epochs, arguments.seed
        return cls(folder, arguments.train, *settings, overwrite=arguments.overwrite)

    def place(self, treebank: Treebank) -> Path | None:
        """Return the file of a treebank's model."""
        return None if self.folder is None else self.folder / f"{short_name(treebank.name)}.npz"

    def model(self, treebank: Treebank, console: Console) -> GrandparentModel:
        """Load the model of a treebank, or train and store a new one.

        Raises
        ------
        InvalidProblem
            The stored file is none, or was trained in another way; or there is nothing to train on.
        """
        path = self.place(treebank)
        stored = load_stored(
            GrandparentModel.load, "--models", path, retrain=self.retrain, overwrite=self.overwrite
        )
        if stored is not None:
            assert path is not None
            if treebank.train:
                # JSON has lists for the tuples of the options.
                record = json.loads(json.dumps(self._record(treebank)))
                check_training("--models", path, {**stored.training, "treebank": treebank.name}, record)
            console.info(f"{treebank.name}: model of {path}")
            return stored
        model, seconds = train_and_store(
            partial(self._train, treebank, console), treebank, path, f"--models a folder with {path or 'a model'}"
        )
        console.info(f"{treebank.name}: trained in {seconds:.0f} s of CPU time")
        return model

    def _record(self, treebank: Treebank) -> dict[str, Any]:
        """Return the settings of the training as JSON data."""
        options = attrs.asdict(self._training(treebank))
        return {"treebank": treebank.name, "digest": treebank.digest, **options}

    def _training(self, treebank: Treebank) -> Training:
        return Training(single_root=treebank.single_root, learner=self.learner, epochs=self.epochs, seed=self.seed)

    def _train(self, treebank: Treebank, console: Console, checkpoint: Path | None) -> GrandparentModel:
        titles: dict[Stage, str] = {"pruner": f"pruner, {treebank.name}", "parser": f"model, {treebank.name}"}
        with epoch_progress(console, self.epochs, titles, mistakes=self.learner == PERCEPTRON) as progress:
            return train(
                treebank.train,
                treebank.dev,
                self._training(treebank),
                record=self._record(treebank),
                checkpoint=checkpoint,
                progress=progress,
            )


def model_fingerprint(model: GrandparentModel, name: str) -> Fingerprint:
    """Compute a digest of the weights: a run continues only with the same ones."""
    return Fingerprint.of(name, [model.arcs, model.tables.weights, model.projective, model.single_root])


PLOTLY_MISSING = "figures.html needs plotly: pip install 'gapless[report]'"


@attrs.frozen
class PriceAndCutJob:
    """The task ``gapless run price-and-cut``."""

    systems: Systems = SHIPPED

    def run(self, arguments: argparse.Namespace, console: Console) -> int:
        """Run the job."""
        return run_in_folder(
            "price-and-cut",
            arguments,
            options.ANSWER_OPTIONS,
            lambda out: _Run(self.systems, arguments, console, out).all(),
        )


JOB = PriceAndCutJob()


class _Run:
    """One run and its answers so far, which are printed after Ctrl-C."""

    def __init__(
        self, systems: Systems, arguments: argparse.Namespace, console: Console, out: RunFolder | None
    ) -> None:
        self.systems, self.arguments, self.console, self.out = systems, arguments, console, out
        self.limits = gl.Limits(time=arguments.limit_seconds)
        self.document: dict[str, Any] = {"treebanks": [], "table1": [], "table2": [], "figures": {}}
        self.measured: list[tuple[str, dict[System, Measured]]] = []
        self.wrong: list[str] = []
        self.proved = True

    def all(self) -> int:
        if self.out is not None and not self.arguments.no_tables and not can_draw():
            self.console.error(f"figures.html will not be written: {PLOTLY_MISSING}")
        models = Models.of(self.arguments)
        treebanks = self._treebanks()
        interrupted = False
        try:
            for treebank in treebanks:
                self._treebank(treebank, models.model(treebank, self.console))
        except KeyboardInterrupt:
            interrupted = True
            self.console.error("interrupted: the tables show the finished part")
        self._tables()
        self.document["disagreements"] = self.wrong
        end = partial(finish, self.document, self.console, self.out)
        return end(interrupted=interrupted, wrong=self.wrong, proved=self.proved)

    def _treebanks(self) -> list[Treebank]:
        """Load all treebanks of the options before minutes go by: a typo in the last one is reported at once."""
        data = self.arguments.data
        names = self.arguments.treebank or (list(options.TREEBANKS) if data else [EMBEDDED])
        treebanks = [load_treebank(name, data) for name in dict.fromkeys(names)]
        if self.out is not None or self.arguments.models:
            _check_names(treebanks)
        if self.out is not None:
            for one in treebanks:
                texts = [(s.words, s.tags, s.coarse, s.heads) for s in one.test]
                self.out.about(f"the test part of {Path(one.name).name}", Fingerprint.of(one.name, texts))
        count, number = self.arguments.sentences, self.arguments.explain
        for treebank in treebanks:
            if number and number > len(treebank.test[:count]):
                raise gl.InvalidProblem(
                    f"--explain {number}: {treebank.name} has {len(treebank.test[:count])} test sentences"
                )
        return [attrs.evolve(one, test=one.test[:count], entries=one.entries[:count]) for one in treebanks]

    def _treebank(self, treebank: Treebank, model: GrandparentModel) -> None:
        """Process one treebank."""
        folder = Path(treebank.name).name
        if self.out is not None:
            self.out.about(f"the model of {folder}", model_fingerprint(model, folder))
        exact = self._measure(self.systems.exact, treebank, model, treebank.test, f"{folder}/{ANSWERS}")
        self._show_exact(treebank, model, exact)
        problems = Problems(model, treebank.test)
        if self.arguments.explain:
            entry = self.document["treebanks"][-1]
            number = self.arguments.explain
            explain_sentence(entry, number, problems, treebank.test, exact.parsed, self.console)
        if self.out is not None:
            keep_trees(self.out.path / folder, treebank, exact.parsed)
        if exact.parsed.interrupted:
            raise KeyboardInterrupt
        if not self.arguments.no_tables:
            self._compare(treebank, model)

    def _show_exact(self, treebank: Treebank, model: GrandparentModel, exact: Measured) -> None:
        rate = None
        if self.arguments.jobs == 1 and len(exact.parsed.results) == exact.sentences:
            system = self.systems.exact
            title = f"{treebank.name}, {system.name}"
            rate = certified_rate(
                Problems(model, treebank.test),
                system.method,
                self.console,
                title,
                options=system.method_options,
                limits=self.limits,
                out=self.out,
                key=title,
            )
        entry = {
            "treebank": treebank.name,
            "training": dict(model.training),
            **exact.document(),
            "certified_words_per_second": rate,
        }
        self.document["treebanks"].append(entry)
        show_exact_parsing(
            f"{treebank.name}: exact parsing of {exact.parsed.reached:,} of {exact.sentences:,} test sentences",
            {
                "UAS %": entry["uas"],
                "without punct. %": entry["uas_without_punctuation"],
                "proved %": entry["proved"],
                "parts scored %": entry["scopes_scored"],
            },
            entry,
            SPEEDS,
            self.console,
        )
        show_verified(exact.parsed, self.console)
        self.proved &= bool(exact.parsed.proved.all())

    def _compare(self, treebank: Treebank, model: GrandparentModel) -> None:
        """Run the systems of both tables on the sentences that are not too long."""
        short = [one for one in treebank.test if len(one) <= self.arguments.longest]
        left_out = len(treebank.test) - len(short)
        self.document["treebanks"][-1]["left_out"] = left_out
        self.console.info(
            f"{treebank.name}: the tables are about {len(short)} test sentences of at most "
            f"{self.arguments.longest} words, {left_out} longer ones are left out (--longest)"
        )
        measured: dict[System, Measured] = {}
        self.measured.append((treebank.name, measured))
        for system in dict.fromkeys((*self.systems.table_1, *self.systems.table_2)):
            # Table 2 has brute force, too: under another name it is the same run.
            same = next(
                (one for one in measured if (one.method, one.options) == (system.method, system.options)), None
            )
            if same is not None:
                measured[system] = attrs.evolve(measured[same], system=system)
                continue
            log = f"{Path(treebank.name).name}/tables/{file_name(system.name)}.jsonl"
            one = self._measure(system, treebank, model, short, log)
            if one.parsed.interrupted:
                raise KeyboardInterrupt
            measured[system] = one
            self.console.info(f"{treebank.name}, {system.name}: {one.sentences_per_second:.3g} sentences/s")
        self.wrong += [f"{treebank.name}: {message}" for message in disagreements(measured, self.systems.at_most)]

    def _measure(
        self, system: System, treebank: Treebank, model: GrandparentModel, sentences: Sequence[Sentence], log: str
    ) -> Measured:
        title = f"{treebank.name}, {system.name}"
        measured = measure(
            system,
            model,
            sentences,
            self.console,
            title=title,
            limits=self.limits,
            verify=self.arguments.verify,
            jobs=self.arguments.jobs,
            log=None if self.out is None else self.out.log(log, records=log.endswith(ANSWERS)),
        )
        if measured.parsed.refuted:
            self.wrong.append(f"{title}: {measured.parsed.refuted} certificates were refused")
        failed = measured.parsed.reached - len(measured.parsed.results)
        if failed:
            self.wrong.append(f"{title}: {failed} sentences failed")
        return measured

    def _tables(self) -> None:
        if not self.measured:
            return
        for key, show, systems in (
            ("table1", table_1, self.systems.table_1),
            ("table2", table_2, self.systems.table_2),
        ):
            rows = [
                (name, [measured[figure] for figure in systems if figure in measured])
                for name, measured in self.measured
            ]
            self.document[key] = show([(name, columns) for name, columns in rows if columns], self.console)
        shown = [
            figure for name, measured in self.measured for figure in figures(name, measured, self.systems.table_1)
        ]
        self.document["figures"] = show_figures(shown, self.console)
        if self.out is not None and can_draw():
            path = self.out.path / "figures.html"
            write_figures(shown, "Parse, price and cut", path, PLOTLY_MISSING)
            self.console.info(f"figures drawn: {path}")


def _check_names(treebanks: Sequence[Treebank]) -> None:
    """Refuse treebanks whose models and answers would lie in the same files."""
    names: dict[str, str] = {}
    for treebank in treebanks:
        own = short_name(treebank.name)
        if own in names:
            raise gl.InvalidProblem(
                f"--treebank {names[own]} and --treebank {treebank.name} are both called {own}, and models and "
                "answers are kept under that name: give them different names, or another --out and --models to one"
            )
        names[own] = treebank.name
