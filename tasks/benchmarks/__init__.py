"""Speeds beside peers and targets. Run from a clone: ``python -m benchmarks``."""
