"""Losses for models trained in PyTorch: the structured hinge, on the exact decoders (extra ``torch``).

`ChainHinge` for label sequences, `DependencyHinge` for dependency trees, `StructuredHinge` for any
`gapless.Problem`. Each is the largest excess of a structure's score and margin over the score of the right one.
PyTorch is imported when a loss is first used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_torch.chain_hinge import ChainHinge as ChainHinge
    from gapless_torch.dependency_hinge import DependencyHinge as DependencyHinge
    from gapless_torch.structured_hinge import StructuredHinge as StructuredHinge
else:
    from gapless.lazy import lazy_names

    _get, __dir__, __all__ = lazy_names(__name__)

    def __getattr__(name):
        try:
            return _get(name)
        except ImportError as error:
            from gapless import MissingDependency  # noqa: PLC0415  where it is missing

            if error.name != "torch":
                raise
            raise MissingDependency("gapless_torch needs PyTorch: pip install 'gapless[torch]'") from error
