import numpy as np
import numpy.typing as npt

from gapless_kernels.graphs._graph_distances_arguments import GraphSearch

def graph_search(offsets: npt.NDArray[np.int64], neighbours: npt.NDArray[np.int32]) -> GraphSearch: ...
def graph_components(
    offsets: npt.NDArray[np.int64], neighbours: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]: ...
