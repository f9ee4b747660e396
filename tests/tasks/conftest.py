"""Tables of tasks in one part, each row on its line, so that tests can look for them."""

import pytest


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    """Of 500 columns; tests/cli/test_width.py looks at 80."""
    monkeypatch.setenv("COLUMNS", "500")
