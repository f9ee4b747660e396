"""Branch and bound for dependency parsing with non-local factors (Qian and Liu 2013)."""
