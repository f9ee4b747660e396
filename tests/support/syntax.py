"""Syntax trees of source files, parsed once, and the names in them."""

import ast
from functools import cache


@cache
def parsed(path):
    """Parse a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def dotted(node):
    """Spell a name such as ``np.load``; of ``f().load`` it is ``.load``, and of a number nothing."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return ".".join([getattr(node, "id", ""), *parts])
