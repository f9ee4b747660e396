"""The check of certificates: NumPy, and none of the code that made them."""
