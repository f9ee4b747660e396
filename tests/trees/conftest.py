"""Small random trees; see `small_trees`."""

import pytest
import small_trees


@pytest.fixture(scope="session")
def tree_batches():
    return small_trees.batches


@pytest.fixture(scope="session")
def random_tree():
    return small_trees.random_tree
