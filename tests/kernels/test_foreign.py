"""Roles made of C functions: the answers of their model, and an error for each rule that a function breaks.

The functions are Python here, behind addresses of ctypes; `tests/examples/test_rna_folding.py` compiles some.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from c_functions import (
    CONFIGURATION,
    DOUBLE,
    DOUBLES,
    FAILED,
    FOUND,
    INT,
    INT8S,
    LOST,
    MARGINALS,
    NOTHING,
    VALUE,
    VOID,
    address,
    compiled,
    raises,
)
from drawn import examples, generators
from hypothesis import given

import gapless_kernels

if not gapless_kernels.COMPILED:
    pytest.skip("GAPLESS_PURE=1", allow_module_level=True)

from gapless_kernels import ForeignFactor

pytestmark = pytest.mark.usefixtures("raised_in_callbacks")


class Table:
    """A value for each configuration of a few decisions, its model in Python and its C functions."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.size = values, values.ndim

    def agreeing(self, state: Any) -> Iterator[tuple[int, ...]]:
        for y in itertools.product((0, 1), repeat=self.size):
            if self.values[y] > -np.inf and all(s in (-1, v) for s, v in zip(state, y, strict=True)):
                yield y

    def total(self, y: tuple[int, ...], prices: Any) -> float:
        return float(self.values[y] - sum(p for p, v in zip(prices, y, strict=True) if v))

    def best(self, prices: Any, state: Any, at: int = 0, on: int | None = None) -> float:
        agreeing = (y for y in self.agreeing(state) if on is None or y[at] == on)
        return max((self.total(y, prices) for y in agreeing), default=-np.inf)

    def functions(self) -> dict[str, Any]:
        n = self.size

        def maximise(data: Any, prices: Any, state: Any, value: Any, y: Any) -> int:
            found = max(self.agreeing(state[:n]), key=lambda y: self.total(y, prices[:n]), default=None)
            if found is None:
                return NOTHING
            value[0] = self.total(found, prices[:n])
            for i, one in enumerate(found):
                y[i] = one
            return FOUND

        def value(data: Any, y: Any, value: Any) -> int:
            value[0] = self.values[tuple(y[:n])]
            return FOUND if value[0] > -np.inf else NOTHING

        def marginals(data: Any, prices: Any, state: Any, on: Any, off: Any) -> int:
            for i in range(n):
                on[i], off[i] = (self.best(prices[:n], state[:n], i, v) for v in (1, 0))
            return FOUND

        def flips(data: Any, y: Any, difference: Any) -> int:
            for i in range(n):
                other = tuple(1 - v if j == i else v for j, v in enumerate(y[:n]))
                difference[i] = self.values[other] - self.values[tuple(y[:n])]
            return FOUND

        return {
            "maximise": CONFIGURATION(maximise),
            "value": VALUE(value),
            "marginals": MARGINALS(marginals),
            "flips": VALUE(flips),
        }


@examples(30)
@given(rng=generators())
def test_a_factor_gives_what_its_functions_give(rng):
    size = int(rng.integers(0, 4))
    values = np.where(rng.random((2,) * size) < 0.2, -np.inf, rng.integers(-3, 4, (2,) * size).astype(float))
    table = Table(values)
    factor = ForeignFactor(np.arange(size) * 2, **table.functions())
    prices, state = rng.normal(size=size), rng.integers(-1, 2, size)
    value, on = factor.solve(prices, state)
    assert value == pytest.approx(table.best(prices, state), abs=1e-12)
    if value > -np.inf:
        assert value == pytest.approx(table.total(tuple(on.astype(int)), prices), abs=1e-12)
    for y in itertools.product((False, True), repeat=size):
        assert factor.value_of(y) == values[tuple(map(int, y))]
    with_on, with_off = factor.max_marginals(prices, state)
    assert with_on == pytest.approx([table.best(prices, state, i, 1) for i in range(size)], abs=1e-12)
    assert with_off == pytest.approx([table.best(prices, state, i, 0) for i in range(size)], abs=1e-12)


def test_flips_are_differences_of_values():
    table = Table(np.arange(8.0).reshape(2, 2, 2) ** 2)
    factor = ForeignFactor([3, 5, 8], **table.functions())
    assert factor.flip_differences([0, 1, 1]) == pytest.approx([49 - 9, 1 - 9, 4 - 9])


def test_what_is_left_out_is_not_there():
    functions = Table(np.zeros((2, 2))).functions()
    factor = ForeignFactor([0, 1], functions["maximise"], functions["value"])
    assert factor.max_marginals([0.0, 0.0]) is None
    assert factor.flip_differences([0, 0]) is None


def test_an_address_is_enough():
    functions = Table(np.array([0.0, 2.0])).functions()
    factor = ForeignFactor([7], address(functions["maximise"]), address(functions["value"]))
    assert factor.solve([0.5])[0] == 1.5


def test_a_low_level_callable_brings_its_data():
    scipy = pytest.importorskip("scipy", reason="scipy is not installed")
    score = ctypes.c_double(4.0)

    def maximise(data: Any, prices: Any, state: Any, value: Any, y: Any) -> int:
        value[0], y[0] = ctypes.cast(data, DOUBLES)[0] - prices[0], 1
        return FOUND

    def value(data: Any, y: Any, value: Any) -> int:
        value[0] = ctypes.cast(data, DOUBLES)[0] * y[0]
        return FOUND

    address = ctypes.cast(ctypes.byref(score), VOID)
    one, other = (scipy.LowLevelCallable(f, address) for f in (CONFIGURATION(maximise), VALUE(value)))
    factor = ForeignFactor([0], one, other)
    assert factor.solve([1.0])[0] == 3.0
    assert factor.value_of([True]) == 4.0
    elsewhere = scipy.LowLevelCallable(VALUE(value), ctypes.cast(ctypes.byref(ctypes.c_double(1.0)), VOID))
    with pytest.raises(ValueError, match="the user data of maximise and value differ"):
        ForeignFactor([0], one, elsewhere)
    assert ForeignFactor([0], one, elsewhere, data=np.array([8.0])).value_of([True]) == 8.0


def test_the_types_of_a_low_level_callable_are_checked():
    scipy = pytest.importorskip("scipy", reason="scipy is not installed")
    functions = Table(np.zeros(2)).functions()
    with pytest.raises(
        TypeError, match=r"maximise has the type int \(void \*, int8_t \*, double \*\); expected int \(void"
    ):
        ForeignFactor([0], scipy.LowLevelCallable(functions["value"]), functions["value"])


def test_a_python_function_behind_scipy_is_named():
    scipy = pytest.importorskip("scipy", reason="scipy is not installed")
    kind = ctypes.CFUNCTYPE(INT, VOID, INT8S, DOUBLES)
    with pytest.raises(TypeError, match="value is a Python function behind ctypes, whose exceptions are lost"):
        ForeignFactor([0], _writes(0.0, 0), scipy.LowLevelCallable(kind(raises)))


def test_a_numba_cfunc_is_taken_as_it_is():
    numba = pytest.importorskip("numba", reason="numba is not installed: pip install numba")
    kinds = numba.types
    doubles, int8s = kinds.CPointer(kinds.double), kinds.CPointer(kinds.int8)

    @numba.cfunc(kinds.int32(kinds.voidptr, doubles, int8s, doubles, int8s))
    def maximise(data, prices, state, value, y):  # type: ignore[no-untyped-def]
        worth = numba.carray(data, (1,), np.float64)
        on = state[0] == 1 or (state[0] == -1 and worth[0] > prices[0])
        y[0] = 1 if on else 0
        value[0] = worth[0] - prices[0] if on else 0.0
        return 0

    @numba.cfunc(kinds.int32(kinds.voidptr, int8s, doubles))
    def value(data, y, value):  # type: ignore[no-untyped-def]
        value[0] = numba.carray(data, (1,), np.float64)[0] * y[0]
        return 0

    factor = ForeignFactor([3], maximise, value, data=np.array([2.0]))
    assert factor.solve([0.5])[0] == 1.5
    assert factor.solve([0.5], [0])[0] == 0.0
    assert factor.value_of([True]) == 2.0
    with pytest.raises(TypeError, match="value has the type"):
        ForeignFactor([3], maximise, maximise)


class Kept(np.ndarray):
    """An array that can be watched."""


def test_functions_and_data_live_as_long_as_the_factor():
    data = np.array([5.0]).view(Kept)
    watched, freed = weakref.ref(data), weakref.ref(data)

    def value(data: Any, y: Any, value: Any) -> int:
        value[0] = ctypes.cast(data, DOUBLES)[0]
        return FOUND

    factor = ForeignFactor([0], Table(np.zeros(2)).functions()["maximise"], VALUE(value), data=data)
    del data, value
    gc.collect()
    assert watched() is not None
    assert factor.value_of([False]) == 5.0
    assert factor.solve([0.0])[0] == 0.0
    del factor
    gc.collect()
    assert freed() is None


def _writes(value, *y, code=FOUND):
    def maximise(data: Any, prices: Any, state: Any, place: Any, on: Any) -> int:
        place[0] = value
        for i, one in enumerate(y):
            on[i] = one
        return code

    return CONFIGURATION(maximise)


@pytest.mark.parametrize(
    ("maximise", "told"),
    [
        (_writes(np.nan, 0, 0), "left entry 0 of its answer NaN, or did not write it"),
        (_writes(np.inf, 0, 0), "an infinite value"),
        (_writes(0.0, 0), "wrote 2 where a decision, or whether one is on"),
        (_writes(0.0, 0, -1), "wrote -1 where"),
        (_writes(0.0, 1, 0), "does not keep decision 6 as the state fixes it"),
        (_writes(0.0, 0, 0, code=FAILED), "GS_FAILED"),
        (_writes(0.0, 0, 0, code=7), "returned 7, which is none of"),
        (
            CONFIGURATION(raises),
            "maximise.. of a ForeignFactor over decisions .6, 9. (wrote 2 where|.*which is none of)",
        ),
    ],
)
def test_an_answer_that_cannot_be_is_an_error(maximise, told):
    factor = ForeignFactor([6, 9], maximise, Table(np.zeros((2, 2))).functions()["value"])
    with pytest.raises(RuntimeError, match=told):
        factor.solve([0.0, 0.0], [0, -1])


def test_an_error_inside_a_callback_is_no_value(raised_in_callbacks):
    functions = Table(np.zeros((2, 2))).functions()
    factor = ForeignFactor([6, 9], functions["maximise"], VALUE(raises), MARGINALS(raises))
    with pytest.raises(RuntimeError, match=rf"value\(\) of a ForeignFactor .*({LOST})"):
        factor.value_of([False, False])
    with pytest.raises(RuntimeError, match=rf"marginals\(\) of a ForeignFactor .*({LOST})"):
        factor.max_marginals([0.0, 0.0])
    assert raised_in_callbacks == [ZeroDivisionError] * 2


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        (
            lambda data, y, value: 0,
            TypeError,
            "value must be a scipy.LowLevelCallable, .*; compile it first, as by numba.cfunc",
        ),
        (True, TypeError, "got True"),
        ("value", TypeError, "got 'value'"),
        (0, ValueError, "value: 0 is no address"),
        (-5, ValueError, "-5 is no address"),
        (3, ValueError, "3 is no address"),
        (1 << 64, ValueError, "is no address"),
        (
            MARGINALS(lambda *a: 0),
            TypeError,
            "value has the type int .void ., double ., int8_t ., double ., double ..",
        ),
        (compiled(DOUBLE, VOID, INT8S, DOUBLES)(lambda *a: 0.0), TypeError, "value has the type double"),
        (
            ctypes.CFUNCTYPE(INT, VOID, INT8S, DOUBLES)(lambda *a: 0),
            TypeError,
            "is a Python function behind ctypes",
        ),
        (ctypes.PYFUNCTYPE(INT, VOID, INT8S, DOUBLES)(1), TypeError, "PyDLL needs the GIL"),
    ],
)
def test_what_is_no_function_is_named(given, error, told):
    with pytest.raises(error, match=told):
        ForeignFactor([0], _writes(0.0, 0), given)


@pytest.mark.parametrize(
    ("data", "error", "told"),
    [
        (np.zeros((4, 4)).T[1:], ValueError, "contiguous; give numpy.ascontiguousarray"),
        (object(), TypeError, "data must be an array"),
        (True, TypeError, "data must be an array"),
    ],
)
def test_data_that_has_no_address_is_named(data, error, told):
    with pytest.raises(error, match=told):
        ForeignFactor([0], _writes(0.0, 0), VALUE(lambda *a: 0), data=data)


def test_a_pointer_without_type_stands_for_any():
    loose = compiled(INT, VOID, VOID, VOID)

    def value(data: Any, y: Any, value: Any) -> int:
        ctypes.cast(value, DOUBLES)[0] = 6.0
        return FOUND

    assert ForeignFactor([0], _writes(0.0, 0), loose(value)).value_of([True]) == 6.0


def test_without_compiled_kernels_the_error_says_what_is_asked_instead():
    code = "import gapless_kernels; gapless_kernels.ForeignFactor([0], 1, 1)"
    environment = {**os.environ, "GAPLESS_PURE": "1"}
    answer = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (
        "ForeignFactor needs the compiled kernels, and GAPLESS_PURE is 1; without them the search asks"
        in answer.stderr
    )
