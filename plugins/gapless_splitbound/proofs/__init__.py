"""The check of a split bound: a formula and two bounds on trees, none of it used by the solver."""
