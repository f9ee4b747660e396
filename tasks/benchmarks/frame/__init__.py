"""The frame of all benchmarks: marks, turns, peers, and one report."""
