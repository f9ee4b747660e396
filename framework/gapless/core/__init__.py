"""Values and roles: what a problem is, what an answer is, and what the parts of a solver owe each other.

Nothing here knows an algorithm. Read `problem.py`, `relaxation.py`, `oracle.py` and `brancher.py` for the four
roles, `result.py` and `certificate.py` for what a user receives.
"""
