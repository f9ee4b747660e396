"""Certificates: evidence for bounds, and the code that verifies it without the search.

`certificate.py` holds the contract and the simple kinds; `tree_certificate.py` and `split_certificate.py` the
records of searches; the other files are the formulas that recompute a bound, with every rounding error added.
`certificate.py: Certificate.verify` is where a certificate is checked: it returns a `Verdict` (`verdict.py`), and
the formula of its class decides that forged evidence is refused. `Result.verify` compares value and bound with it.
A formula reads the problem and the evidence, and proves a valid bound for any numbers in the evidence.
"""
