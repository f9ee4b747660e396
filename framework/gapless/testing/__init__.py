"""Tools for testing problems, roles and methods: an enumerator, Hypothesis strategies, the conformance kit.

Public API. Every check raises `ConformanceError` (an `AssertionError`) that names role, rule and instance.
`gapless.testing.strategies` needs Hypothesis and must be imported explicitly; `gapless.testing.examples` and
`gapless.testing.example_pricing` contain one small problem with every role, to read and to copy.
"""

from gapless.testing.brancher import check_brancher
from gapless.testing.certificate import check_certificate
from gapless.testing.conformance import ConformanceError
from gapless.testing.enumeration import Feasible, SpaceTooLarge, enumerate_best, feasible_structures
from gapless.testing.factor import check_factor
from gapless.testing.feature_map import check_feature_map
from gapless.testing.generator import check_generator
from gapless.testing.method import check_method
from gapless.testing.oracle import check_maximiser, check_oracle
from gapless.testing.problem import check_problem
from gapless.testing.relaxation import check_relaxation
from gapless.testing.resource import check_resource
from gapless.testing.search import check_search

__all__ = [
    "ConformanceError",
    "Feasible",
    "SpaceTooLarge",
    "check_brancher",
    "check_certificate",
    "check_factor",
    "check_feature_map",
    "check_generator",
    "check_maximiser",
    "check_method",
    "check_oracle",
    "check_problem",
    "check_relaxation",
    "check_resource",
    "check_search",
    "enumerate_best",
    "feasible_structures",
]
