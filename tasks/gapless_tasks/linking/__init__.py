"""Entity linking by graph distance: heuristics and proved optima compared, and the optimum with a prior."""
