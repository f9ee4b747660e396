import numpy as np
import numpy.typing as npt

def parse_edges(
    text: bytes, columns: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64] | None, int, int, int]: ...
