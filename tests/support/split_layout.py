"""Places and sizes of the multipliers of a split bound over trees, where pairs are grouped as they go best."""

import numpy as np

from gapless_pricecut.pricing_tables import SPLIT, orient, penalty_of, possible


class SplitLayout:
    """`size`: number of multipliers. `scale`: divide by it what is in units of scores; charges are negative there.

    `places`: where each stands among one place for each decision of each scope, and then the prices.
    """

    def __init__(self, problem, counted=()):
        arcs, ways, first = problem.decisions, [], 0
        skipped, scale, signs, places, widths = set(map(id, counted)), [], [], [], 0
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
                signs.append(np.repeat(np.where(~grouped & (scores < 0), -1.0, 1.0), counts))
                within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
                places.append(widths + scopes.shape[1] * np.repeat(np.arange(len(scopes)), counts) + within)
                first, widths = first + int(counts.sum()), widths + scopes.size
            ways.append(way)
        prices = sum(scope.size for _, scope in problem.configurations)
        self.orientation, self.size = tuple(ways), first + prices
        self.scale = np.concatenate([*scale, np.ones(prices)])
        self.signs = np.concatenate([*signs, np.ones(prices)])
        self.places = np.concatenate([*places, widths + np.arange(prices)]).astype(np.int64)
