"""Speed of grandparent trees, found and proved, beside linear programming and peers."""
