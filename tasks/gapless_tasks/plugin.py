"""The plug-in ``tasks``: the tasks of this package, and its commands."""

from __future__ import annotations

from typing import Any

from gapless.plugins import Task, hookimpl, table

TASKS = (
    Task(
        "pos-tagging",
        "Part-of-speech tagging: exact decoding of a chain model.",
        "gapless_tasks.tagging.jobs:POS_TAGGING.add_arguments",
        "gapless_tasks.tagging.jobs:POS_TAGGING.run",
    ),
    Task(
        "joint-tagging",
        "Part-of-speech tags joined with entities: exact decoding over all combinations.",
        "gapless_tasks.tagging.jobs:JOINT_TAGGING.add_arguments",
        "gapless_tasks.tagging.jobs:JOINT_TAGGING.run",
    ),
    Task(
        "dependency-parsing",
        "Dependency parsing with non-local factors: exact decoding of projective and other trees.",
        "gapless_tasks.parsing.options:add_arguments",
        "gapless_tasks.parsing.job:JOB.run",
    ),
    Task(
        "entity-linking",
        "Entity linking by graph distance: heuristics against the proved optimum, a prior (Blanco et al. 2013).",
        "gapless_tasks.linking.options:add_arguments",
        "gapless_tasks.linking.job:run",
    ),
    Task(
        "price-and-cut",
        "Parse, price and cut: parsing with all grandparents, delayed columns and rows, lazy scores.",
        "gapless_tasks.price_and_cut.options:add_arguments",
        "gapless_tasks.price_and_cut.job:JOB.run",
    ),
    Task(
        "title-generation",
        "Titles of book sections: select words and order them; decoders compared (Deshpande et al. 2007).",
        "gapless_tasks.titles.options:add_arguments",
        "gapless_tasks.titles.job:run",
    ),
)

gapless_register = table(tasks=TASKS)


COMMANDS = (
    (
        "tag",
        "Tag text of your own.",
        "Parts of speech for raw text or CoNLL-U, each proved to be the best under the model.",
        "gapless_tasks.text.commands:add_tag",
    ),
    (
        "parse",
        "Parse text of your own.",
        "Dependency trees for raw text or CoNLL-U, each proved to be the best under the model.",
        "gapless_tasks.text.commands:add_parse",
    ),
    (
        "link",
        "Link the names in text of your own.",
        "A concept for each name, so that those of a line lie closest together; proved.",
        "gapless_tasks.text.commands:add_link",
    ),
    (
        "title",
        "Give text of your own a title.",
        "The best title for each text, made of its own words; an empty line begins another text.",
        "gapless_tasks.text.commands:add_title",
    ),
    (
        "train",
        "Train a tagger or a parser on CoNLL-U.",
        "Train a model for `gapless tag` or `gapless parse`.",
        "gapless_tasks.text.training:add_models",
    ),
    (
        "data",
        "List and download open corpora.",
        "Open corpora by name, with checksums and licences.",
        "gapless_tasks.corpora:add_actions",
    ),
    (
        "demo",
        "Show a beam that is wrong, the best tree, and the proof.",
        "A parser is trained in seconds; a beam and the exact method decode the same scores.",
        "gapless_tasks.demo.command:add_options",
    ),
)
"""Name, line for the list of commands, description, and the function that adds the options."""


@hookimpl
def gapless_cli(subparsers: Any) -> None:
    """Add the commands of this package."""
    for name, summary, description, fill in COMMANDS:
        subparsers.add_parser(name, help=summary, description=description, fill=fill)
