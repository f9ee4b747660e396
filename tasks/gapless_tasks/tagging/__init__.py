"""Tagging jobs: corpora, training, exact decoding with verification, the tables of the papers."""
