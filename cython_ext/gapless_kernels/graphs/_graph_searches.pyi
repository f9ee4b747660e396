import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

def gate_costs(
    offsets: Integers, neighbours: npt.NDArray[np.int32], weights: Floats | None, region: Integers, charges: Floats
) -> Floats: ...
def hitting_distances(
    offsets: Integers,
    neighbours: npt.NDArray[np.int32],
    weights: Floats | None,
    first: Integers,
    members: Integers,
    points: Integers,
) -> Floats: ...
