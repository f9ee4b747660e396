# ruff: noqa: F403
"""Types of `gapless_kernels`: the names that its rooms list; each is imported when it is first used."""

from typing import Final

from gapless_kernels._choice import COMPILED as COMPILED
from gapless_kernels._status import DECIDED as DECIDED
from gapless_kernels._status import DOUBTFUL as DOUBTFUL
from gapless_kernels._status import INFEASIBLE as INFEASIBLE
from gapless_kernels._status import INVALID as INVALID
from gapless_kernels.arborescences import *
from gapless_kernels.chains import *
from gapless_kernels.column_generation import *
from gapless_kernels.features import *
from gapless_kernels.graphs import *
from gapless_kernels.labels import *
from gapless_kernels.linking import *
from gapless_kernels.parsing import *
from gapless_kernels.paths import *
from gapless_kernels.search import *
from gapless_kernels.sparse_chains import *
from gapless_kernels.trees import *

INSTRUCTION_SET: Final[str]

def get_include() -> str:
    """The folder of the C headers: an include directory of extensions that ``cimport`` from `gapless_kernels`."""
