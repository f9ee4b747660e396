"""JSON both ways, and clear errors for everything else."""

import enum
import json
import math
import sys

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gapless import InvalidProblem, Status, Stop
from gapless.arrays import serial
from gapless.arrays.serial import dumps, loads, write_aside
from gapless.roles import Branch, DuplicateName, Sense, serialisable

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
]


@given(
    st.sampled_from(DTYPES).flatmap(
        lambda name: hnp.arrays(np.dtype(name), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    )
)
def test_arrays_of_every_dtype_and_shape(array):
    copy = loads(dumps(array))
    assert copy.dtype == array.dtype
    assert copy.shape == array.shape
    assert np.array_equal(copy, array, equal_nan=array.dtype.kind == "f")


@pytest.mark.parametrize("order", [">", "<"])
def test_byte_order_does_not_matter(order):
    assert loads(dumps(np.array([1, 2], f"{order}i4"))).tolist() == [1, 2]


def test_extremes_are_exact():
    whole = np.array([2**63 - 1, -(2**63)], np.int64)
    assert np.array_equal(loads(dumps(whole)), whole)
    assert loads(dumps(np.array([2**64 - 1], np.uint64)))[0] == 2**64 - 1
    tiny = np.array([5e-324, 1.7976931348623157e308, 0.1 + 0.2])
    assert np.array_equal(loads(dumps(tiny)), tiny)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([*Status, *Stop, *Sense]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text().filter(lambda k: k != "type"), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(plain)
def test_plain_values(value):
    text = dumps(value)
    json.loads(text, parse_constant=pytest.fail)
    assert repr(loads(text)) == repr(value)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_special_numbers(value):
    assert repr(loads(dumps({"x": [value, (value,)]}))) == repr({"x": [value, (value,)]})
    assert np.array_equal(
        loads(dumps(np.array([value], np.float32))), np.array([value], np.float32), equal_nan=True
    )


def test_numpy_scalars_become_plain():
    assert loads(dumps([np.int32(3), np.float32(0.5), np.True_, np.float64(math.inf)])) == [3, 0.5, True, math.inf]


@serialisable("tests.Colour")
class Colour(str, enum.Enum):  # noqa: UP042  a StrEnum would not show that str is not taken literally
    RED = "red"


@serialisable("tests.Level")
class Level(enum.IntEnum):
    HIGH = 3


@serialisable("tests.Private")
@attrs.frozen
class Private:
    _hidden: int
    derived: int = attrs.field(init=False, default=7)


@serialisable("tests.ByHand")
class ByHand:
    def __init__(self, data):
        self.data = data

    def to_fields(self):
        return {"data": self.data}

    @classmethod
    def from_fields(cls, fields):
        return cls(fields["data"])


def test_enums_that_are_also_strings_or_numbers_stay_enums():
    assert loads(dumps([Colour.RED, Level.HIGH])) == [Colour.RED, Level.HIGH]
    assert type(loads(dumps(Level.HIGH))) is Level


def test_classes_by_attrs_and_by_hand():
    assert loads(dumps(Private(4))) == Private(4)
    assert loads(dumps(ByHand((1, np.arange(3))))).data[1].tolist() == [0, 1, 2]
    assert loads(dumps(Branch(on=[3], why="x"))) == Branch(on=(3,), why="x")


def test_a_field_called_type_is_refused_not_garbled():
    @serialisable("tests.Typed")
    @attrs.frozen
    class Typed:
        type: str

    with pytest.raises(InvalidProblem, match="field 'type'"):
        dumps(Typed("x"))


def test_one_tag_for_two_classes_names_both():
    with pytest.raises(DuplicateName, match=r"'tests\.Private' is claimed by"):
        serialisable("tests.Private")(type("Other", (), {}))
    assert serialisable("tests.Private")(Private) is Private


@pytest.mark.parametrize(
    "value", [object(), {1: 2}, {"type": 1}, 1j, b"x", np.array(["x"]), np.array([1j]), Private]
)
def test_what_cannot_be_written_says_so(value):
    with pytest.raises(InvalidProblem, match=r"cannot be written|only mappings"):
        dumps([value])


BAD = {
    "truncated": ('{"type": "gapless.Bran', "not valid JSON"),
    "empty": ("", "not valid JSON"),
    "trailing": ("[1] 2", "not valid JSON"),
    "unknown tag": ('[{"type": "gapless.Nonsense"}]', r"\$\[0\]: no loaded package can read 'gapless.Nonsense'"),
    "tag of a list": ('{"type": []}', "no loaded package can read"),
    "unknown field": (
        '{"a": {"type": "gapless.Branch", "no": 1}}',
        r"\$\.a: not a readable gapless\.Branch: TypeError",
    ),
    "wrong field": ('{"type": "gapless.Branch", "on": 5}', "not a readable gapless.Branch"),
    "wrong member": ('{"type": "gapless.Status", "value": "great"}', "not a readable gapless.Status"),
    "no value": ('{"type": "gapless.Status"}', "not a readable gapless.Status: KeyError"),
    "tuple of nothing": ('{"type": "tuple"}', "not a readable tuple"),
    "strange number": ('{"type": "float", "value": "infinite"}', "not a readable float"),
    "short array": ('{"type": "array", "dtype": "float64", "shape": [3], "values": [1.0]}', "not a readable array"),
    "array of text": (
        '{"type": "array", "dtype": "float64", "shape": [1], "values": ["one"]}',
        "not a readable array",
    ),
    "array of objects": ('{"type": "array", "dtype": "object", "shape": [1], "values": [1]}', "dtype object"),
    "array without a type": (
        '{"type": "array", "dtype": "nothing", "shape": [1], "values": [1]}',
        "readable array",
    ),
    "too large": ('{"type": "array", "dtype": "int8", "shape": [1], "values": [1000]}', "not a readable array"),
    "ragged": ('{"type": "array", "dtype": "int8", "shape": [2], "values": [[1], [1, 2]]}', "not a readable array"),
    "no dtype": ('{"type": "array", "shape": [1], "values": [1]}', "not a readable array: KeyError"),
    "huge": ('{"type": "array", "dtype": "int8", "shape": [99999999999999999999], "values": []}', "readable array"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_json_names_the_place(name):
    text, message = BAD[name]
    with pytest.raises(InvalidProblem, match=message):
        loads(text)


def test_every_truncation_of_a_document_is_an_error():
    text = dumps({"a": np.arange(2), "b": (math.inf, Branch(on=(1,)))})
    for end in range(len(text)):
        with pytest.raises(InvalidProblem):
            loads(text[:end])


def test_deep_nesting_is_an_error_not_a_crash():
    depth = sys.getrecursionlimit() * 2
    for opening, closing in (("[", "]"), ('{"a":', "}"), ('{"type": "tuple", "items": [', "]}")):
        with pytest.raises(InvalidProblem, match=r"nested too deeply|not valid JSON"):
            loads(opening * depth + "1" + closing * depth)
    deep = []
    for _ in range(depth):
        deep = [deep]
    with pytest.raises(InvalidProblem, match="nested too deeply"):
        dumps(deep)
    ring = []
    ring.append(ring)
    with pytest.raises(InvalidProblem, match="contains itself"):
        dumps(ring)


def test_write_aside_writes_whole_files(tmp_path):
    path = tmp_path / "x.json"
    write_aside(path, "one\n")
    write_aside(str(path), "two: ä\n")
    assert path.read_text("utf-8") == "two: ä\n"
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["write", "rename"])
def test_nothing_half_written_stays(tmp_path, monkeypatch, error, step):
    path = tmp_path / "x.json"
    path.write_text("old")

    def fail(*_args, **_kwargs):
        raise error

    if step == "rename":
        monkeypatch.setattr("pathlib.Path.replace", fail)
        text = "new"
    else:
        text = "new"

        class HalfFile:
            def __init__(self, handle):
                self.file = open(handle, "wb")  # noqa: SIM115

            def __enter__(self):
                return self

            def __exit__(self, *_):
                self.file.close()

            def write(self, content):
                self.file.write(content[:1])
                raise error

        monkeypatch.setattr(serial.os, "fdopen", lambda handle, *_args, **_kwargs: HalfFile(handle))
    with pytest.raises(type(error)):
        write_aside(path, text)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


def test_text_that_cannot_be_encoded_leaves_nothing(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        write_aside(tmp_path / "x", "\ud800")
    assert list(tmp_path.iterdir()) == []


def test_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_aside(tmp_path / "no" / "x", "text")
