"""Parts of a result: its status, and the effort of the solve."""
