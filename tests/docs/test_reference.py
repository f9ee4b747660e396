"""The API pages name everything that is public; the figures are what the script draws."""

import re
from pathlib import Path

import pytest

import gapless
import gapless.roles

DOCS = Path(__file__).parents[2] / "docs"
API = "\n".join(page.read_text("utf-8") for page in sorted((DOCS / "api").glob("*.md")))
WHOLE = (  # packages whose page lists what is in __all__
    "gapless.column_generation",
    "gapless.column_generation.branching",
    "gapless.column_generation.master",
    "gapless.learn",
    "gapless.rcsp",
    "gapless.scip",
    "gapless.search.lagrangian",
    "gapless.testing",
    "gapless.tree_search",
    "gapless_chains",
    "gapless_dependency",
    "gapless_kernels.arborescences",
    "gapless_kernels.chains",
    "gapless_kernels.column_generation",
    "gapless_kernels.features",
    "gapless_kernels.graphs",
    "gapless_kernels.labels",
    "gapless_kernels.linking",
    "gapless_kernels.parsing",
    "gapless_kernels.paths",
    "gapless_kernels.sparse_chains",
    "gapless_kernels.trees",
    "gapless_linking",
    "gapless_ordering",
    "gapless_splitbound",
    "gapless_models.estimators",
    "gapless_models.parsing",
    "gapless_models.tagging",
    "gapless_models.text",
    "gapless_torch",
)


def test_every_public_name_of_gapless_is_on_a_page():
    listed = re.findall(r"^\.\. (?:auto\w+|py:data):: (\w+)$", API, re.MULTILINE)
    assert len(listed) == len(set(listed))
    missing = {*gapless.__all__, *gapless.roles.__all__} - set(listed) - {"__version__"}
    assert not missing, f"add them to a page in docs/api: {sorted(missing)}"


@pytest.mark.parametrize("package", WHOLE)
def test_every_package_has_its_page(package):
    assert f".. automodule:: {package}\n   :members:" in API


def test_the_figures_are_what_the_script_draws(draw):
    for name, figure in draw.FIGURES.items():
        drawn = (DOCS / f"figures/{name}.svg").read_text("utf-8")
        assert figure() == drawn, f"run: python docs/figures/draw.py, for {name}.svg"
