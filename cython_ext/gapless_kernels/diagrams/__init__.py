"""Factors of the search that are layered graphs."""
