"""Limits of a call: time, nodes and gaps, the budget of a solve, events, and the work limit of verification.

A caller passes `Limits`; every loop checks the `SolveBudget` made of them. `events.py` defines what observers
receive. `work.py` counts the steps of verification, so that a stored certificate cannot take for ever to check.
"""
