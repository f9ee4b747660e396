"""How fast grandparent trees are found and proved, next to linear programming, peers and what is to be reached."""
