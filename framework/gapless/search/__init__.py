"""The driver of the one search: a problem in flat arrays, limits and observers around the search, results and certificates."""
