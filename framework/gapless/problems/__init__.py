"""The *Problem* role: decisions, the value of a structure, and the violations of an infeasible one.

`problem.py` is the contract; `backbone.py` the tractable part that the search hands to a maximiser;
`problem_batch.py` many problems in contiguous arrays; `names.py` readable names of structures.
"""
