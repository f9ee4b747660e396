"""Parse, price and cut: linear programs with delayed columns and rows, lazily scored (Riedel et al. 2012)."""
