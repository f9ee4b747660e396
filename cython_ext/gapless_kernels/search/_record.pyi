"""The record of a search as arrays; `CompiledSearch.record` returns it."""
