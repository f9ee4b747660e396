"""Restricted masters on ``pyscipopt.LP``, and the view that every linear master gives its generators."""

from gapless.column_generation.master.entries import Keys
from gapless.column_generation.master.master import LinearMaster
from gapless.column_generation.master.program import LinearProgram
from gapless.column_generation.master.view import LinearMasterView

__all__ = ["Keys", "LinearMaster", "LinearMasterView", "LinearProgram"]
