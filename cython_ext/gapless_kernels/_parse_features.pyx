# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Compiled kernels; being written."""
