"""Parse, price and cut: the grandparent model of three languages, and the paper's tables beside ours."""
