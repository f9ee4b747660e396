"""Projective parses: Eisner's recursion, its higher orders, marginals and the k best."""

from gapless_kernels._choice import COMPILED

if COMPILED:
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
]
