"""Decisions, the 0/1 variables that every structure assigns, and what restricts them.

`decisions.py` holds `Decisions` with their choice groups, and `Fixings`, the state of a node of the search tree;
`branch_row.py` and `branch.py` the rows and children that branching makes; `linear_model.py` a mixed-integer
program over decisions, for export and for independent checks.
"""
