"""The scale benchmark runs, and notices workers that give other values."""

import json

import attrs
import pytest

import gapless as gl
from benchmarks.__main__ import main
from benchmarks.scale import kinds, measurement
from gapless.cli import exit_codes

pytest.importorskip("joblib", reason="workers need joblib")
pytest.importorskip("psutil", reason="CPU time of other processes is read by psutil")

BRIEFLY = ["scale", "--seconds", "0.02", "--rounds", "1", "--json", "--only"]


def test_a_batch_and_a_list(capsys):
    assert main([*BRIEFLY, "45", "labels"]) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    assert found["disagreements"] == []
    ratios = [line for line in found["lines"] if line["what"].startswith("times sooner by the clock")]
    assert len(ratios) == 6  # three kinds, from arrays and with the problems made before
    assert all(line["value"]["median"] > 0 for line in found["lines"])
    assert not any(line["verdict"] for line in ratios)  # such problems are too quick to be judged


def test_other_values_are_noticed(monkeypatch, capsys):
    honest = gl.solve_many

    def careless(problems, method, *, jobs):
        found = honest(problems, method)
        return found if jobs == 1 else attrs.evolve(found, values=found.values + 1.0)

    monkeypatch.setattr(measurement.gl, "solve_many", careless)
    assert main([*BRIEFLY, "paths"]) == exit_codes.FAILED
    assert "2 workers give other values than one" in json.loads(capsys.readouterr().out)["disagreements"][0]


def test_unknown_kinds_are_refused(capsys):
    assert main([*BRIEFLY, "cubes"]) == exit_codes.USAGE
    assert "there is chains, 45 labels" in capsys.readouterr().err


@pytest.mark.parametrize("kind", kinds.KINDS, ids=lambda kind: kind.name)
def test_problems_are_made_anew_of_the_same_arrays(kind):
    make = kind.draw(2)
    one, other = make(), make()
    values = [gl.solve_many(problems, kind.method).values for problems in (one, other)]
    assert (values[0] == values[1]).all()
    assert one[0] is not other[0]
