from typing import TypeVar

import numpy as np
import numpy.typing as npt

_Real = TypeVar("_Real", np.float32, np.float64)

def viterbi(unary: npt.NDArray[_Real], transition: npt.NDArray[_Real], labels: npt.NDArray[np.int64]) -> float: ...
def forward_messages(
    unary: npt.NDArray[_Real], transition: npt.NDArray[_Real], messages: npt.NDArray[_Real]
) -> None: ...
def read_past_end(view: npt.NDArray[np.float64]) -> float: ...
