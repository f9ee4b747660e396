"""``python -m benchmarks chains``: how fast chains are decoded, next to strong baselines and the physical floor."""
