import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Heads = npt.NDArray[np.int64]

def eisner_sibling(weights: Floats, sibling: Floats | None, single_root: bool) -> tuple[float, Heads]: ...
def eisner_sibling_max_marginals(
    weights: Floats, sibling: Floats | None, single_root: bool
) -> tuple[float, Heads, Floats]: ...
def eisner_carreras(
    weights: Floats, sibling: Floats | None, grandchild: Floats | None, single_root: bool
) -> tuple[float, Heads]: ...
def eisner_carreras_max_marginals(
    weights: Floats, sibling: Floats | None, grandchild: Floats | None, single_root: bool
) -> tuple[float, Heads, Floats]: ...
def eisner_grand_sibling(
    weights: Floats,
    grandchild: Floats | None,
    sibling: Floats | None,
    grand_sibling: Floats | None,
    single_root: bool,
) -> tuple[float, Heads]: ...
def eisner_grand_sibling_max_marginals(
    weights: Floats,
    grandchild: Floats | None,
    sibling: Floats | None,
    grand_sibling: Floats | None,
    single_root: bool,
) -> tuple[float, Heads, Floats]: ...
