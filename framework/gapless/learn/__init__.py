"""Learning of linear models over any problem type: a trainer needs only a feature map and a solver.

Write a `FeatureMap`, choose a trainer (`StructuredPerceptron`, `StructuredSVM`, `SampleRank`) and call its `fit`.
"""

from gapless.learn.archive import DamagedFile, read_archive, write_archive
from gapless.learn.blocks import Blocks, FeatureVector
from gapless.learn.feature_map import FeatureMap
from gapless.learn.perceptron import StructuredPerceptron
from gapless.learn.progress import EpochReport, Progress
from gapless.learn.samplerank import Proposal, SampleRank, change_one
from gapless.learn.solvers import best_structure, margin_violation
from gapless.learn.svm import MarginOracle, StructuredSVM
from gapless.learn.trainer import Step, Trainer, TrainingResult
from gapless.learn.training_weights import TrainingWeights
from gapless.learn.weights import Weights

__all__ = [
    "Blocks",
    "DamagedFile",
    "EpochReport",
    "FeatureMap",
    "FeatureVector",
    "MarginOracle",
    "Progress",
    "Proposal",
    "SampleRank",
    "Step",
    "StructuredPerceptron",
    "StructuredSVM",
    "Trainer",
    "TrainingResult",
    "TrainingWeights",
    "Weights",
    "best_structure",
    "change_one",
    "margin_violation",
    "read_archive",
    "write_archive",
]
