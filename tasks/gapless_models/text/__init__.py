"""Own text: sentences from lines or CoNLL-U, tagged and parsed exactly by models that are one file."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_models.text.embedded import embedded_parser as embedded_parser
    from gapless_models.text.embedded import embedded_tagger as embedded_tagger
    from gapless_models.text.reader import read_text as read_text
    from gapless_models.text.reader import tokenise as tokenise
    from gapless_models.text.sentence import TextSentence as TextSentence
    from gapless_models.text.text_parser import TextParser as TextParser
    from gapless_models.text.training import train_parser as train_parser
    from gapless_models.text.training import train_tagger as train_tagger
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
