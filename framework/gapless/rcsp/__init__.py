"""Resource-constrained shortest paths: a network, resources declared in Python, and compiled label setting.

Users declare a `Network` and resources (`resources.py`, `compiled_resource.py`); `LabelSetting` lays them out
in tables (`tables.py`, `automaton.py`, `fixed_point.py`) for the kernels of `gapless_kernels.labels` and
returns `Routes`.
"""

from gapless.rcsp.compiled_resource import CompiledResource
from gapless.rcsp.label_setting import LabelSetting
from gapless.rcsp.network import Network
from gapless.rcsp.resources import Additive, DiagramResource, RankOneCuts, Visits
from gapless.rcsp.routes import Routes

__all__ = [
    "Additive",
    "CompiledResource",
    "DiagramResource",
    "LabelSetting",
    "Network",
    "RankOneCuts",
    "Routes",
    "Visits",
]
