"""The driver of the one search: problems in flat arrays, limits and observers, results and certificates."""
