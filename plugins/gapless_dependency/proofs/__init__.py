"""Bounds on trees in code of their own: what certificates are verified with."""
