"""The command ``gapless selftest``, which runs the campaigns of `gapless.testing` on the user's machine."""
