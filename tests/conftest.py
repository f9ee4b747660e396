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
