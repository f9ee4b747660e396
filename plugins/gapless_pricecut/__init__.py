"""Parse, price and cut: linear programs with delayed columns and rows, lazily scored (Riedel et al. 2012).

`method` holds the methods, `lagrangian` the search whose dual is that of these programs. `pricing_tables` lists the
parts that may become columns, `program` is the restricted linear program, `dual_completion` turns its prices into
bounds on all trees, `bound_state` keeps the best bound and tree. `generator` and `formulation` serve any master.
"""
