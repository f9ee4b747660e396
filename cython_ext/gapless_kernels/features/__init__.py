"""Hashed features of the parts of a parse."""

from gapless_kernels._choice import COMPILED

if COMPILED:
    from gapless_kernels.features._parse_features import feature_counts, part_features, score_parts
else:
    from gapless_kernels.features._parse_features_twin import feature_counts, part_features, score_parts

__all__ = ["feature_counts", "part_features", "score_parts"]
