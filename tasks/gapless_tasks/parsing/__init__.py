"""The dependency parsing job: exact decoding, the tables and figures of the papers, drawn trees."""

from gapless_tasks.moved import names_of_model

__getattr__ = names_of_model(__name__)
