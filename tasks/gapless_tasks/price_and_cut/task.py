"""``gapless run price-and-cut``."""

from __future__ import annotations

from gapless_tasks.price_and_cut.job import PriceAndCutJob

TASK = PriceAndCutJob().task()
