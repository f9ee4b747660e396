"""Decision diagrams: factors with a state, unrolled once into a layered graph.

A user writes the steps (`diagram_steps.py`); `diagram.py` derives the value and the best configuration from them.
`diagram_layout.py` checks the layers, `unrolling.py` runs the steps and merges equal states, `layered_graph.py`
defines the graph that the kernels pass over (decisions 035 and 042).
"""
