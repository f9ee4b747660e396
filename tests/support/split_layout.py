"""Places and sizes of the multipliers of a split bound over trees, where pairs are grouped as they go best."""

import numpy as np

from gapless_pricecut.scopes import SPLIT, orient, penalty_of, possible


class SplitLayout:
    """`size`: number of multipliers. `scale`: divide by it what is in units of scores."""

    def __init__(self, problem, counted=()):
        arcs, ways, first = problem.decisions, [], 0
        skipped, scale = set(map(id, counted)), []
        scored_ones = [s for s in problem.conjunctions if s.scopes.size and id(s.factor) not in skipped]
        self.loss = penalty_of(problem, [(s.scopes, s.all_scores()) for s in scored_ones])[0]
        for scored in problem.conjunctions:
            scopes, scores, way = scored.scopes, scored.all_scores(), SPLIT
            if scopes.size and id(scored.factor) not in skipped:
                grouped = np.zeros(len(scopes), bool)
                if scopes.shape[1] == 2:
                    way, grouped = orient(scopes, possible(scopes, arcs), arcs)
                counts = np.where(grouped | (scores < 0), 1, scopes.shape[1])
                sizes = np.maximum(np.abs(np.maximum(scores, -self.loss)), 1e-300)
                scale.append(np.repeat(np.where(grouped, 1.0, sizes), counts))
                first += int(counts.sum())
            ways.append(way)
        prices = sum(scope.size for _, scope in problem.configurations)
        self.orientation, self.size = tuple(ways), first + prices
        self.scale = np.concatenate([*scale, np.ones(prices)])
