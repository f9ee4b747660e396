"""Types of `gapless_kernels`; a test compares its names with those of ``_lazy.py``."""

from typing import Final

from gapless_kernels._choice import COMPILED as COMPILED
from gapless_kernels._status import DECIDED as DECIDED
from gapless_kernels._status import DOUBTFUL as DOUBTFUL
from gapless_kernels._status import INFEASIBLE as INFEASIBLE
from gapless_kernels._status import INVALID as INVALID
from gapless_kernels.arborescences._arborescence_twin import *
from gapless_kernels.chains._dominance_tables import DominanceTables as DominanceTables
from gapless_kernels.chains._dominance_twin import *
from gapless_kernels.chains._transition_tables import TransitionTables as TransitionTables
from gapless_kernels.chains._transition_tables import centring as centring
from gapless_kernels.chains._transition_tables import score_spread as score_spread
from gapless_kernels.chains._transition_tables import transition_tables as transition_tables
from gapless_kernels.chains._viterbi_twin import *
from gapless_kernels.column_generation._column_generation_twin import *
from gapless_kernels.features._arguments import feature_counts as feature_counts
from gapless_kernels.features._parse_features_twin import *
from gapless_kernels.graphs._bridges_twin import *
from gapless_kernels.graphs._edge_lines_twin import *
from gapless_kernels.graphs._graph_distances_arguments import GraphSearch as GraphSearch
from gapless_kernels.graphs._graph_distances_twin import *
from gapless_kernels.graphs._graph_searches_twin import *
from gapless_kernels.labels._label_arguments import LabelTables as LabelTables
from gapless_kernels.labels._label_arguments import RouteSearchResult as RouteSearchResult
from gapless_kernels.labels._label_arguments import UserState as UserState
from gapless_kernels.labels._labels_twin import *
from gapless_kernels.linking._arguments import LinkingRecord as LinkingRecord
from gapless_kernels.linking._arguments import LinkingSearchResult as LinkingSearchResult
from gapless_kernels.linking._arguments import whole_bits as whole_bits
from gapless_kernels.linking._linking_search_twin import *
from gapless_kernels.parsing._arc_sets_twin import *
from gapless_kernels.parsing._eisner_higher_twin import *
from gapless_kernels.parsing._eisner_twin import *
from gapless_kernels.paths._color_coding_twin import *
from gapless_kernels.paths._path_arguments import OpenWalks as OpenWalks
from gapless_kernels.paths._path_arguments import PathSearchResult as PathSearchResult
from gapless_kernels.paths._path_beam_twin import *
from gapless_kernels.paths._path_search_twin import *
from gapless_kernels.search._firing_twin import *
from gapless_kernels.search.foreign import *
from gapless_kernels.sparse_chains._beam_twin import *
from gapless_kernels.sparse_chains._k_best_twin import *
from gapless_kernels.sparse_chains._viterbi_pruned_twin import *
from gapless_kernels.trees._trees_twin import *

INSTRUCTION_SET: Final[str]

def get_include() -> str:
    """Return the folder of the C headers, for extensions that ``cimport`` from `gapless_kernels`."""
