"""The colouring benchmark proves a graph in both trees and verifies the certificate."""

import json

from benchmarks.__main__ import main
from gapless.cli import exit_codes


def test_both_trees_prove_myciel4(capsys):
    assert main(["colouring", "--graphs", "myciel4", "--json"]) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    assert found["disagreements"] == []
    lines = {line["what"]: line for line in found["lines"]}
    for tree in "own tree", "SCIP's tree":
        assert lines[f"{tree}, proved"]["value"]["median"] == 100
        judged = lines[f"{tree}, from arrays"]
        assert (judged["must"], judged["aim"], judged["more"]) == (5, 1, False)
        assert lines[f"{tree}, nodes"]["value"]["median"] < 500
    assert lines["own tree, verification"]["value"]["median"] > 0
