import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

def bridge_tree(offsets: Integers, neighbours: npt.NDArray[np.int32]) -> tuple[Integers, Integers, Integers]: ...
def quotient_tree(
    offsets: Integers, neighbours: npt.NDArray[np.int32], weights: Floats | None, classes: Integers, root: int
) -> tuple[Integers, Integers, Integers]: ...
def sums_below(parents: Integers, masses: Floats) -> Floats: ...
