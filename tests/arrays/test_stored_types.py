"""Stored values of a wrong type: refused when they are read, with the place; no class trusts what a file says."""

import gzip
import json
import math
import re
from pathlib import Path

import attrs
import pytest

from gapless import InvalidProblem, InvalidResult, Result, Solution, Status, Stop
from gapless.arrays.field_types import type_fault
from gapless.arrays.serial import dumps, from_data, loads
from gapless.roles import Stats

DATA = Path(__file__).parents[1] / "data"
WRONG = {
    "a dictionary": {"value": "feasible"},
    "text": "many",
    "a number": 7,
    "a truth value": True,
    "a list of dictionaries": [{"value": 1}],
    "another enum": {"type": "gapless.Sense", "value": "maximise"},
}
ANYTHING = {("gapless.Solution", "structure"), ("gapless.Record", "gold")}
"""Fields without a type."""


def kind_of(value):
    """The kind of a field's value in JSON: values of another kind are wrong there."""
    if isinstance(value, dict):
        tag = value.get("type", "mapping")
        return {"array": "sequence", "tuple": "sequence", "float": "number"}.get(tag, tag)
    return {list: "sequence", str: "text", bool: "truth", int: "number", float: "number"}[type(value)]


def smallest_documents():
    """For each stored class the shortest line that holds one."""
    found = {}
    for file in sorted(DATA.glob("results-*.jsonl.gz")):
        for line in gzip.decompress(file.read_bytes()).decode().splitlines():
            for tag in re.findall(r'"type": ?"(gapless[\w.]*)"', line):
                if len(line) <= len(found.get(tag, line)):
                    found[tag] = line
    return found


DOCUMENTS = smallest_documents()


def objects(data, place="$"):
    """Every object of a class, and its place."""
    if isinstance(data, dict) and data.get("type") == "tuple":
        data = data["items"]
    if isinstance(data, list):
        for number, one in enumerate(data):
            yield from objects(one, f"{place}[{number}]")
    elif isinstance(data, dict) and data.get("type") != "array":
        if str(data.get("type")).startswith("gapless"):
            yield data, place
        for name, one in data.items():
            yield from objects(one, f"{place}.{name}")


@pytest.mark.parametrize("tag", sorted(DOCUMENTS))
def test_stored_fields_of_another_type_are_refused(tag):
    document = json.loads(DOCUMENTS[tag])
    held, place = next((one, place) for one, place in objects(document) if one["type"] == tag)
    for name, right in list(held.items()):
        if name == "type" or (tag, name) in ANYTHING or right is None:
            continue
        for said, wrong in WRONG.items():
            if kind_of(wrong) != kind_of(right) or (said == "a list of dictionaries" and right != []):
                held[name] = wrong
                with pytest.raises((InvalidProblem, InvalidResult)) as refused:
                    from_data(document)
                assert place in str(refused.value), f"{tag}.{name} is {said}: {refused.value}"
        held[name] = right
    from_data(document)


def stored_result(**fields):
    plain = json.loads(Result(Status.FEASIBLE, Stop.TIME, [Solution((1,), 2.0)], 3.0).to_json())
    return {**plain, **fields}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"status": {"value": "feasible"}}, r"\$\.status: .* found a dict, expected Status"),
        ({"status": 7}, r"\$\.status: .* found 7, expected Status"),
        ({"status": None}, r"\$\.status: .* found None, expected Status"),
        ({"stop": {"type": "gapless.Sense", "value": "maximise"}}, r"\$\.stop: .* expected Stop"),
        ({"bound": True}, r"\$\.bound: .* found True, expected float"),
        ({"requested_k": 1.5}, r"\$\.requested_k: .* found 1\.5, expected int"),
        ({"requested_k": True}, r"\$\.requested_k: .* found True, expected int"),
        ({"method": ["viterbi"]}, r"\$\.method: .* expected str"),
        ({"solutions": "none"}, r"\$\.solutions: .* found 'none'"),
        ({"solutions": [3.0]}, r"\$\.solutions: "),
        ({"explanation": "so it is"}, r"\$\.explanation: .* found 'so it is'"),
        ({"stats": {"type": "gapless.Stats", "nodes": 1.5}}, r"\$\.stats\.nodes: .* found 1\.5, expected int"),
        ({"stats": {"type": "gapless.Stats", "nodes": -1}}, r"\$\.stats: .*nodes is -1"),
        ({"stats": {"type": "gapless.Stats", "extra": []}}, r"\$\.stats\.extra: .* found a list"),
        ({"requested_k": 0}, "0 structures were asked for"),
    ],
)
def test_stored_results_name_the_wrong_field(fields, message):
    Result.from_json(json.dumps(stored_result()))
    with pytest.raises((InvalidProblem, InvalidResult), match=message):
        Result.from_json(json.dumps(stored_result(**fields)))


@pytest.mark.parametrize("field", ["status", "stop", "sense"])
def test_results_made_with_a_name_in_place_of_an_enum_are_refused(field):
    fields = {"status": Status.FEASIBLE, "stop": Stop.TIME, "solutions": [Solution((1,), 2.0)], "bound": 3.0}
    with pytest.raises(InvalidResult, match=rf"{field} is 'feasible', expected"):
        Result(**{**fields, field: "feasible"})


@pytest.mark.parametrize("number", ["nodes", "seconds", "scopes_total"])
def test_stats_below_zero_are_refused(number):
    with pytest.raises(InvalidResult, match=f"{number} is -1"):
        Stats(**{number: -1})


ARRAY = {"type": "array", "dtype": "int64", "shape": [2], "values": [1, 2]}
FLOATS = {**ARRAY, "dtype": "float64", "values": [1.0, 2]}
SPARSE = {"type": "array", "dtype": "int64", "shape": [4], "values": [1, 2], "places": [1, 3]}


@pytest.mark.parametrize(
    ("right", "fields", "message"),
    [
        (ARRAY, {"shape": [-1, 2]}, r"shape is \[-1, 2\], expected integers of 0 or more"),
        (ARRAY, {"shape": [-1]}, "shape is"),
        (ARRAY, {"shape": 2}, "shape is a int, expected a list"),
        (ARRAY, {"shape": [2.0]}, "shape is"),
        (ARRAY, {"shape": [True, 2]}, "shape is"),
        (ARRAY, {"shape": None}, "shape is"),
        (ARRAY, {"dtype": None}, "dtype is None"),
        (ARRAY, {"dtype": [["a", "int64"]]}, "dtype is"),
        (ARRAY, {"values": [1.5, 2]}, "of another type"),
        (ARRAY, {"values": ["1", 2]}, "of another type"),
        (ARRAY, {"values": [True, 2]}, "of another type"),
        (ARRAY, {"values": [[1], [2]]}, "of another type"),
        (ARRAY, {"values": "12"}, "values is a str"),
        (ARRAY, {"values": {"1": 1, "2": 2}}, "values is a dict"),
        (FLOATS, {"values": [True, 2.0]}, "of another type"),
        (FLOATS, {"values": [None, 2.0]}, "of another type"),
        (FLOATS, {"values": ["infinite", 2.0]}, "KeyError"),
        (SPARSE, {"places": [1.5, 3]}, "places is"),
        (SPARSE, {"places": [-1, 3]}, "places is"),
        (SPARSE, {"places": [1, 4]}, "IndexError"),
        (SPARSE, {"shape": [-4]}, "shape is"),
        ({"type": "tuple", "items": [1]}, {"items": "ab"}, "items is a str"),
        ({"type": "tuple", "items": [1]}, {"items": {"a": 1}}, "items is a dict"),
    ],
)
def test_stored_arrays_of_a_wrong_form_are_refused(right, fields, message):
    loads(json.dumps([right]))
    with pytest.raises(InvalidProblem, match=rf"^\$\[0\]: not a readable .*{message}"):
        loads(json.dumps([{**right, **fields}]))


def test_what_a_nested_constructor_refuses_names_its_place():
    text = dumps({"first": Stats(), "second": [Stats()]}).replace(
        '[{"type": "gapless.Stats", "seconds": 0.0', '[{"type": "gapless.Stats", "seconds": -2.0'
    )
    with pytest.raises(InvalidResult, match=r"^\$\.second\[0\]: Stats: seconds is -2"):
        loads(text)


def test_annotations_of_unknown_modules_constrain_nothing():
    """Code that runs without a module of its own, as a page's block does, may name modules that cannot be found."""
    namespace = {"__name__": __name__, "attrs": attrs}
    exec(
        "from __future__ import annotations\n"
        "@attrs.frozen\nclass Stored:\n    a: array_library.ndarray | None\n    b: int\n",
        namespace,
    )
    assert type_fault(namespace["Stored"], {"a": [1.0], "b": 2}) is None
    assert type_fault(namespace["Stored"], {"a": [1.0], "b": "2"}) == ("b", "found '2', expected int")


@pytest.mark.parametrize("seconds", [math.nan, -1.0, "<b>", None])
def test_stats_refuse_seconds_that_are_no_duration(seconds):
    with pytest.raises(InvalidResult, match=r"Stats: seconds is .*, expected a number of 0 or more"):
        Stats(seconds=seconds)
