import numpy as np
import numpy.typing as npt

def tree_viterbi(
    unary: npt.NDArray[np.float64],
    parents: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[np.float64],
    messages: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
) -> None: ...
def tree_dominance(
    unary: npt.NDArray[np.float64],
    parents: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[np.float64],
    child_first: npt.NDArray[np.float64],
    leads: npt.NDArray[np.float64],
    messages: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    survived: npt.NDArray[np.int64],
) -> None: ...
def parent_leads(transition: npt.NDArray[np.float64], leads: npt.NDArray[np.float64]) -> None: ...
