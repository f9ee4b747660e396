"""Exact decoding of trees and forests: dominance, Viterbi, and the column generation of Belanger et al. 2012.

Build a `TreeProblem` and give it to `gapless.solve`; the certificate of every answer is a
`TreePotentialsCertificate`. `TreeMessages` and `TreeReducedCostOracle` are the roles of column generation.
"""
