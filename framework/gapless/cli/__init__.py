"""The `gapless` command."""

from gapless.cli.console import Console
from gapless.cli.main import main

__all__ = ["Console", "main"]
