"""Exit codes of every command. Documented in docs/reference/cli.md."""

PROVED = 0
FAILED = 1
"""A certificate or a check did not hold."""
USAGE = 2
"""Bad arguments or bad input; argparse uses the same number."""
STOPPED_EARLY = 3
"""A limit stopped the solve, or the method leaves a gap; the answer is printed all the same."""
INFEASIBLE = 4
INTERRUPTED = 130
