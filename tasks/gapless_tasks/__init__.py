"""Runnable jobs: data in, exact decoding, tables out. `gapless run --help` lists them."""
