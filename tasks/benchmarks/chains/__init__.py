"""``gapless run chain-benchmark``: how fast chains are decoded, next to strong baselines and the physical floor."""
