"""Factors over the decisions of any problem: sets of them, kinds that are shipped, files, rows of linear models."""
