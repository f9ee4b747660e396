"""spaCy components that tag, parse, link and decode exactly, and keep the proofs: ``doc._.gapless``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_spacy.proofs import Proof as Proof
    from gapless_spacy.proofs import Proofs as Proofs
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
