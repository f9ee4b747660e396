"""Restricted masters on ``pyscipopt.LP``, and the view that every linear master gives its generators."""

from gapless.lp.entries import Keys
from gapless.lp.master import LinearMaster
from gapless.lp.program import LinearProgram
from gapless.lp.view import MasterView

__all__ = ["Keys", "LinearMaster", "LinearProgram", "MasterView"]
