"""How fast trees are found and proved, next to the paper's variant, peers and what is to be reached."""
