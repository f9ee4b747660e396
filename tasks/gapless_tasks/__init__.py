"""Runnable jobs: data in, exact decoding, tables out. `gapless run --help` lists them."""

from gapless_tasks.moved import install

install()
