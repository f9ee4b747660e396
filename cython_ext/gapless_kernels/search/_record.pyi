"""The record of a search as arrays; `Search.record` returns it."""
