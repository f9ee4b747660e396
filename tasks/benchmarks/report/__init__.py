"""Pages about many answers."""
