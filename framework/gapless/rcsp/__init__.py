"""Resource-constrained shortest paths: a network, resources declared in Python, and compiled label setting.

Users declare a `Network` and resources (`resources.py`, `compiled_resource.py`); `LabelSetting` lays them out
in tables (`tables.py`, `automaton.py`, `fixed_point.py`) for the kernels of `gapless_kernels.labels` and
returns `Routes`. Names are imported on first use.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless.rcsp.compiled_resource import CompiledResource as CompiledResource
    from gapless.rcsp.label_setting import LabelSetting as LabelSetting
    from gapless.rcsp.network import Network as Network
    from gapless.rcsp.resources import Additive as Additive
    from gapless.rcsp.resources import DiagramResource as DiagramResource
    from gapless.rcsp.resources import RankOneCuts as RankOneCuts
    from gapless.rcsp.resources import Visits as Visits
    from gapless.rcsp.routes import Routes as Routes
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
