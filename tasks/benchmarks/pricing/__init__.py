"""Rounds of column generation: fewer by smoothing, and what one costs."""
