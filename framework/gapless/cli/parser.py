"""The parser of the command line: as argparse's, with a hint for misspelt names."""

from __future__ import annotations

import argparse
from typing import Any

from gapless.core.nearest import nearest


class Parser(argparse.ArgumentParser):
    """Names the nearest command, task or choice in the message about one that does not exist."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = nearest(value, map(str, action.choices or ()))
            error.message = error.message.replace(" (choose from", f"{hint} (choose from", 1)
            raise
