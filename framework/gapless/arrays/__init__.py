"""Arrays and their checks: sparse rows, input arrays, tolerances, and values as JSON.

`array_input.py` and `score_array.py` turn what a caller passes into checked, read-only copies; `sparse.py` holds
rows of ids; `tolerance.py` and `round_up.py` say how much float64 sums may be off; `serial.py` stores and reads
every class that is marked `serialisable`. Nothing here knows a problem.
"""
