"""Optional third-party programs to compare with. A benchmark reports which of them are missing, and why."""

from __future__ import annotations

import importlib
from typing import Any

import attrs

from gapless import MissingDependency

_EXTRA = "pip install 'gapless[bench]'"


@attrs.frozen
class Peer:
    """A third-party program that may be installed.

    Parameters
    ----------
    name : str
        For tables and messages.
    module : str
        The module to import.
    install : str
        The command that installs it.
    """

    name: str
    module: str
    install: str = _EXTRA

    def load(self) -> Any:
        """Import the module.

        Raises
        ------
        MissingDependency
            It is not installed; the message says how to get it.
        """
        try:
            return importlib.import_module(self.module)
        except ImportError as error:
            raise MissingDependency(self.absent) from error

    @property
    def installed(self) -> bool:
        """Whether it can be imported."""
        try:
            self.load()
        except MissingDependency:
            return False
        return True

    @property
    def absent(self) -> str:
        """The reason why nothing was compared with it."""
        return f"not compared with {self.name}: {self.install}"


CSPY = Peer("cspy", "cspy", "pip install cspy")
HIGHS = Peer("HiGHS", "highspy")
HMMLEARN = Peer("hmmlearn", "hmmlearn._hmmc")
NETWORKIT = Peer("networkit", "networkit", "pip install networkit")
NUMBA = Peer("numba", "numba")
TOULBAR2 = Peer("toulbar2", "pytoulbar2", "pip install pytoulbar2")
UFAL = Peer("ufal.chu-liu-edmonds", "ufal.chu_liu_edmonds")
