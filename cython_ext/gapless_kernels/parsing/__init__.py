"""Projective parses (Eisner's recursion, higher orders, marginals, the k best); candidate arcs and sets of them."""

from gapless_kernels._choice import COMPILED

if COMPILED:
    from gapless_kernels.parsing._arc_sets import (
        arc_chains,
        arcs_of_one_head,
        candidate_arcs,
        part_positions,
        part_scores,
    )
    from gapless_kernels.parsing._eisner import eisner, eisner_k_best, eisner_marginals, eisner_max_marginals
    from gapless_kernels.parsing._eisner_higher import (
        eisner_carreras,
        eisner_carreras_max_marginals,
        eisner_grand_sibling,
        eisner_grand_sibling_max_marginals,
        eisner_sibling,
        eisner_sibling_max_marginals,
    )
else:
    from gapless_kernels.parsing._arc_sets_twin import (
        arc_chains,
        arcs_of_one_head,
        candidate_arcs,
        part_positions,
        part_scores,
    )
    from gapless_kernels.parsing._eisner_higher_twin import (
        eisner_carreras,
        eisner_carreras_max_marginals,
        eisner_grand_sibling,
        eisner_grand_sibling_max_marginals,
        eisner_sibling,
        eisner_sibling_max_marginals,
    )
    from gapless_kernels.parsing._eisner_twin import eisner, eisner_k_best, eisner_marginals, eisner_max_marginals

__all__ = [
    "arc_chains",
    "arcs_of_one_head",
    "candidate_arcs",
    "eisner",
    "eisner_carreras",
    "eisner_carreras_max_marginals",
    "eisner_grand_sibling",
    "eisner_grand_sibling_max_marginals",
    "eisner_k_best",
    "eisner_marginals",
    "eisner_max_marginals",
    "eisner_sibling",
    "eisner_sibling_max_marginals",
    "part_positions",
    "part_scores",
]
