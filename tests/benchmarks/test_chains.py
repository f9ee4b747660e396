"""The chain benchmark on drawn scores: what it prints and stores. No test looks at a time."""

import gzip
import io
import json
import sys

import attrs
import numpy as np
import pytest

import gapless as gl
from benchmarks.__main__ import main
from benchmarks.chains import benchmark, contenders, loops, measurement, one_call, synthetic
from benchmarks.chains.benchmark import nearest, trained
from benchmarks.chains.corpora import CORPORA, read_functions
from benchmarks.chains.score_set import ScoreSet
from benchmarks.chains.stopwatch import cold_cache_seconds, warm_cache_seconds
from benchmarks.frame.bench import show_lines
from benchmarks.frame.marks import BenchmarkLine, Spread
from gapless.cli import Console, exit_codes
from gapless_kernels import INSTRUCTION_SET
from gapless_models.parsing.conllu_reader import ConlluError
from gapless_models.tagging import TaggedSentence

UNCOMPILED = loops.Compiled(loops.viterbi, loops.row_sums, loops.row_argmaxima)


@pytest.fixture
def quickly(monkeypatch):
    """Leave the loops uncompiled: for tests about something else."""
    monkeypatch.setattr(loops, "compiled", lambda: UNCOMPILED)


@pytest.fixture(params=[1, 2, 7, 33])
def scores(request):
    return synthetic.peaked(request.param, 9, seed=request.param)


def optimal_values(scores):
    model = scores.model()
    unaries = (scores.unary[a:b] for a, b in zip(scores.offsets[:-1], scores.offsets[1:], strict=True))
    return np.array([gl.solve(model.problem(unary), "viterbi").value for unary in unaries])


# --- the command


def test_the_command_prints_tables(capsys):
    assert main(["chains", "--quick", "--labels", "6"]) == exit_codes.PROVED
    printed = capsys.readouterr().out
    for words in (contenders.VITERBI, contenders.READING, "marks are not judged"):
        assert words in printed
    assert "missed" not in printed


def test_marks_are_explained_and_judged():
    out = io.StringIO()
    line = BenchmarkLine("speed", "drawn", "cold", Spread(2.0, 1.0, 3.0), "x", 3.0, 4.0, more=True)
    show_lines([line], Console(out=out))
    for words in ("must: ", "aim: ", "cold: ", "warm: ", "Targets", "1 of 1 marks missed"):
        assert words in out.getvalue()


@pytest.mark.long
@pytest.mark.usefixtures("quickly")
def test_the_command_prints_json(capsys):
    assert main(["chains", "--quick", "--labels", "3,8", "--json"]) == exit_codes.PROVED
    document = json.loads(capsys.readouterr().out)
    assert [one["labels"] for one in document["sets"]] == [3, 8]
    assert document["machine"]["instruction_set"] == INSTRUCTION_SET
    for one in document["sets"]:
        assert one["disagreements"] == []
        assert one["accuracy"] is not None
        whole = one["from_arrays_ns_per_token"]
        assert {f"{contenders.PUBLIC}dominance", f"{contenders.PUBLIC}viterbi", contenders.NUMBA} <= whole.keys()
        assert contenders.VITERBI not in whole, "a kernel takes no arrays of a user"
        assert [call["instruction_set"] for call in one["one_call"]][:1] == [INSTRUCTION_SET]
        assert all(call["call_ns_per_token"]["median"] > 0 for call in one["one_call"])
        for times in (one["cold_ns_per_token"], one["warm_ns_per_token"]):
            assert {contenders.VITERBI, contenders.READING, contenders.ARGMAX} <= times.keys()
            assert all(spread["least"] <= spread["median"] <= spread["most"] for spread in times.values())
    assert {"what", "scores", "caches", "value", "unit", "must", "aim", "more", "verdict"} == set(
        document["lines"][0]
    )
    assert {line["verdict"] for line in document["lines"]} == {""}
    assert {line["scores"] for line in document["lines"]} == {"synthetic-3", "synthetic-8"}


@pytest.mark.parametrize("text", ["", "a", "0", "45,,350", "-3"])
def test_a_wrong_list_of_label_counts_is_refused(text, capsys):
    with pytest.raises(SystemExit):
        main(["chains", f"--labels={text}"])
    assert "positive whole numbers" in capsys.readouterr().err


@pytest.mark.usefixtures("quickly")
def test_a_label_count_that_no_corpus_has_is_refused(tmp_path, capsys):
    assert [nearest(count).name for count in (45, 350, 957)] == ["wsj", "ewt", "danish"]
    code = main(["chains", "--quick", "--data", str(tmp_path), "--labels", "100"])
    assert code == exit_codes.USAGE
    assert "350 (ewt)" in capsys.readouterr().err


@pytest.mark.usefixtures("quickly")
def test_a_missing_corpus_is_named(tmp_path, capsys):
    code = main(["chains", "--quick", "--data", str(tmp_path), "--labels", "45"])
    assert code == exit_codes.USAGE
    assert "wsj_pos" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.usefixtures("quickly")
def test_a_wrong_value_is_reported(monkeypatch, capsys):
    def too_good(scores):
        return {contenders.VITERBI: contenders.Contender(lambda part: np.full(part.sentences, 1e6))}

    monkeypatch.setattr(contenders, "kernels", too_good)
    assert main(["chains", "--quick", "--labels", "4"]) == exit_codes.FAILED
    assert f"{contenders.VITERBI} does not give the optimal values" in capsys.readouterr().err


@pytest.mark.long
def test_what_one_call_costs_is_measured_on_each_instruction_set(tmp_path, monkeypatch):
    scores = synthetic.peaked(5, 30)
    scores.save(tmp_path / "scores.npz")
    called = []
    solve_many = gl.solve_many
    monkeypatch.setattr(
        gl, "solve_many", lambda batch, *rest: called.append(len(batch)) or solve_many(batch, *rest)
    )
    here = one_call.one_call(tmp_path / "scores.npz", 100, rounds=2)
    assert len(called) == 15  # five calls, in a round that is not counted and two that are
    assert here.call.shape == here.kernel.shape == here.viterbi.shape == (2,)
    calls = one_call.measured(tmp_path / "scores.npz", 100, rounds=1)
    sets = list(one_call.SETS[one_call.SETS.index(INSTRUCTION_SET) :]) if INSTRUCTION_SET in one_call.SETS else []
    assert [call.instruction_set for call in calls] == (sets or [INSTRUCTION_SET])


# --- contenders and floors


def test_contenders_agree(scores):
    best = optimal_values(scores)
    everyone = {
        **contenders.kernels(scores),
        **contenders.public(scores),
        **contenders.today(scores, UNCOMPILED),
    }
    assert {contenders.VITERBI, contenders.NUMBA} <= everyone.keys()
    for name, one in everyone.items():
        values = one.decode(scores)
        if one.from_arrays is not None:
            np.testing.assert_array_equal(one.from_arrays(scores), values, err_msg=name)
        if one.exact:
            np.testing.assert_allclose(values, best, rtol=1e-5, err_msg=name)
        else:
            assert (values <= best + 1e-5 * np.abs(best)).all(), name


def test_the_plain_loop_finds_a_path_of_that_value(scores):
    labels, values = np.empty(scores.tokens, np.int64), np.empty(scores.sentences, np.float32)
    shared = [array.astype(np.float32) for array in (scores.transition, scores.initial, scores.final)]
    messages = np.empty((int(scores.lengths.max()), scores.label_count), np.float32)
    loops.viterbi(scores.unary, scores.offsets, *shared, messages, labels, values)
    model = scores.model()
    for s, (begin, end) in enumerate(zip(scores.offsets[:-1], scores.offsets[1:], strict=True)):
        found = model.problem(scores.unary[begin:end]).value(labels[begin:end])
        assert found == pytest.approx(float(values[s]), rel=1e-5)


def test_the_floors_do_their_work(scores):
    sums, places = np.empty(scores.tokens, np.float32), np.empty(scores.tokens, np.int64)
    loops.row_sums(scores.unary, sums)
    loops.row_argmaxima(scores.unary.view(np.int32), places)
    np.testing.assert_allclose(sums, scores.unary.sum(axis=1), rtol=1e-4)
    np.testing.assert_array_equal(places, scores.unary.argmax(axis=1))


def test_numba_compiles_the_same_loops():
    pytest.importorskip("numba", reason="the extra 'bench' is not installed")
    compiled = loops.compiled()
    for labels in (1, 16, 33):
        scores = synthetic.peaked(labels, 9)
        ways = [contenders.today(scores, each)[contenders.NUMBA] for each in (compiled, UNCOMPILED)]
        first, second = (way.decode(scores) for way in ways)
        np.testing.assert_allclose(first, second, rtol=1e-6)
        places = np.empty(scores.tokens, np.int64)
        compiled.row_argmaxima(scores.unary.view(np.int32), places)
        np.testing.assert_array_equal(places, scores.unary.argmax(axis=1))


@pytest.mark.long
def test_without_numba_the_command_says_what_is_left_out(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "numba", None)
    assert main(["chains", "--quick", "--labels", "3", "--json"]) == exit_codes.PROVED
    captured = capsys.readouterr()
    assert "gapless[bench]" in captured.err
    assert contenders.NUMBA not in json.loads(captured.out)["sets"][0]["cold_ns_per_token"]


# --- scores


@pytest.mark.parametrize("change", synthetic.UNPRUNABLE)
def test_changed_scores_keep_their_shape(change, scores):
    changed = synthetic.UNPRUNABLE[change](scores)
    assert changed.unary.shape == scores.unary.shape
    assert changed.unary.dtype == np.float32
    assert changed.transition.shape == scores.transition.shape


def test_reparametrising_keeps_every_value(scores: ScoreSet) -> None:
    changed = synthetic.reparametrised(scores)
    np.testing.assert_allclose(optimal_values(changed), optimal_values(scores), rtol=1e-4, atol=1e-3)


def test_scores_are_cut_at_sentences(scores):
    part = scores.holding(int(scores.offsets[3]), start=2)
    assert part.sentences >= 1
    assert part.offsets[0] == 0
    assert part.offsets[-1] == part.tokens <= max(scores.offsets[3], scores.lengths[2])
    np.testing.assert_array_equal(part.unary[0], scores.unary[scores.offsets[2]])
    assert scores.holding(0).sentences == 1
    assert scores.holding(10**9).sentences == scores.sentences


def test_repeated_scores_have_the_same_values(scores):
    np.testing.assert_array_equal(optimal_values(scores.repeated(3)), np.tile(optimal_values(scores), 3))


def test_scores_are_stored_and_read(scores, tmp_path):
    path = tmp_path / f"{scores.name}.npz"
    scores.save(path)
    read = ScoreSet.load(path)
    for name, value in attrs.asdict(scores).items():
        np.testing.assert_array_equal(getattr(read, name), value)


@pytest.mark.parametrize("content", [b"", b"not an archive"])
def test_damaged_stored_scores_are_named(content, tmp_path):
    path = tmp_path / "wsj.npz"
    path.write_bytes(content)
    with pytest.raises(gl.InvalidProblem, match=r"wsj\.npz"):
        ScoreSet.load(path)


# --- clock and verdicts


def test_every_decoder_gets_its_turns_and_slow_ones_get_fewer_sentences(monkeypatch):
    scores = synthetic.peaked(4, 60)
    clock = [0.0]
    seen = {"fast": [], "slow": []}

    def decoder(name, cost):
        def decode(part):
            clock[0] += cost * part.tokens
            seen[name].append(part.tokens)

        return decode

    monkeypatch.setattr("time.thread_time", lambda: clock[0])
    decoders = {"fast": decoder("fast", 1e-6), "slow": decoder("slow", 1e-3)}
    times = cold_cache_seconds(decoders, scores, rounds=5, budget=0.2)
    np.testing.assert_allclose(times["fast"], 1e-6)
    np.testing.assert_allclose(times["slow"], 1e-3)
    assert seen["fast"][2:] == [scores.tokens] * 5  # after two probes
    assert all(tokens <= 200 for tokens in seen["slow"][2:])
    times = warm_cache_seconds(decoders, scores, rounds=3)
    np.testing.assert_allclose(times["slow"], 1e-3)


def test_what_is_made_once_does_not_shorten_the_text(monkeypatch):
    """Else tables that are made in each turn would be paid by a few sentences."""
    scores = synthetic.peaked(4, 60)
    clock = [0.0]
    seen = []

    def decode(part):
        clock[0] += 0.3 + 1e-6 * part.tokens
        seen.append(part.tokens)

    monkeypatch.setattr("time.thread_time", lambda: clock[0])
    cold_cache_seconds({"tables first": decode}, scores, rounds=3, budget=0.2)
    assert seen[2:] == [scores.tokens] * 3


def test_a_clock_that_stands_still_gives_no_time_of_zero(monkeypatch):
    monkeypatch.setattr("time.thread_time", lambda: 1.0)
    monkeypatch.setattr("benchmarks.chains.stopwatch._SHORTEST", 1e-8)
    assert (warm_cache_seconds({"any": lambda part: None}, synthetic.peaked(4, 5), rounds=2)["any"] > 0).all()


def test_ratios_are_taken_round_by_round():
    seconds = {"a": np.array([2.0, 6.0, 8.0]), "b": np.array([1.0, 2.0, 4.0])}
    assert measurement.ratio(seconds, "a", "b") == Spread(2.0, 2.0, 3.0)
    assert measurement.ratio(seconds, "a", "c") is None


@pytest.mark.parametrize(
    ("value", "more", "verdict"),
    [(4, True, "aim"), (3, True, "must"), (2, True, "missed"), (2, False, "aim"), (None, True, "")],
)
def test_verdicts(value, more, verdict):
    marks = (3, 4) if more else (3, 2)
    spread = None if value is None else Spread(value, value, value)
    assert BenchmarkLine("speed", "some", "cold", spread, "x", *marks, more).verdict == verdict


def test_nothing_to_reach_gets_no_verdict() -> None:
    assert BenchmarkLine("speed", "some", "cold", Spread(1, 1, 1), "x", None, None, True).verdict == ""


# --- the model behind the scores

SENTENCES = [
    TaggedSentence(("the", "dog", "barks"), ("D|O", "N|O", "V|O")),
    TaggedSentence(("Ann", "sees", "the", "cat"), ("N|B", "V|O", "D|O", "N|O")),
    TaggedSentence(("the", "cat", "sees", "Ann", "Lee"), ("D|O", "N|O", "V|O", "N|B", "N|I")),
]


def test_the_product_of_the_parts_is_the_label_set():
    product = tuple(f"{tag}|{entity}" for tag in "DNV" for entity in "BIO")
    assert CORPORA[1].labels(SENTENCES).names == product
    assert CORPORA[0].labels(SENTENCES) is None


def conll(*rows):
    return gzip.compress("\n".join(rows).encode(), mtime=0)


ROW = "1\tEn\ten\tPI\tPI-CSU\t_\t0\troot\t_\t_"
NEXT = "2\tting\tting\tNC\tNC-CSU\t_\t1\tobj\t_\t_"


def test_functions_are_read_from_conllu(tmp_path):
    path = tmp_path / "train.conllu.gz"
    path.write_bytes(conll("# sent_id = 1", ROW, NEXT, "", ROW, "", ""))
    assert [s.labels for s in read_functions(path)] == [("PI|root", "NC|obj"), ("PI|root",)]


@pytest.mark.parametrize("content", [b"no gzip", conll(ROW)[:-9], conll("1\tEn")])
def test_a_damaged_conllu_file_is_named(content, tmp_path):
    path = tmp_path / "train.conllu.gz"
    path.write_bytes(content)
    with pytest.raises(ConlluError, match=r"train\.conllu\.gz, line 1"):
        read_functions(path)


def test_training_is_stored_and_found_again(tmp_path, monkeypatch):
    corpus = attrs.evolve(CORPORA[1], epochs=1, read=lambda path: SENTENCES)
    console = gl.cli.Console()
    first = trained(corpus, tmp_path, tmp_path, console)
    monkeypatch.setattr(benchmark, "train", None)
    again = trained(corpus, tmp_path, tmp_path, console)
    np.testing.assert_array_equal(again.unary, first.unary)
    assert first.sentences == 3
    assert (first.gold >= 0).all()
