"""Scores of any library: every problem type reads them alike; what is shared, what is copied, what is refused."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gapless as gl
from gapless.arrays.array_input import as_array
from gapless.testing.examples import Selection
from gapless_chains import ChainBatch, ChainModel, ChainProblem, TreeProblem
from gapless_dependency import ParsingProblem
from gapless_dependency.factors import AdjacentSibling, AnyOf, ArcConjunctions, Sibling, Valency
from gapless_linking import Graph, LinkingProblem
from gapless_linking.max_crs import from_max_crs
from gapless_ordering import OrderingProblem

# Symmetric and 0 on the diagonal, so that they serve as distances, too.
SCORES = np.array([[0.0, 0.5, 2.0], [0.5, 0.0, 0.25], [2.0, 0.25, 0.0]])
CUBE = np.stack([SCORES, 2 * SCORES, 4 * SCORES])
ROW = SCORES[0]
NONE = np.zeros((3, 3))

Wrap = Callable[[Any], Any]


class OnlyArray:
    """Has ``__array__`` and nothing else."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.array, dtype, copy=copy)


class OnlyDLPack:
    """Has ``__dlpack__`` and nothing else."""

    def __init__(self, array: Any, device: int = 1) -> None:
        self.array, self.device = array, device

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


# Every way into a problem: makes one of scores as `s` wraps them.
DOORS: dict[str, Callable[[Wrap], Any]] = {
    "chain": lambda s: ChainProblem(s(SCORES), s(SCORES), initial=s(ROW), final=s(ROW)),
    "chains": lambda s: ChainProblem.many([s(SCORES), s(SCORES)], s(SCORES)),
    "varying chain": lambda s: ChainProblem(s(SCORES), [s(SCORES), s(2 * SCORES)]),
    "chain model": lambda s: ChainModel(s(SCORES), initial=s(ROW), final=s(ROW)).problem(s(SCORES)),
    "chain batch": lambda s: ChainModel(SCORES).batch(s(SCORES), [1, 2]),
    "chain list": lambda s: ChainModel(SCORES).batch_of([s(SCORES), s(SCORES)]),
    "labelled tree": lambda s: TreeProblem(s(SCORES), s(SCORES), [-1, 0, 0]),
    "arcs": lambda s: ParsingProblem(s(SCORES)),
    "labelled arcs": lambda s: ParsingProblem(s(CUBE)),
    "siblings": lambda s: Sibling(s(CUBE)),
    "adjacent siblings": lambda s: AdjacentSibling(s(CUBE)),
    "scorer": lambda s: gl.solve(ParsingProblem(NONE, factors=[Sibling(lambda h, a, b: s(CUBE)[h, a, b])])),
    "conjunctions": lambda s: ArcConjunctions([[[0, 1]], [[0, 2]], [[1, 2]]], s(ROW)),
    "valency": lambda s: Valency(1, s(ROW)),
    "one score": lambda s: AnyOf([(0, 1)], s(np.array(0.5))),
    "ordering": lambda s: OrderingProblem(s(ROW), s(SCORES), s(ROW), 2),
    "selection": lambda s: OrderingProblem.from_selection(
        s(ROW), s(SCORES), length=2, start=s(ROW), end=s(ROW), auxiliary={"and": s(SCORES)}
    ),
    "distances": lambda s: LinkingProblem.from_distances(s(SCORES), [[0], [1, 2]]),
    "prior": lambda s: LinkingProblem.from_distances(SCORES, [[0, 1, 2]], prior=[s(ROW)]),
    "lengths": lambda s: LinkingProblem(Graph.from_edges([[0, 1], [1, 2], [2, 3]], s(ROW + 1)), [[0], [1, 3]]),
    "capacities": lambda s: from_max_crs([[0], [1, 2]], s(SCORES)).problem,
    "example": lambda s: Selection(s(ROW), s(SCORES), s(ROW)),
}
INDEXED = {"scorer"}
"""The scores are indexed before they are handed over."""


def told(made):
    """Everything that a problem says of itself, for comparison."""
    if isinstance(made, gl.Result):
        return made.value
    if isinstance(made, list | ChainBatch):
        return [gl.dumps(problem) for problem in made]
    return gl.dumps(made)


def torch_tensor(array):
    """A torch tensor of the same numbers."""
    return pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'").tensor(array)


WRAPS: dict[str, Wrap] = {
    "only __array__": OnlyArray,
    "only __dlpack__": OnlyDLPack,
    "lists": lambda a: a.tolist(),
    "tuples of arrays": lambda a: tuple(a) if a.ndim else a,
    "Fortran order": lambda a: a.copy(order="F"),
    "negative strides": lambda a: a[::-1].copy()[::-1] if a.ndim else a,
    "every second": lambda a: np.repeat(a, 2, axis=0)[::2] if a.ndim else a,
    "big-endian": lambda a: a.astype(">f8"),
    "big-endian float32": lambda a: a.astype(">f4"),
    "half": lambda a: a.astype(np.float16),
    "long double": lambda a: a.astype(np.longdouble),
    "read-only": lambda a: np.frombuffer(a.tobytes()).reshape(a.shape),
    "torch": torch_tensor,
    "torch, float32": lambda a: torch_tensor(a).float(),
    "torch, half": lambda a: torch_tensor(a).half(),
    "torch, bfloat16": lambda a: torch_tensor(a).bfloat16(),
    "torch, transposed twice": lambda a: torch_tensor(a.T.copy()).permute(tuple(reversed(range(a.ndim)))),
    "torch, negated view": lambda a: _negated(torch_tensor(-a)),
    "torch, list of rows": lambda a: [torch_tensor(row) for row in a] if a.ndim else torch_tensor(a),
}


def _negated(tensor):
    import torch  # noqa: PLC0415

    conjugated = torch.complex(torch.zeros_like(tensor), tensor).conj().imag
    assert conjugated.is_neg()
    return conjugated


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("door", DOORS)
def test_every_problem_type_reads_every_kind_of_array(door, wrap):
    if door in INDEXED and not hasattr(WRAPS[wrap](CUBE), "shape"):
        pytest.skip("the scorer of this test indexes what it is given")
    wrapped = DOORS[door](WRAPS[wrap])
    plain = DOORS[door](np.array)
    if door == "chain batch":
        assert np.array_equal(wrapped.unary, plain.unary)
        return
    assert told(wrapped) == told(plain)


def torch_view(array):
    """A torch tensor in the memory of the array."""
    return pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'").from_numpy(array)


@pytest.mark.parametrize("kind", [np.asarray, OnlyArray, OnlyDLPack, torch_view], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("door", sorted(DOORS.keys() - {"chain batch"} - INDEXED))
def test_a_problem_keeps_a_copy(door, kind):
    own = []

    def shared(array: Any) -> Any:
        own.append(np.array(array))
        return kind(own[-1])

    made = DOORS[door](shared)
    before = told(made)
    for array in own:
        array[...] = 7.0
    assert told(made) == before


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_batch_shares_the_memory_that_it_is_given(dtype):
    rows = np.zeros((50_000, 20), dtype)
    model = ChainModel(np.zeros((20, 20)))
    kinds = [rows, OnlyArray(rows), OnlyDLPack(rows), np.frombuffer(rows.tobytes(), dtype).reshape(rows.shape)]
    for given in kinds:
        tracemalloc.start()
        batch = model.batch(given, [100] * 500)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert batch.unary.dtype == dtype
        assert peak < rows.nbytes / 20
        if given is not kinds[-1]:
            assert np.shares_memory(batch.unary, rows)
    assert gl.solve_many(model.batch(kinds[-1], [100] * 500)).proved_share == 1.0


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_a_batch_shares_the_memory_of_a_tensor(name):
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'")
    tensor = torch.zeros(4, 3, dtype=getattr(torch, name))
    batch = ChainModel(NONE).batch(tensor, torch.tensor([1, 3]))
    tensor[0, 0] = 5.0
    assert batch.unary[0, 0] == 5.0
    assert batch.unary.dtype == name
    for narrow in (torch.bfloat16, torch.float16):
        assert ChainModel(NONE).batch(tensor.to(narrow), [1, 3]).unary.dtype == np.float32
    assert ChainModel(NONE).batch(tensor.int(), [1, 3]).unary.dtype == np.float64


def refused(give, words):
    for name, door in DOORS.items():
        if name not in INDEXED:
            with pytest.raises(gl.InvalidProblem, match=words):
                door(give)


def test_masked_arrays_are_refused():
    refused(np.ma.array, r"masked array; fill with -inf what is forbidden: \.astype\(float\)\.filled\(-np\.inf\)")


def test_complex_numbers_are_refused():
    refused(lambda a: a.astype(complex), "complex128")
    refused(lambda a: torch_tensor(a).to(pytest.importorskip("torch").complex64), "complex64")


def test_sparse_arrays_are_refused():
    scipy = pytest.importorskip("scipy.sparse", reason="needs scipy")
    refused(lambda a: scipy.coo_array(np.atleast_1d(a)), r"sparse scipy\.coo_array; .*\.toarray\(\)")


def test_arrays_on_other_devices_are_refused():
    refused(lambda a: OnlyDLPack(a, device=2), r"on another device than the CPU; copy it there first")


def test_tensors_that_decoding_cannot_read_are_refused():
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'")
    refused(lambda a: torch_tensor(a).requires_grad_(), r"requires grad, .*\.detach\(\)")
    refused(lambda a: torch.nn.Parameter(torch_tensor(a)) * 2, r"requires grad, .*\.detach\(\)")
    refused(lambda a: torch_tensor(a).to_sparse(), r"sparse tensor; .*\.to_dense\(\)")
    refused(lambda a: torch_tensor(a).to("meta"), r"on the device meta; copy it to the CPU first: \.cpu\(\)")
    refused(lambda a: [torch_tensor(a).requires_grad_()], r"\.detach\(\)")


@pytest.mark.parametrize("off", ["no_grad", "inference_mode"])
@pytest.mark.parametrize("door", sorted(DOORS.keys() - INDEXED))
def test_parameters_are_read_where_gradients_are_off(door, off):
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'")
    with getattr(torch, off)():
        made = DOORS[door](lambda a: torch.nn.Parameter(torch.tensor(a)))
    assert told(made) == told(DOORS[door](np.array))
    with pytest.raises(
        gl.InvalidProblem, match=r"requires grad, .*\.detach\(\), or decode under torch\.no_grad\(\)"
    ):
        DOORS[door](lambda a: torch.nn.Parameter(torch.tensor(a)))


def test_tensors_inside_a_transform_are_refused():
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'")
    with pytest.raises(gl.InvalidProblem, match=r"unary is a torch.Tensor, which cannot be read as an array"):
        torch.func.vmap(lambda unary: ChainProblem(unary, NONE))(torch.zeros(2, 4, 3))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_nested_tensors_are_refused():
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'")
    nested = torch.nested.nested_tensor([torch.zeros(2, 3), torch.zeros(1, 3)])
    with pytest.raises(gl.InvalidProblem, match=r"a nested tensor; pass one per sentence: \.unbind\(\)"):
        ChainProblem(nested, NONE)


def test_what_cannot_be_read_is_refused_with_its_type():
    class Broken:
        def __array__(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("the buffer was freed")

    refused(lambda _: Broken(), r"Broken, which cannot be read as an array: the buffer was freed")
    with pytest.raises(
        gl.InvalidProblem, match=r"unary is not a rectangular array of numbers: .*; give every row the same"
    ):
        ChainProblem([[1.0], [1.0, 2.0]], NONE)


def test_types_that_numpy_does_not_have_are_widened():
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'")
    for name in ("bfloat16", "float8_e4m3fn"):
        given = torch.tensor([0.5, -2.0]).to(getattr(torch, name))
        found = as_array(given, "scores are")
        assert found.dtype == np.float32
        assert found.tolist() == [0.5, -2.0]
