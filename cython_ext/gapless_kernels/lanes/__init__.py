"""Instruction sets and number types: the headers that all subpackages include."""
