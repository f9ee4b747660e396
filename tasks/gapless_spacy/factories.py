"""Factories of the components, for spaCy's entry points.

spaCy imports this module whenever it makes a pipeline, anybody's: so it imports nothing else, and a
component is imported when a pipeline has it.
"""

# No deferred annotations: spaCy validates configurations by them.
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spacy.language import Language

if TYPE_CHECKING:
    from gapless_spacy.decoder import Decoder
    from gapless_spacy.linker import Linker
    from gapless_spacy.parser import Parser
    from gapless_spacy.tagger import Tagger

SETTINGS: dict[str, Any] = {"model": None, "certificates": False, "time": None}
"""Configuration of the components with a model; see `gapless_spacy.component.Component`."""


def make_tagger(nlp: Language, name: str, model: str | None, certificates: bool, time: float | None) -> "Tagger":
    """Make a `gapless_spacy.tagger.Tagger`."""
    from gapless_spacy.tagger import Tagger  # noqa: PLC0415  see above

    return Tagger(nlp, name, model=model, certificates=certificates, time=time)


def make_parser(nlp: Language, name: str, model: str | None, certificates: bool, time: float | None) -> "Parser":
    """Make a `gapless_spacy.parser.Parser`."""
    from gapless_spacy.parser import Parser  # noqa: PLC0415

    return Parser(nlp, name, model=model, certificates=certificates, time=time)


def make_linker(nlp: Language, name: str, model: str | None, certificates: bool, time: float | None) -> "Linker":
    """Make a `gapless_spacy.linker.Linker`."""
    from gapless_spacy.linker import Linker  # noqa: PLC0415

    return Linker(nlp, name, model=model, certificates=certificates, time=time)


def make_decoder(
    nlp: Language,
    name: str,
    pipe: str,
    scores: Callable[..., Any] | None,
    labels: list[str] | None,
    attr: str,
    transition: list[list[float]] | None,
    forbid: list[list[str]],
    log: bool,
    certificates: bool,
    time: float | None,
) -> "Decoder":
    """Make a `gapless_spacy.decoder.Decoder`."""
    from gapless_spacy.decoder import Decoder  # noqa: PLC0415

    return Decoder(
        nlp,
        name,
        pipe=pipe,
        scores=scores,
        labels=labels,
        attr=attr,
        transition=transition,
        forbid=forbid,
        log=log,
        certificates=certificates,
        time=time,
    )


Language.factory(
    "gapless_tagger",
    assigns=["token.pos", "token.tag"],
    default_config=SETTINGS,
    default_score_weights={"pos_acc": 1.0, "tag_acc": None},
    func=make_tagger,
)
Language.factory(
    "gapless_parser",
    assigns=["token.head", "token.dep", "token.is_sent_start", "doc.sents", "token.pos", "token.tag"],
    default_config=SETTINGS,
    default_score_weights={"dep_uas": 0.5, "dep_las": 0.5, "sents_f": 0.0},
    func=make_parser,
)
Language.factory("gapless_linker", assigns=["doc.ents", "doc.spans"], default_config=SETTINGS, func=make_linker)
Language.factory(
    "gapless_decoder",
    assigns=["token.tag", "token.pos", "doc.ents"],
    default_config={
        "pipe": "tagger",
        "scores": None,
        "labels": None,
        "attr": "tag",
        "transition": None,
        "forbid": [],
        "log": False,
        "certificates": False,
        "time": None,
    },
    func=make_decoder,
)
