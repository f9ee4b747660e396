"""How fast the best paths are found and proved."""
