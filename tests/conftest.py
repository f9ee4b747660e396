"""What every test starts from."""

import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A loaded machine is slow; that is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_is_heard() -> Iterator[None]:
    """A shell starts background jobs with SIGINT ignored, and children inherit that; tests press Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def _no_folder_of_corpora(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks read what GAPLESS_DATA names; tests without the mark `corpus` are about the data of gapless itself."""
    if request.node.get_closest_marker("corpus") is None:
        monkeypatch.delenv("GAPLESS_DATA", raising=False)
