"""The Python side of the browser page: questions and answers are JSON."""

import json
import re
import traceback

import numpy as np

if np.intp(0).itemsize < 8:
    # A browser has 32 bits. NumPy then counts in int32, and refuses int64 where it counts: narrow what it is given.

    def narrowing(function, place):
        """Wrap a function so that one argument has NumPy's own index type."""

        def narrowed(*arguments, **options):
            arguments = list(arguments)
            if len(arguments) > place and np.asarray(arguments[place]).dtype == np.int64:
                arguments[place] = np.asarray(arguments[place]).astype(np.intp)
            return function(*arguments, **options)

        return narrowed

    np.bincount, np.repeat = narrowing(np.bincount, 0), narrowing(np.repeat, 1)

import gapless as gl
from gapless.plugins import load_plugins
from gapless_chains import ChainProblem
from gapless_dependency.arc_diagram import draw_svg
from gapless_models.parsing import ParserModel, Sentence
from gapless_models.tagging import ChainTagger
from gapless_models.tagging.decoder import decode

LONGEST = 25
SECONDS = 20.0
TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
tagger = ChainTagger.load("tagger.npz")
parser = ParserModel.load("parser.npz")
draw = load_plugins().hook.gapless_draw


def parse(text):
    """Tag and parse a sentence."""
    words = TOKEN.findall(text)
    if not words:
        raise gl.InvalidProblem("there is no word to parse: type a sentence")
    if len(words) > LONGEST:
        raise gl.InvalidProblem(f"the sentence has {len(words)} words; this page parses at most {LONGEST}")
    tags = tagger.tag(words, decode)
    problem = parser.problem(Sentence(words=tuple(words), tags=tags, coarse=tags))
    return solved(problem, lambda tree: draw_svg(words, tree.heads.tolist(), tags=tags))


def label(words, labels, unary, transition):
    """Label a chain with the scores of the page's table; mark words in red that alone would get another label."""
    if len(unary) != len(words):
        raise gl.InvalidProblem(f"there are {len(words)} words, and scores of {len(unary)}")
    problem = ChainProblem(np.array(unary, float), np.array(transition, float), labels=labels)
    alone = np.array(unary, float).argmax(axis=1)
    return solved(problem, lambda best: draw(problem=problem, structure=best, words=words, against=alone))


def solved(problem, drawing):
    """Solve and check a problem, and return an answer to show."""
    result = gl.solve(problem, limits=gl.Limits(time=SECONDS))
    if not result.solutions:
        raise gl.InvalidProblem(result.explanation or "nothing is allowed by these scores")
    verdict = result.verify(problem)
    return {
        "drawing": drawing(result.best),
        "value": float(result.value),
        "bound": float(result.bound),
        "gap": float(result.gap),
        "status": str(result.status.value),
        "holds": bool(verdict),
        "verdict": verdict.reason,
        "seconds": float(result.stats.seconds),
    }


def answer(question):
    """Answer one question of the page."""
    asked = json.loads(question)
    try:
        match asked["kind"]:
            case "parse":
                return json.dumps(parse(asked["text"]))
            case "label":
                names = ("words", "labels", "unary", "transition")
                return json.dumps(label(*(asked[name] for name in names)))
            case other:
                raise ValueError(f"no such question: {other}")
    except gl.GaplessError as error:
        return json.dumps({"refused": str(error)})
    except Exception as error:
        return json.dumps({"refused": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()})
