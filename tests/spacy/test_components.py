"""The components in pipelines of ``spacy.blank``: annotations, proofs, storage."""

import os
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from importlib.metadata import entry_points
from pathlib import Path

import pytest

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'gapless[spacy]'")
pytest.importorskip("conllu", reason="conllu is not installed: pip install 'gapless[tasks]'")

from spacy.language import Language  # noqa: E402
from spacy.tokens import Doc, DocBin, Span  # noqa: E402

import gapless_spacy.factories  # noqa: E402, F401  an install from before there were entry points has none
from gapless.cli import exit_codes, main  # noqa: E402
from gapless_models.text import embedded_parser, embedded_tagger, train_parser  # noqa: E402
from gapless_models.text.embedded import _trees  # noqa: E402
from gapless_spacy.component import BATCH  # noqa: E402
from gapless_spacy.proofs import proofs_of  # noqa: E402

CAT = "The cat sat on the mat."
JAGUAR = "Jaguar and Puma live in the jungle near the Amazon."
NAMES = ("gapless_tagger", "gapless_parser", "gapless_linker")


def pipeline(*names, **config):
    nlp = spacy.blank("en")
    for name in names:
        nlp.add_pipe(name, config=config)
    return nlp


def tree(doc):
    return [(token.text, token.head.text, token.dep_) for token in doc]


def test_factories_are_entry_points():
    found = {one.name: one.value for one in entry_points(group="spacy_factories")}
    if not any(name.startswith("gapless") for name in found):
        pytest.skip("this install is from before there were entry points: pip install -e . again")
    assert {name: found[name] for name in (*NAMES, "gapless_decoder")} == {
        f"gapless_{kind}": f"gapless_spacy.factories:make_{kind}"
        for kind in ("tagger", "parser", "linker", "decoder")
    }


def test_a_blank_pipeline_imports_no_component():
    code = "import spacy, sys; spacy.blank('en'); print(*(m for m in sys.modules if m.startswith('gapless')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    light = {"gapless", "gapless.arrays", "gapless.arrays.class_loaders", "gapless.lazy"}
    light |= {"gapless.notebook"}  # two registrations, which import nothing
    assert set(done.stdout.split()) <= {*light, "gapless_spacy", "gapless_spacy.factories"}


def test_a_parser_in_a_few_lines():
    nlp = spacy.blank("en")
    nlp.add_pipe("gapless_parser", config={"certificates": True})
    doc = nlp(CAT)
    assert tree(doc)[:3] == [("The", "cat", "det"), ("cat", "sat", "nsubj"), ("sat", "sat", "ROOT")]
    assert [token.pos_ for token in doc][:3] == ["DET", "NOUN", "VERB"]
    assert doc._.gapless.proved
    assert doc._.gapless.gap == 0.0
    assert doc._.gapless.bound == pytest.approx(doc._.gapless.value)
    assert [proof.step for proof in doc._.gapless] == ["tags", "tree", "relations"]
    assert doc._.gapless.verify()
    assert doc._.gapless.of("gapless_parser", "tree")[0].certificate.verify is not None


def test_the_answers_are_those_of_the_shell(tmp_path, capsys):
    path = tmp_path / "own.txt"
    path.write_text(CAT + "\n", "utf-8")
    main(["parse", str(path), "--format", "conllu"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[2:] if line]
    doc = pipeline("gapless_parser")(CAT)
    assert [row[7].replace("root", "ROOT") for row in rows] == [token.dep_ for token in doc]
    assert [int(row[6]) for row in rows] == [0 if t.head.i == t.i else t.head.i + 1 for t in doc]


def test_tags_of_the_document_are_used():
    nlp = pipeline("gapless_tagger", "gapless_parser")
    doc = nlp(CAT)
    assert [(proof.component, proof.step) for proof in doc._.gapless] == [
        ("gapless_tagger", "tags"),
        ("gapless_parser", "tree"),
        ("gapless_parser", "relations"),
    ]
    given = Doc(nlp.vocab, words=["cat", "cat"], pos=["NOUN", "VERB"])
    assert pipeline("gapless_parser")(given)[1].pos_ == "VERB"


def test_sentences_spaces_and_empty_documents():
    nlp = pipeline("gapless_parser")
    doc = nlp(f" {CAT}  {CAT}\n\nHello")
    assert [sent.text.strip() for sent in doc.sents] == [CAT, CAT, "Hello"]
    assert all(token.head.sent == token.sent for token in doc)
    assert all(token.dep_ == "dep" and token.pos_ == "SPACE" for token in doc if token.is_space)
    assert len(doc._.gapless.of("gapless_parser", "tree")) == 3
    for text in ("", "  ", "\n"):
        assert len(nlp(text)._.gapless) == 0
    given = Doc(nlp.vocab, words=["a", "b", "c"], sent_starts=[True, True, False])
    assert [len(sent) for sent in nlp(given).sents] == [1, 2]


def test_a_stream_gives_what_single_calls_give():
    nlp = pipeline(*NAMES)
    texts = [CAT, "", JAGUAR, CAT] * 3
    for alone, together in zip(map(nlp, texts), nlp.pipe(texts, batch_size=5), strict=True):
        assert tree(alone) == tree(together)
        assert [p.value for p in alone._.gapless] == pytest.approx([p.value for p in together._.gapless])


def test_names_are_linked_and_entities_kept():
    nlp = pipeline("gapless_linker", certificates=True)
    doc = nlp.make_doc(JAGUAR)
    doc.ents = [Span(doc, 0, 1, "ANIMAL"), Span(doc, 4, 6, "PLACE")]  # "in the": overlaps "the jungle"
    doc = nlp.get_pipe("gapless_linker")(doc)
    links = doc.spans["gapless_linker"]
    assert [span.text for span in links] == ["Jaguar", "Puma", "the jungle", "Amazon"]
    assert all(span.kb_id_ for span in links)
    assert [(e.text, e.label_) for e in doc.ents] == [
        ("Jaguar", "ANIMAL"),
        ("Puma", "CONCEPT"),
        ("in the", "PLACE"),
        ("Amazon", "CONCEPT"),
    ]
    assert doc.ents[0].kb_id_ == links[0].kb_id_
    assert doc._.gapless.proved
    assert doc._.gapless.verify()


def test_pipelines_are_stored(tmp_path):
    nlp = pipeline(*NAMES)
    wanted = nlp(JAGUAR)
    nlp.to_disk(tmp_path / "pipeline")
    copy = pipeline(*NAMES).from_bytes(nlp.to_bytes())
    for again in (spacy.load(tmp_path / "pipeline"), copy):
        doc = again(JAGUAR)
        assert tree(doc) == tree(wanted)
        assert [e.kb_id_ for e in doc.ents] == [e.kb_id_ for e in wanted.ents]
        assert [p.value for p in doc._.gapless] == pytest.approx([p.value for p in wanted._.gapless])


def test_a_stored_pipeline_does_not_need_the_file_it_was_made_of(tmp_path):
    model = tmp_path / "parser.npz"
    train_parser(_trees("train")[:30], tagger=embedded_parser().tagger).save(model)
    nlp = pipeline("gapless_parser", model=str(model))
    wanted = tree(nlp(CAT))
    nlp.to_disk(tmp_path / "pipeline")
    model.unlink()
    assert tree(spacy.load(tmp_path / "pipeline")(CAT)) == wanted


def test_documents_keep_their_proofs(tmp_path, capsys):
    nlp = pipeline(*NAMES, certificates=True)
    doc = nlp(JAGUAR)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.gapless == doc._.gapless
    (stored,) = DocBin(store_user_data=True, docs=[doc]).get_docs(nlp.vocab)
    assert proofs_of(stored) == doc._.gapless
    doc._.gapless.save(str(tmp_path / "proofs.jsonl"))
    assert main(["verify", str(tmp_path / "proofs.jsonl")]) == exit_codes.PROVED
    assert "4 of 4" in capsys.readouterr().out


def test_certificates_are_left_out_by_default():
    doc = pipeline("gapless_parser")(CAT)
    assert doc._.gapless.proved
    with pytest.raises(ValueError, match="kept no certificate"):
        doc._.gapless.verify()


def test_a_document_that_is_annotated_again_has_each_proof_once():
    nlp = pipeline("gapless_parser")
    doc = nlp(CAT)
    count = len(doc._.gapless)
    assert len(nlp.get_pipe("gapless_parser")(doc)._.gapless) <= count


def test_accuracy_is_evaluated():
    nlp = pipeline("gapless_tagger", "gapless_parser")
    examples = []
    for one in _trees("test")[:5]:
        gold = one.entry.sentence
        heads = [head - 1 if head else i for i, head in enumerate(gold.heads)]
        reference = Doc(nlp.vocab, words=list(one.words), pos=list(one.upos), heads=heads, deps=list(gold.labels))
        examples.append(spacy.training.Example(Doc(nlp.vocab, words=list(one.words)), reference))
    scores = nlp.evaluate(examples)
    assert scores["dep_uas"] > 0.9
    assert scores["pos_acc"] > 0.9


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("model", ["missing.npz", __file__])
def test_a_missing_or_wrong_model_fails_when_the_component_is_made(name, model):
    with pytest.raises((OSError, ValueError), match=rf"{name}: model .*{Path(model).name}"):
        pipeline(name, model=model)


def test_a_stored_pipeline_whose_model_is_left_out_fails_when_it_is_initialised(tmp_path):
    model = tmp_path / "tagger.npz"
    embedded_tagger().save(model)
    pipeline("gapless_tagger", model=str(model)).to_disk(tmp_path / "pipeline")
    model.unlink()
    assert spacy.load(tmp_path / "pipeline")(CAT)[1].pos_ == "NOUN"
    shutil.rmtree(tmp_path / "pipeline" / "gapless_tagger")
    nlp = spacy.util.load_model_from_config(
        spacy.util.load_config(tmp_path / "pipeline" / "config.cfg"),
        meta=spacy.util.get_model_meta(tmp_path / "pipeline"),
    )
    with pytest.raises(OSError, match=r"gapless_tagger: model .*tagger.npz"):
        nlp.initialize()


def test_a_stored_pipeline_does_not_train_a_toy_model_first(tmp_path, monkeypatch):
    pipeline(*NAMES).to_disk(tmp_path / "pipeline")
    monkeypatch.setattr("gapless_spacy.parser.embedded_parser", lambda: pytest.fail("trained"))
    assert tree(spacy.load(tmp_path / "pipeline")(CAT))[1] == ("cat", "sat", "nsubj")


def test_update_warns_that_nothing_is_trained():
    nlp = pipeline(*NAMES)
    example = spacy.training.Example.from_dict(nlp.make_doc(CAT), {})
    nlp.initialize(lambda: [example])
    with pytest.warns(UserWarning, match=r"nlp.update does not train this component; use") as warned:
        nlp.update([example])
    nlp.update([example])  # warned once
    assert [str(one.message).partition(":")[0] for one in warned] == [*NAMES]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipeline(*NAMES).update([example], exclude=NAMES)


def test_a_toy_model_says_what_it_is(tmp_path, caplog):
    pipeline(*NAMES)
    assert [one.getMessage().partition(" that")[0] for one in caplog.records] == [
        f"{n}: a toy model" for n in NAMES
    ]
    caplog.clear()
    embedded_tagger().save(tmp_path / "tagger.npz")
    pipeline("gapless_tagger", model=str(tmp_path / "tagger.npz"))
    assert not caplog.records


def test_documents_without_certificates_are_small():
    sizes = {}
    for certificates in (False, True):
        doc = pipeline("gapless_parser", certificates=certificates)(CAT)
        sizes[certificates] = len(doc.to_bytes()) - len(spacy.blank("en")(CAT).to_bytes())
    assert sizes[False] < 1500 < 20_000 < sizes[True]
    assert pipeline("gapless_parser")(CAT)._.gapless[0].record is None


def sized_tagger(given):
    """Make a pipeline with the given size of batches, then add the tagger."""
    nlp = spacy.blank("en")
    if given is not None:
        nlp.batch_size = given
    nlp.add_pipe("gapless_tagger")
    return nlp


@pytest.mark.parametrize("given", [None, 50])
def test_processes_begin_with_a_model_and_large_batches(given):
    nlp = sized_tagger(given)
    assert nlp.batch_size == (given or BATCH)
    assert nlp.get_pipe("gapless_tagger")._loaded is not None


@pytest.mark.long
@pytest.mark.parametrize("given", [None, 50])
def test_processes_share_the_work_and_the_model(given):
    nlp = sized_tagger(given)
    Language.component("note_the_process", func=note_the_process)
    nlp.add_pipe("note_the_process")
    found = list(nlp.pipe([CAT] * 1000, n_process=2))
    shares = Counter(doc.user_data["process"] for doc in found)
    assert len(shares) == 2
    assert min(shares.values()) >= 400
    assert all(doc._.gapless.proved for doc in found)


def note_the_process(doc):
    doc.user_data["process"] = os.getpid()
    return doc


def test_a_sentence_without_an_annotation_is_not_proved():
    assert not spacy.blank("en")(CAT)._.gapless.proved
    assert not spacy.blank("en")(CAT)._.gapless.verify()
    nlp = pipeline("gapless_parser", certificates=True)
    long = Doc(nlp.vocab, words=["a"] * 5001 + ["cat"], sent_starts=[True, *[False] * 5000, True])
    with pytest.warns(UserWarning, match="at most 5000 are parsed"):
        found = nlp(long)._.gapless
    assert sorted(proof.proved for proof in found.of("gapless_parser", "tree")) == [False, True]
    assert not found.proved
    assert not found.verify()


def test_numbers_of_a_document_are_those_of_its_records(tmp_path):
    doc = pipeline("gapless_parser", certificates=True)(CAT)
    assert doc._.gapless.verify()
    doc.user_data["gapless"][0]["value"] += 1.0
    assert "the document says" in doc._.gapless[0].verify().reason
    assert not doc._.gapless.verify()
    bare = pipeline("gapless_parser")(CAT)
    with pytest.raises(ValueError, match="no certificate was kept"):
        bare._.gapless.save(str(tmp_path / "proofs.jsonl"))
    assert not list(tmp_path.iterdir())
