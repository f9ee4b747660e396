"""The words of a body that a title may take: stems, features, a classifier that does not see its own answers."""

import attrs
import numpy as np
import pytest

from gapless import InvalidProblem
from gapless_models.titles.content_words import ContentWords
from gapless_models.titles.corpus import load_corpus
from gapless_models.titles.section import Section
from gapless_models.titles.selection import (
    NAMES,
    DocumentFrequencies,
    SelectionModel,
    TitleRates,
    read_body,
    stem_features,
)

pytest.importorskip("nltk")
pytest.importorskip("sklearn")

CONTENT = ContentWords(("the", "of", "a"))
SECTION = Section(
    "a",
    ("The", "Sorting", "of", "Lists"),
    (
        ("Sorting", "the", "List", "is", "O(n)", "."),
        ("We", "sort", "lists", ",", "Newton", "'s", "way", "of", "BST", "sorts", "."),
    ),
)


def feature(body, stem, name):
    values = stem_features(body, DocumentFrequencies.of([body, body]))
    return values[list(body.stems).index(stem), NAMES.index(name)]


def test_content_words_leave_out_auxiliary_words_clitics_numbers_and_placeholders():
    tokens = [
        "The",
        "Newton",
        "'s",
        "\N{RIGHT SINGLE QUOTATION MARK}s",
        "of",
        "3",
        "O(n)",
        "<math>",
        ",",
        "n't",
        "x",
    ]
    assert CONTENT.of(tokens) == ["newton", "o(n)", "x"]
    assert CONTENT.title_length(SECTION) == 2


def test_morphological_variants_are_one_stem():
    assert {CONTENT.stem(word) for word in ("sort", "sorts", "sorting", "sorted")} == {"sort"}


def test_stems_are_counted_with_their_forms_and_places():
    body = read_body(SECTION, CONTENT)
    assert list(body.stems) == ["sort", "list", "is", "o(n)", "we", "newton", "way", "bst"]
    sort, lists, bst = body.stems["sort"], body.stems["list"], body.stems["bst"]
    assert sort.forms == {"sorting": 1, "sort": 1, "sorts": 1}
    assert (sort.count, sort.sentences, sort.first_token) == (3, {0, 1}, 0)
    assert (sort.capitalised, sort.after_boundary, sort.before_boundary) == (0, 1, 1)
    assert (lists.capitalised, lists.after_auxiliary, lists.before_boundary) == (1, 1, 1)
    assert (bst.acronyms, bst.first_token, bst.first_sentence) == (1, 14, 1)
    assert body.words[:3] == [("sorting", "sort"), ("sort", "sort"), ("sorts", "sort")]
    assert (body.tokens, body.sentences) == (17, 2)


def test_features_say_where_and_how_often():
    body = read_body(SECTION, CONTENT)
    assert feature(body, "sort", "in the first sentence") == 1
    assert feature(body, "newton", "in the first sentence") == 0
    assert feature(body, "sort", "log of the count") == pytest.approx(np.log(3))
    assert feature(body, "sort", "frequency") == pytest.approx(300 / 17)
    assert feature(body, "bst", "relative place") == pytest.approx(14 / 17)
    assert feature(body, "sort", "rank of log of the count") == 0
    assert feature(body, "list", "rank of log of the count") == pytest.approx(np.log(2))
    assert feature(body, "is", "rank of log of the count") == pytest.approx(np.log(3))
    assert feature(body, "bst", "acronym") == 1
    assert feature(body, "sort", "IDF") == 0.0


def test_rare_stems_have_the_larger_inverse_frequency():
    one, other = read_body(SECTION, CONTENT), read_body(attrs.evolve(SECTION, body=(("We", "go"),)), CONTENT)
    frequencies = DocumentFrequencies.of([one, other])
    assert frequencies.inverse("we") == 0.0
    assert frequencies.inverse("sort") == pytest.approx(np.log(3 / 2))
    assert frequencies.inverse("never") == pytest.approx(np.log(3))


def test_rates_count_titles_only_where_the_body_has_the_stem():
    body = read_body(SECTION, CONTENT)
    rates = TitleRates.of([(body, {"sort", "quick"}), (body, {"sort"})])
    assert rates.titles == {"sort": 2}
    assert rates.bodies["list"] == 2
    sort, lists, never = rates.log_rates(["sort", "list", "never"])
    assert sort > never > lists


@pytest.fixture(scope="module")
def trained():
    corpus = load_corpus(None)
    bodies = [read_body(section, corpus.content) for section in corpus.train]
    titles = [{corpus.content.stem(word) for word in corpus.content.of(s.title)} for s in corpus.train]
    return corpus, bodies, titles, SelectionModel.train(bodies, titles, DocumentFrequencies.of(bodies))


def test_title_stems_of_new_sections_get_the_higher_probabilities(trained):
    corpus, _, _, model = trained
    ranks = []
    for section in corpus.test:
        body = read_body(section, corpus.content)
        scores = model.log_probabilities(body)
        assert scores.shape == (len(body.stems),)
        assert (scores < 0).all()
        title = {corpus.content.stem(word) for word in corpus.content.of(section.title)}
        ranks += [float(np.mean(scores > scores[i])) for i, stem in enumerate(body.stems) if stem in title]
    assert np.mean(ranks) < 0.2


def test_probabilities_are_calibrated_on_the_training_part(trained):
    _, bodies, titles, model = trained
    expected = sum(float(np.exp(model.log_probabilities(body)).sum()) for body in bodies)
    found = sum(len(title & body.stems.keys()) for title, body in zip(titles, bodies, strict=True))
    assert expected == pytest.approx(found, rel=0.3)


def test_training_does_not_see_a_sections_own_title_in_the_rates():
    """Each stem is in one body only: the rates of other sections know nothing of it."""
    rng = np.random.default_rng(0)
    sections = [
        Section(f"s{i}", (f"t{i}",), tuple((f"t{i}" if j == 0 else f"w{i}x{j}", ".") for j in rng.permutation(12)))
        for i in range(30)
    ]
    content = ContentWords(("of",))
    bodies = [read_body(section, content) for section in sections]
    titles = [{content.stem(word) for word in content.of(section.title)} for section in sections]
    model = SelectionModel.train(bodies, titles, DocumentFrequencies.of(bodies))
    assert model.weights[-1] == pytest.approx(0.0, abs=1e-6)


def test_titles_that_share_nothing_with_their_bodies_cannot_teach():
    bodies = [read_body(SECTION, CONTENT)] * 3
    with pytest.raises(InvalidProblem, match=r"selection cannot be learnt: .* 0 are in the titles"):
        SelectionModel.train(bodies, [{"other"}] * 3, DocumentFrequencies.of(bodies))
