"""Commands say whether a proof can be shown, in the problem's own sense; ``--verify`` checks before it answers."""

import json

import attrs
import numpy as np
import pytest

import gapless as gl
import gapless_kernels
from gapless.cli import exit_codes, main
from gapless.report import report_of
from gapless.results.record import read_values
from gapless.roles import Sense
from gapless_dependency import Grandchild, ParsingProblem, Valency
from gapless_linking import LinkingProblem

compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="without kernels everything runs in Python")


@pytest.fixture
def linking():
    """A minimised problem; its least cost is positive."""
    rng = np.random.default_rng(4)
    distances = np.triu(rng.integers(3, 9, (9, 9)), 1)
    return LinkingProblem.from_distances(distances + distances.T, [[0, 1, 2], [3, 4, 5], [6, 7, 8]])


def parsing(*factors, seed=0):
    rng = np.random.default_rng(seed)
    return ParsingProblem(rng.normal(size=(5, 5)), factors=[Grandchild(rng.normal(size=(5, 5, 5))), *factors])


@pytest.fixture
def stored(tmp_path):
    def write(*problems):
        path = tmp_path / ("problem.json" if len(problems) == 1 else "problems.jsonl")
        path.write_text("".join(gl.dumps(problem) + "\n" for problem in problems), "utf-8")
        return str(path)

    return write


def test_solve_says_whether_the_proof_can_be_shown(stored, capsys):
    file = stored(parsing())
    assert main(["solve", file, "--method", "split-bound"]) == exit_codes.PROVED
    assert capsys.readouterr().out.startswith("optimal: proved, with certificate; method split-bound\n")
    bare = ["solve", file, "--method", "split-bound", "--option", "certificate=false"]
    assert main(bare) == exit_codes.PROVED
    assert capsys.readouterr().out.startswith("optimal: proved, no certificate: none was asked for")
    assert main([*bare, "--json"]) == exit_codes.PROVED
    document = json.loads(capsys.readouterr().out)
    assert (document["status"], document["certified"], document["verify_seconds"]) == ("optimal", False, None)
    assert document["proof"].startswith("proved, no certificate: ")


def test_solve_checks_before_it_answers(stored, tmp_path, capsys):
    file, out = stored(parsing()), tmp_path / "record.json"
    assert main(["solve", file, "--verify", "--out", str(out)]) == exit_codes.PROVED
    assert "checked before it was given, in " in capsys.readouterr().out
    assert main(["solve", file, "--verify", "--json"]) == exit_codes.PROVED
    assert json.loads(capsys.readouterr().out)["verify_seconds"] > 0.0
    assert main(["verify", str(out)]) == exit_codes.PROVED
    assert "claimed: optimal; proved, with certificate\n" in capsys.readouterr().out


def test_what_cannot_be_checked_fails_and_is_kept(stored, tmp_path, capsys):
    out = tmp_path / "record.json"
    asked = ["solve", stored(parsing()), "--method", "split-bound", "--option", "certificate=false", "--verify"]
    assert main([*asked, "--out", str(out)]) == exit_codes.FAILED
    said = capsys.readouterr()
    assert "the answer cannot be checked: there is no certificate: none was asked for" in said.err
    assert said.out.startswith(f"feasible ({gl.Stop.ERROR.words}): not proved; no bound is claimed")
    record = next(read_values(out))
    assert (record.result.status, record.result.stop) == (gl.Status.FEASIBLE, gl.Stop.ERROR)
    assert record.result.value == gl.solve(record.problem).value


def test_many_problems_say_how_many_have_no_certificate(stored, tmp_path, capsys):
    file = stored(parsing(), parsing(seed=1))
    bare = ["solve", file, "--method", "split-bound", "--option", "certificate=false"]
    assert main(bare) == exit_codes.PROVED
    lines = capsys.readouterr().out.splitlines()
    assert "optimal (no certificate), value" in lines[0]
    assert lines[-2].startswith("2 solved, 2 proved (2 without a certificate) in ")
    assert lines[-1] == "no certificate, 2 of 2: none was asked for (certificate=False)"
    assert main([*bare, "--json"]) == exit_codes.PROVED
    assert json.loads(capsys.readouterr().out)["uncertified"] == {"none was asked for (certificate=False)": 2}
    assert main([*bare, "--verify"]) == exit_codes.FAILED
    said = capsys.readouterr()
    assert said.err.count("the answer cannot be checked") == 2
    assert "0 solved, 0 proved, 2 failed" in said.out
    records = str(tmp_path / "records.jsonl")
    assert main([*bare, "--out", records]) == exit_codes.PROVED
    capsys.readouterr()
    assert main(["verify", records]) == exit_codes.FAILED
    assert "certificate: proved, no certificate: none was asked for" in capsys.readouterr().out
    folder = str(tmp_path / "run")
    assert main(["solve", file, "--verify", "--out", folder]) == exit_codes.PROVED
    assert "2 solved, 2 proved in" in capsys.readouterr().out
    assert main(["solve", file, "--verify", "--out", folder]) == exit_codes.PROVED
    assert "2 of them were finished before" in capsys.readouterr().out


def test_what_an_answer_leaves_out_is_noted(stored, capsys):
    fewer = ["--method", "split-bound", "--option", "max_heads=1"]
    main(["solve", stored(parsing()), *fewer])
    assert "note: only trees of the 1 likeliest heads" in capsys.readouterr().out
    main(["solve", stored(parsing(), parsing(seed=1), parsing(seed=2)), *fewer])
    assert "note, 3 of 3: only trees of the 1 likeliest heads" in capsys.readouterr().out


@compiled
def test_a_factor_needs_no_note(stored, capsys):
    assert main(["solve", stored(parsing(Valency(1, np.zeros(5))))]) == exit_codes.PROVED
    assert "note" not in capsys.readouterr().out


def test_a_minimised_problem_speaks_in_costs(stored, linking, tmp_path, capsys):
    out = tmp_path / "record.json"
    result = gl.solve(linking)
    assert main(["solve", stored(linking), "--out", str(out), "--trace"]) == exit_codes.PROVED
    assert "-" not in capsys.readouterr().out.splitlines()[-1].split("gap")[0]
    record = next(read_values(out))
    assert all(event.sense is Sense.MINIMISE for event in record.result.trace)
    assert record.result.trace[-1].value == result.value > 0
    if gapless_kernels.COMPILED:  # the NumPy twin writes no evidence
        assert main(["verify", str(out)]) == exit_codes.PROVED
        assert f"nothing costs less than {result.value:.12g}" in capsys.readouterr().out
        claimed = attrs.evolve(result, bound=result.bound)
        assert "scores more" not in claimed.verify(linking).reason


def test_traces_stored_before_events_had_a_sense_are_read_as_scores(linking):
    pytest.importorskip("jinja2", reason="reports need jinja2")
    result = gl.solve(linking, trace=True)
    text = result.to_json()
    new = report_of(gl.Record(linking, gl.Result.from_json(text)), verify=False)
    old_events = [
        attrs.evolve(event, bound=-event.bound, value=-event.value, sense=Sense.MAXIMISE) for event in result.trace
    ]
    assert report_of(gl.Record(linking, attrs.evolve(result, trace=old_events)), verify=False) == new
    stripped = text.replace(', "sense": {"type": "gapless.Sense", "value": "minimise"}}', "}")
    assert len(stripped) < len(text)
    assert {event.sense for event in gl.Result.from_json(stripped).trace} == {Sense.MAXIMISE}
