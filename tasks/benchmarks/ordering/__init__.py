"""Speed of best paths, found and proved."""
