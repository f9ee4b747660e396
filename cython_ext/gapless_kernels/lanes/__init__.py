"""Instruction sets and number types: the headers that all rooms include."""
