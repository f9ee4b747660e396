"""The machine that something was measured on."""

from __future__ import annotations

import os
import platform

from gapless_kernels import INSTRUCTION_SET


def machine() -> dict[str, str | int | None]:
    """Processor, cores, and the instruction set that the kernels use, as JSON data."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "instruction_set": INSTRUCTION_SET,
    }
