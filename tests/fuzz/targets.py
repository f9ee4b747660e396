"""Everything that reads what others wrote: valid documents to start from, how they are changed, what must hold.

A check may raise an error that the reader documents; anything else is a finding.
"""

import contextlib
import gzip
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import attrs
import documents
import mutations
import planted
import readers

import gapless as gl
from gapless_models.linking.readers import LinkingFileError
from gapless_models.parsing.conllu_reader import ConlluError
from gapless_models.tagging.readers import TaggedFileError
from gapless_models.titles.section_reader import SectionFileError


@attrs.frozen(eq=False)
class Target:
    """Something that reads files.

    Parameters
    ----------
    name : str
    suffixes : sequence of str
        The files' names end so; those that end in ``.gz`` are compressed, and now and then damaged afterwards.
    seeds : callable
        Valid contents.
    change : callable
        ``change(content, random)``.
    check : callable
        Reads the file.
    documented : tuple of exception types
        Errors of reading other than `GaplessError`.
    share : float
        Of the cases of a run, compared with other targets.
    """

    name: str
    suffixes: Sequence[str]
    seeds: Callable[[], Sequence[bytes]]
    change: Callable[..., bytes]
    check: Callable[[Path], None]
    documented: tuple[type[Exception], ...] = ()
    share: float = 1.0

    def case(self, random, folder):
        """Write one changed document, and return its path."""
        seeds = seeds_of(self)
        content = self.change(seeds[random.randrange(len(seeds))], random)
        suffix = self.suffixes[random.randrange(len(self.suffixes))]
        if suffix.endswith(".gz"):
            content = gzip.compress(content, 1)
            if random.random() < 0.3:
                content = mutations.changed_bytes(content, random)
        path = folder / f"case{suffix}"
        path.write_bytes(content)
        return path

    def check_seeds(self, folder):
        """Raise unless all valid contents can be read, with every suffix."""
        for content in seeds_of(self):
            for suffix in self.suffixes:
                path = folder / f"valid{suffix}"
                path.write_bytes(gzip.compress(content, 1) if suffix.endswith(".gz") else content)
                self.check(path)

    def run(self, path):
        """Read one document; an error that is documented is well."""
        with contextlib.suppress(gl.GaplessError, *self.documented):
            self.check(path)


@cache
def seeds_of(target):
    """Valid contents, made once."""
    return tuple(target.seeds())


JSON, LINES, ARCHIVE = mutations.changed_json, mutations.changed_lines, mutations.changed_archive
LINES_GZ, TSV = [".jsonl", ".jsonl.gz"], [".tsv", ".tsv.gz"]
CONLLU = [".conllu", ".conllu.gz"]
SECTIONS, LINKING = (SectionFileError,), (LinkingFileError,)

TARGETS = {
    target.name: target
    for target in (
        Target("records", [".json"], documents.record_seeds, JSON, documents.check_record, share=8),
        Target("values", [".json"], documents.value_seeds, JSON, documents.check_value, share=4),
        Target("files", LINES_GZ, documents.file_seeds, JSON, documents.check_values, share=2),
        Target("gapless-verify", LINES_GZ, documents.record_seeds, JSON, documents.check_verify_command),
        Target("gapless-solve", [".json"], documents.value_seeds, JSON, documents.check_solve_command),
        Target("options", [".json"], documents.option_seeds, documents.changed_options, documents.check_options),
        Target("conllu", CONLLU, readers.conllu_seeds, LINES, readers.check_conllu, (ConlluError,)),
        Target("tagged", TSV, readers.tagged_seeds, LINES, readers.check_tagged, (TaggedFileError,)),
        Target("sections", LINES_GZ, readers.section_seeds, JSON, readers.check_sections, SECTIONS),
        Target("words", [".txt"], readers.word_seeds, LINES, readers.check_auxiliary_words, SECTIONS),
        Target("documents", LINES_GZ, readers.document_seeds, JSON, readers.check_documents, LINKING, share=2),
        Target("names", TSV, readers.name_seeds, LINES, readers.check_names, LINKING),
        Target("edges", [".txt", ".gz"], readers.edge_seeds, LINES, readers.check_edges),
        Target("graphs", [".graph"], readers.graph_seeds, readers.changed_graph, readers.check_graph, share=2),
        Target("taggers", [".npz"], readers.tagger_seeds, ARCHIVE, readers.check_tagger, (ValueError,)),
        Target("parsers", [".npz"], readers.parser_seeds, ARCHIVE, readers.check_parser),
    )
}


def find(name):
    """A target by name; those that are planted, for tests of the fuzzer, are no part of the table."""
    if not name.startswith("planted-"):
        return TARGETS[name]
    check = getattr(planted, name.removeprefix("planted-"))
    seeds = documents.record_seeds if check is planted.forged else lambda: [b"{}"]
    return Target(name, [".json"], seeds, JSON, check)
