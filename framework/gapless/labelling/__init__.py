"""Resource-constrained shortest paths: a network, resources declared in Python, and a compiled labelling.

Every name is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless.labelling.compiled_resource import CompiledResource as CompiledResource
    from gapless.labelling.labelling import Labelling as Labelling
    from gapless.labelling.network import Network as Network
    from gapless.labelling.resources import Additive as Additive
    from gapless.labelling.resources import DiagramResource as DiagramResource
    from gapless.labelling.resources import RankOne as RankOne
    from gapless.labelling.resources import Visits as Visits
    from gapless.labelling.routes import Routes as Routes
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "gapless.labelling.compiled_resource": "CompiledResource",
            "gapless.labelling.labelling": "Labelling",
            "gapless.labelling.network": "Network",
            "gapless.labelling.resources": "Additive DiagramResource RankOne Visits",
            "gapless.labelling.routes": "Routes",
        },
    )
