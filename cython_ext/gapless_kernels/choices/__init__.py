"""Choice groups, and decisions that come in alternatives, as maximisers of the search."""
