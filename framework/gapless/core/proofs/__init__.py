"""Bounds for verifiers: formulas, certificates over any backbone, and rounding."""
