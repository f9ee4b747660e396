import numpy as np
import numpy.typing as npt

def feature_counts(parts: npt.NDArray[np.int64], templates: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]: ...
def score_parts(
    atoms: npt.NDArray[np.uint32],
    parts: npt.NDArray[np.int64],
    values: npt.NDArray[np.int32],
    templates: npt.NDArray[np.int32],
    table: npt.NDArray[np.floating],
    scores: npt.NDArray[np.float64],
) -> None: ...
def part_features(
    atoms: npt.NDArray[np.uint32],
    parts: npt.NDArray[np.int64],
    values: npt.NDArray[np.int32],
    templates: npt.NDArray[np.int32],
    bits: int,
) -> npt.NDArray[np.int64]: ...
