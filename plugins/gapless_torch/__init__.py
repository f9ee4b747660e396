"""Losses for models trained in PyTorch: the structured hinge, on the exact decoders (extra ``torch``).

``ChainHinge`` for label sequences, ``DependencyHinge`` for dependency trees, ``StructuredHinge`` for any
`gapless.Problem`. Each is the score that the best wrong structure reaches beyond the right one, a margin included.
"""

from gapless import MissingDependency

try:
    import torch  # noqa: F401
except ImportError as error:
    raise MissingDependency("gapless_torch needs PyTorch: pip install 'gapless[torch]'") from error

from gapless_torch.chain_hinge import ChainHinge
from gapless_torch.dependency_hinge import DependencyHinge
from gapless_torch.structured_hinge import StructuredHinge

__all__ = ["ChainHinge", "DependencyHinge", "StructuredHinge"]
