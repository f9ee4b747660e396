"""Readers of text, graphs and stored models: valid files, and what is done with one that could be read."""

import contextlib
import importlib.resources
import json
import tempfile
import warnings
from functools import cache
from pathlib import Path

import mutations
import numpy as np

import gapless as gl
from gapless_linking import Graph, LinkingProblem
from gapless_models.linking.corpora import load_demo
from gapless_models.linking.readers import read_documents, read_names
from gapless_models.parsing import Sentence
from gapless_models.parsing.conllu_reader import MissingBlankLine, read_entries
from gapless_models.parsing.parser_model import FirstOrder, ParserModel
from gapless_models.tagging.features import FeatureIndex
from gapless_models.tagging.lexicon import LabelLexicon
from gapless_models.tagging.readers import read_tagged
from gapless_models.tagging.tagger import ChainTagger
from gapless_models.titles.section_reader import read_auxiliary_words, read_sections

# --- readers of text


def embedded(package, name, most=4000):
    """The beginning of a file that comes with the tasks, up to a blank line where it has some."""
    text = importlib.resources.files(f"gapless_models.{package}").joinpath("data", name).read_text(encoding="utf-8")
    end = text.rfind("\n\n", 0, most) if "\n\n" in text[:most] else text.rfind("\n", 0, most)
    return text[: end + 1].encode() + (b"\n" if "\n\n" in text[:most] else b"")


def conllu_seeds():
    """Sentences of the embedded treebank."""
    return [embedded("parsing", "dev.conllu")]


def tagged_seeds():
    """Tagged sentences."""
    return [embedded("tagging", "test.tsv")]


def section_seeds():
    """Sections of a book."""
    return [embedded("titles", "sections.jsonl")]


def word_seeds():
    """Auxiliary words."""
    return [embedded("titles", "auxiliary_words.txt")]


def document_seeds():
    """Texts with mentions and candidates."""
    lines = [
        {
            "id": document.name,
            "sets": [members.tolist() for members in document.sets],
            "gold": [members.tolist() for members in document.fair],
            "mentions": list(document.mentions),
        }
        for document in load_demo().documents[:3]
    ]
    return ["\n".join(map(json.dumps, lines)).encode()]


def name_seeds():
    """Names of vertices, with and without counts."""
    return [b"0\tUnit\twiki\t3\t1\n1\tOther\twiki\t\t0\n2\tkey\tlemma,word\n"]


def check_conllu(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingBlankLine)  # which many mutations cut off
        for gold in (True, False):
            with contextlib.suppress(ValueError):
                for entry in read_entries(path, gold=gold):
                    entry.with_heads(range(len(entry.sentence.words)))
        read_entries(path)


def check_tagged(path):
    for sentence in read_tagged(path):
        assert len(sentence.words) == len(sentence.labels) > 0


def check_sections(path):
    assert read_sections(path)


def check_auxiliary_words(path):
    assert read_auxiliary_words(path)


@cache
def demo_graph():
    return load_demo().knowledge.graph


def check_documents(path):
    assert read_documents(path, demo_graph())


def check_names(path):
    read_names(path)


# --- graphs


def edge_seeds():
    """Lists with and without weights, comments, blanks and tabs."""
    rng = np.random.default_rng(4)
    pairs = rng.integers(0, 12, (20, 2)).tolist()
    plain = "".join(f"{u}\t{v}\n" for u, v in pairs)
    weighted = "".join(f"{u} {v} {w:.3g}\n" for (u, v), w in zip(pairs, rng.random(20).tolist(), strict=True))
    return [plain.encode(), weighted.encode(), b"# comment\n\n" + plain.encode()]


def use(graph):
    """Search in a graph as methods do: a file that lies must not make compiled code read elsewhere."""
    graph.largest_component()
    graph.to_networkx()
    ids = graph.vertices[:: max(1, graph.vertex_count // 5)][:6].tolist()
    problem = LinkingProblem(graph, [ids[:2], ids[1:4] or ids[:1]])
    for method in ("exact", "hitting-distance", "degree"):
        gl.solve(problem, method)
    gl.solve(problem.maximal_connection(), "pagerank")


def check_edges(path):
    use(Graph.read(path))


def graph_seeds():
    """Stored graphs, with and without weights and names."""
    made = []
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(edge_seeds()[:2]):
            source, stored = Path(folder) / f"{number}.txt", Path(folder) / f"{number}.graph"
            source.write_bytes(text)
            Graph.read(source, largest_component=True).save(stored)
            made.append(stored.read_bytes())
    return made


def changed_graph(data, random):
    """Another header, or other numbers in the arrays."""
    if random.random() < 0.2:
        return mutations.changed_bytes(data, random)
    head, body = data[:4096], bytearray(data[4096:])
    magic, line = head.rstrip(b" ").split(b"\n")[:2]
    if random.random() < 0.5:
        line = mutations.as_json(mutations.changed_document(json.loads(line), random))[:4000]
    for _ in range(random.randrange(0, 4)):
        at = 4 * random.randrange(len(body) // 4)
        body[at : at + 4] = random.choice([0, 1, 2, 3, 11, 12, 2**31 - 1, -1]).to_bytes(4, "little", signed=True)
    return (magic + b"\n" + line + b"\n").ljust(4096, b" ") + bytes(body)


def check_graph(path):
    for mapped in (True, False):
        use(Graph.load(path, memory_map=mapped))


# --- stored models


def saved(model):
    """The file that a model writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        model.save(path)
        return path.read_bytes()


@cache
def tagged_sentences():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.tsv"
        path.write_bytes(embedded("tagging", "train.tsv", 1200))
        return read_tagged(path)


def tagger_seeds():
    sentences = tagged_sentences()
    labels = sorted({label for sentence in sentences for label in sentence.labels})
    lexicon = LabelLexicon.fit(sentences)
    index = FeatureIndex(lexicon, {"bias": 0, **{f"feature {i}": i for i in range(1, 20)}})
    rng = np.random.default_rng(0)
    k = len(labels)
    arrays = {"transition": (k, k), "initial": (k,), "final": (k,)}
    drawn = {name: rng.normal(size=shape) for name, shape in arrays.items()}
    return [saved(ChainTagger(labels, index, weights=rng.normal(size=(len(index), k)), **drawn))]


def check_tagger(path):
    tagger = ChainTagger.load(path)
    assert tagger.scores(["The", "dog", "unheard-of"]).shape == (3, len(tagger.labels))


def parser_seeds():
    rng = np.random.default_rng(0)
    table = rng.integers(-3, 4, 1 << 8).astype(np.float32)
    return [
        saved(ParserModel(table, (), True, True, 1.0, None, {})),
        saved(ParserModel(table, ("sibling", "grandchild"), False, True, 1.0, FirstOrder(table), {"epochs": 1})),
    ]


def check_parser(path):
    sentence = Sentence(("The", "dog", "barks"), ("DET", "NOUN", "VERB"), ("DT", "NN", "VB"))
    gl.solve(ParserModel.load(path).problem(sentence))
