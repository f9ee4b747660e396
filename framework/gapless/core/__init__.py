"""Values and roles: problems, answers, and the contracts between the parts of a solver.

Nothing here knows an algorithm. The four roles are in `problem.py`, `relaxation.py`, `oracle.py` and `brancher.py`,
the user's answers in `result.py` and `certificate.py`.
"""
