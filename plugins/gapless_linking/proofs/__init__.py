"""What certificates are checked by: NumPy, and none of the code that made them."""
