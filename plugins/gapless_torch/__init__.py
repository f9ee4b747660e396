"""Losses for models trained in PyTorch: the structured hinge, on the exact decoders (extra ``torch``).

`ChainHinge` for label sequences, `DependencyHinge` for dependency trees, `StructuredHinge` for any
`gapless.Problem`. Each is the score that the best wrong structure reaches beyond the right one, a margin included.
PyTorch is imported when a loss is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gapless import MissingDependency

if TYPE_CHECKING:
    from gapless_torch.chain_hinge import ChainHinge
    from gapless_torch.dependency_hinge import DependencyHinge
    from gapless_torch.structured_hinge import StructuredHinge

__all__ = ["ChainHinge", "DependencyHinge", "StructuredHinge"]

_MODULES = {
    "ChainHinge": "chain_hinge",
    "DependencyHinge": "dependency_hinge",
    "StructuredHinge": "structured_hinge",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import_module("torch")
    except ImportError as error:
        raise MissingDependency("gapless_torch needs PyTorch: pip install 'gapless[torch]'") from error
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
