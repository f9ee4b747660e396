"""Speed of resource-constrained shortest paths, beside other labellings."""
