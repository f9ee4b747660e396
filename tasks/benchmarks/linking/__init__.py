"""How fast links are found and proved, and the distances that they need."""
