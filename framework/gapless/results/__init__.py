"""Results: structures, bounds and statuses of one solve or of many, and stored records.

`result.py` refuses contradictions when it is built; `batch_result.py` keeps arrays and builds a `Result` on
access; `record.py` is a stored problem with its result; `verification.py` checks answers for `verify=True`.
"""
