"""The one search: Lagrangian branch and bound over a backbone and factors.

`plugin.py` registers it as ``split-bound`` for any problem, and `solving.py` turns a problem and a request into a
result. There, `layout.py` lays the problem out in flat arrays, `driver.py` runs the compiled search under limits,
`k_best.py` lists the k best, and `record.py` keeps the evidence. `reference_search.py` is the readable twin of the
compiled search, equal node by node; `split_bound.py`, `dual_descent.py` and `heuristic_weights.py` hold its
mathematics.
"""
