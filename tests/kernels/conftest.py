"""Every version of a kernel in one process (`instruction_set`)."""

import pytest

import gapless_kernels

SETS: tuple[str, ...] = ("numpy",)
if gapless_kernels.COMPILED:
    from gapless_kernels.lanes import _sets

    SETS = _sets.instruction_sets()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Run NumPy twins once, as they use no instruction set; leave all sets but the first and the last to --long."""
    repeated = []
    for item in items:
        chosen = item.callspec.params.get("instruction_set") if hasattr(item, "callspec") else None
        if chosen in SETS[1:] and "numpy" in item.callspec.id.split("-"):
            repeated.append(item)
        elif chosen in SETS[1:-1]:
            item.add_marker(pytest.mark.long)
    config.hook.pytest_deselected(items=repeated)
    left_out = set(repeated)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="module", params=SETS)
def instruction_set(request):
    """The set that all kernels use in the test; "numpy" where the twins run instead."""
    if request.param == "numpy":
        yield "numpy"
        return
    before = _sets.choose_instruction_set(request.param)
    yield request.param
    _sets.choose_instruction_set(before)
