"""Hot loops: arrays in, arrays out, no policy.

Each subpackage holds one family of kernels and is imported when one of its names is first used; its README gives
the recursions, the files, and the way to change them. Every function exists twice with one signature: compiled, as
in ``chains/_viterbi``, and in plain NumPy, as in ``chains/_viterbi_twin``. The twin is the oracle of the tests, and
runs instead of the compiled code when the environment variable ``GAPLESS_PURE`` is ``1`` at import.
Twins that add in the same order agree bit by bit (Viterbi, trees, beams, colour coding, graphs, features); parsing
and arborescences agree up to rounding, searches (dominance, column generation, linking, paths) in values and
proofs. Of equally good structures each may return another.

An extension outside this project subclasses the roles of ``search/roles.pxd``; `get_include` finds the headers.

The search of ``search/_search`` has its twin elsewhere: ``gapless.search.reference_search`` takes the same steps,
and runs in its place when ``GAPLESS_PURE`` is ``1``.

Attributes
----------
COMPILED : bool
    Whether the compiled kernels are in use.
INSTRUCTION_SET : str
    Instruction set of the compiled kernels: "avx512", "avx2" or "plain", the best that the processor has and the
    environment variable ``GAPLESS_SIMD`` allows at import; "numpy" for the twins. No answer depends on it.
"""

from pathlib import Path
from typing import Any

from gapless_kernels._choice import COMPILED
from gapless_kernels._lazy import lazy_names
from gapless_kernels._status import DECIDED as DECIDED
from gapless_kernels._status import DOUBTFUL as DOUBTFUL
from gapless_kernels._status import INFEASIBLE as INFEASIBLE
from gapless_kernels._status import INVALID as INVALID

_get_kernel, __dir__, __all__ = lazy_names(
    __name__, "COMPILED DECIDED DOUBTFUL INFEASIBLE INSTRUCTION_SET INVALID get_include"
)


def get_include() -> str:
    """Return the folder of the C headers, for extensions that ``cimport`` from `gapless_kernels`."""
    return str(Path(__file__).parent)


def __getattr__(name: str) -> Any:
    """Import the module of a kernel when the kernel is first used."""
    if name != "INSTRUCTION_SET":
        return _get_kernel(name)
    if not COMPILED:
        return "numpy"
    from gapless_kernels.lanes._sets import instruction_sets  # noqa: PLC0415  compiled code is loaded on demand

    return instruction_sets()[-1]
