"""Problems, results and certificates in files: what is written verifies, in Python and from the shell."""

import json

import numpy as np
import pytest
from parsing_cases import best_scores

import gapless
from gapless import Result, dumps, loads
from gapless.cli import exit_codes, main
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import FAMILIES, random_problem


def sentence(projective, families, seed=3):
    return random_problem(
        np.random.default_rng(seed), 5, projective=projective, families=families, forbidden_parts=0.05, strength=1.5
    )


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("families", [(), *((family,) for family in FAMILIES), FAMILIES], ids="+".join)
def test_from_problem_to_verified_record(projective, families, tmp_path, capsys):
    problem = sentence(projective, families)
    best = tree_scores(problem)[1].max()
    copy = loads(dumps(problem))
    assert tree_scores(copy)[1] == pytest.approx(tree_scores(problem)[1])
    result = gapless.solve(copy, "split-bound")
    assert result.value == pytest.approx(best)
    back = Result.from_json(result.to_json())
    assert back.verify(problem)
    assert back.verify(copy)
    assert back.verify(problem).bound == pytest.approx(result.verify(problem).bound)

    stored, record = tmp_path / "problem.json", tmp_path / "record.json"
    stored.write_text(dumps(problem), "utf-8")
    assert main(["solve", str(stored), "--method", "split-bound", "--out", str(record)]) == exit_codes.PROVED
    assert main(["verify", str(record)]) == exit_codes.PROVED
    bare = tmp_path / "result.json"
    bare.write_text(result.to_json(), "utf-8")
    assert main(["verify", str(bare), "--problem", str(stored)]) == exit_codes.PROVED
    assert capsys.readouterr().out


@pytest.mark.parametrize("projective", [False, True])
def test_options_and_k_best_from_the_shell(projective, tmp_path, capsys):
    problem = sentence(projective, ("sibling", "grandchild"))
    scores = best_scores(problem)
    stored, record = tmp_path / "problem.json", tmp_path / "record.json"
    stored.write_text(dumps(problem), "utf-8")
    asked = ["solve", str(stored), "-k", "3", "--option", "variant=paper", "--option", "order=depth-first"]
    assert main([*asked, "--out", str(record)]) == exit_codes.PROVED
    values = [solution.value for solution in loads(record.read_text("utf-8")).result.solutions]
    assert values == pytest.approx(scores[:3].tolist())
    assert main(["verify", str(record)]) == exit_codes.PROVED


@pytest.mark.parametrize("projective", [False, True])
def test_a_changed_record_is_refuted_from_the_shell(projective, tmp_path, capsys):
    problem = sentence(projective, ("sibling", "grandchild"))
    stored, record = tmp_path / "problem.json", tmp_path / "record.json"
    stored.write_text(dumps(problem), "utf-8")
    main(["solve", str(stored), "--method", "split-bound", "--out", str(record)])
    data = json.loads(record.read_text("utf-8"))
    text = json.dumps(data)
    changed = json.loads(text)
    held = next(v for v in walk(changed) if isinstance(v, dict) and "bound" in v and "solutions" in v)
    held["bound"] -= 0.5
    record.write_text(json.dumps(changed), "utf-8")
    assert main(["verify", str(record)]) != exit_codes.PROVED


def walk(data):
    yield data
    for child in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from walk(child)
