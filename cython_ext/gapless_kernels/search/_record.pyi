"""The record of a search as arrays; `Search.proof` returns it."""
