import numpy as np
import numpy.typing as npt

from gapless_kernels.chains._viterbi_twin import forward_messages as forward_messages
from gapless_kernels.chains._viterbi_twin import viterbi as viterbi

def read_past_end(view: npt.NDArray[np.float64]) -> float: ...
