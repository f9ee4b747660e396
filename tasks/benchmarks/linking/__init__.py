"""Speed of entity links, found and proved, and of the distances that they need."""
