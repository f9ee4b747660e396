"""The *Oracle* role in its two kinds, and the views of the master that oracles receive.

A maximiser (`maximiser.py`) finds the best structure under any weights of the decisions; a generator
(`generator.py`) prices missing columns and separates missing rows, and sees the master through `views.py`.
`batch.py` defines columns and rows as arrays, `verifier_bounds.py` the bounds by which verifiers check a maximiser.
"""
