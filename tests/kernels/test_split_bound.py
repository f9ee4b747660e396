"""The fused branch and bound against enumeration, and its proof record against the formula of the bound."""

import itertools
import os

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

if os.environ.get("GAPLESS_PURE") == "1":
    pytest.skip("the fused search has no NumPy twin; the role objects are its reference", allow_module_level=True)

from split_bound_search import PROVED, SplitBoundSearch

from gapless_kernels.lanes import _sets

INF = np.inf
ORDERS = ["best-first", "depth-first", "breadth-first"]


def is_tree(heads, projective, single_root):
    n = len(heads)
    if single_root and heads.count(0) != 1:
        return False
    for m in range(1, n + 1):
        seen, x = set(), m
        while x:
            if x in seen:
                return False
            seen.add(x)
            x = heads[x - 1]
    spans = [tuple(sorted((h, m + 1))) for m, h in enumerate(heads)]
    return not projective or not any(a < c < b < d for a, b in spans for c, d in spans)


TREES: dict[tuple[int, bool, bool], list[tuple[int, ...]]] = {}


def trees(n, projective, single_root):
    key = (n, projective, single_root)
    if key not in TREES:
        choices = itertools.product(range(n + 1), repeat=n)
        TREES[key] = [heads for heads in choices if is_tree(heads, projective, single_root)]
    return TREES[key]


def problem(rng, n):
    """Weights, blocks, heads and modifiers; ties, forbidden arcs, widths 1 to 4."""
    integral = rng.random() < 0.5

    def scores(*shape: int) -> np.ndarray:
        if integral:
            return rng.integers(-3, 4, shape).astype(float)
        return rng.normal(0, rng.choice([0.3, 1.0, 3.0]), shape)

    weights = scores(n + 1, n + 1)
    weights[rng.random((n + 1, n + 1)) < rng.choice([0.0, 0.3])] = -INF
    weights[:, 0] = -INF
    np.fill_diagonal(weights, -INF)
    modifiers, heads = np.nonzero(weights.T > -INF)
    index = np.full((n + 1, n + 1), -1)
    index[heads, modifiers] = np.arange(heads.size)
    arcs = range(heads.size)
    grand = [(index[g, heads[e]], e) for e in arcs if heads[e] for g in range(n + 1) if index[g, heads[e]] >= 0]
    pairs = [(a, b) for a in arcs for b in range(a) if heads[a] == heads[b]]
    blocks = [(pairs, 2), ([(g[1], g[0]) for g in grand] if rng.random() < 0.3 else grand, 2)]
    for width in (1, 2, 3, 4):
        if heads.size >= width and rng.random() < 0.5:
            drawn = [tuple(rng.permutation(heads.size)[:width]) for _ in range(rng.integers(1, 25))]
            blocks.append((drawn, width))
    kept = [
        (np.array(scopes, np.int64).reshape(-1, width), scores(len(scopes)))
        for scopes, width in blocks
        if rng.random() < 0.8
    ]
    return weights, kept, heads, modifiers, index


def best_value(case, projective, single_root):
    weights, blocks, heads, _, index = case
    best, n = -INF, len(weights) - 1
    for tree in trees(n, projective, single_root):
        ids = index[list(tree), np.arange(1, n + 1)]
        if ids.min() < 0:
            continue
        best = max(best, tree_value(weights, blocks, heads, tree, ids))
    return best


def tree_value(weights, blocks, heads, tree, ids):
    on = np.zeros(heads.size, bool)
    on[ids] = True
    value = float(weights[list(tree), np.arange(1, len(tree) + 1)].sum())
    return value + sum(float(scores @ on[scopes].all(axis=1)) for scopes, scores in blocks)


def search(case, **options):
    weights, blocks, heads, modifiers, _ = case
    # Sentences so small would all be enumerated and leave nothing to bound.
    return SplitBoundSearch(weights, blocks, heads, modifiers, **{"choices": 0, "lifted": True, **options})


def close(a, b):
    return a == b or abs(a - b) <= 1e-7 * max(1.0, abs(b))


def formula(case, possible, proof, at, family):
    """The bound that multipliers `at` prove of the trees of `family` whose arcs are possible, by enumeration."""
    weights, blocks, heads, modifiers, index = case
    n = len(weights) - 1
    multipliers, first = np.maximum(proof["multipliers"][at], 0.0), proof["multiplier_first"]
    w = weights[heads, modifiers].copy()
    constant, number = 0.0, 0
    groups = {}
    for b, (scopes, scores) in enumerate(blocks):
        width = scopes.shape[1]
        column_side = lower_arc_side(scopes, heads, modifiers) if width == 2 else 0
        for scope, score in zip(scopes, scores, strict=True):
            at_scope, number = first[number], number + 1
            if not possible[scope].all() or cannot_fire(scope, heads, modifiers):
                continue
            if proof["grouped"][number - 1]:
                lower, upper = scope[column_side], scope[1 - column_side]
                d = multipliers[at_scope]
                w[upper] += d
                groups.setdefault((b, lower, modifiers[upper]), {})[upper] = score - d
            elif score >= 0:
                p = multipliers[at_scope : at_scope + width]
                w[scope] += score * (p / p.sum() if p.any() else 1.0 / width)
            else:
                t = min(multipliers[at_scope], 1.0)
                w[scope] += score * t
                if proof["lifted"] and width == 2:
                    w[lifted(scope, heads, modifiers, proof)] += score * t
                constant -= score * t * (width - 1)
    for (_, lower, word), offers in groups.items():
        rivals = [u for u in np.flatnonzero(possible & (modifiers == word)) if heads[u] != modifiers[lower]]
        rivals = [u for u in rivals if not (modifiers[u] == modifiers[lower] and u != lower)]
        w[lower] += max((offers.get(u, 0.0) for u in rivals), default=-INF)
    best = -INF
    for tree in family:
        ids = index[list(tree), np.arange(1, n + 1)]
        if ids.min() >= 0 and possible[ids].all():
            best = max(best, float(w[ids].sum()) + constant)
    return best


def lifted(scope, heads, modifiers, family):
    """Arcs into the word of the first that the second excludes, and those into its word that all these exclude."""

    def apart(e: int, f: int) -> bool:
        (a, b), (c, d) = sorted((heads[e], modifiers[e])), sorted((heads[f], modifiers[f]))
        roots = family["single_root"] and heads[e] == heads[f] == 0
        facing = heads[e] == modifiers[f] and heads[f] == modifiers[e]
        crossing = family["projective"] and (a < c < b < d or c < a < d < b)
        return bool(roots or facing or crossing)

    e, f = scope
    first = [int(x) for x in np.flatnonzero(modifiers == modifiers[e]) if x != e and apart(x, f)]
    beside = [e, *first]
    second = [
        int(y) for y in np.flatnonzero(modifiers == modifiers[f]) if y != f and all(apart(y, x) for x in beside)
    ]
    return first + second


def cannot_fire(scope, heads, modifiers):
    """Two arcs into one word, or two that face each other: such a scope is worth nothing."""
    return any(
        modifiers[a] == modifiers[b] or (heads[a], modifiers[a]) == (modifiers[b], heads[b])
        for a, b in itertools.combinations(scope, 2)
    )


def lower_arc_side(scopes, heads, modifiers):
    """The lower one of the two arcs: the side that makes fewer groups."""
    counts = []
    for side in (0, 1):
        fires = [s for s in scopes if not cannot_fire(s, heads, modifiers)]
        counts.append(len({(s[side], modifiers[s[1 - side]]) for s in fires}))
    return int(counts[1] <= counts[0])


def dense(case, found):
    """The record, with a table of all multipliers, of which `formula` reads rows; charges as parts of scores."""
    record, blocks = found.record(), case[1]
    widths = np.concatenate([np.full(len(scores), scopes.shape[1]) for scopes, scores in blocks] or [[]]).astype(
        int
    )
    scores = np.concatenate([scores for _, scores in blocks] or [[]])
    grouped, first = np.array(found.grouped(), bool), np.concatenate([[0], np.cumsum(widths)])
    table = np.tile(np.repeat(widths == 1, widths).astype(float), (len(record["row_first"]) - 1, 1))
    for row, part in enumerate(itertools.pairwise(record["row_first"])):
        at, values = record["scopes"][slice(*part)], record["values"][slice(*part)]
        charges = ~grouped[at] & (scores[at] < 0)
        sizes = np.where(charges, scores[at], 1.0)
        table[row, first[at] + record["places"][slice(*part)]] = values / sizes
    return {**record, "multipliers": table, "multiplier_first": first, "grouped": grouped}


def check_proof(case, found, projective, single_root):
    """Every fixing and every leaf of the record holds by the formula."""
    weights, _, heads, modifiers, _ = case
    family = trees(len(weights) - 1, projective, single_root)
    kind = {"projective": projective, "single_root": single_root}
    proof, limit = {**dense(case, found), **kind}, found.bound + 1e-7 * max(1.0, abs(found.bound))
    fixings = []
    children = {int(p) for p in proof["parent"]}
    for node in range(len(proof["parent"])):
        possible = np.ones(heads.size, bool) if node == 0 else fixings[proof["parent"][node]].copy()
        if node:
            arc = proof["decision"][node]
            if proof["on"][node]:
                possible &= (modifiers != modifiers[arc]) | (np.arange(heads.size) == arc)
            else:
                possible[arc] = False
        for step in np.flatnonzero(proof["step_node"] == node):
            off = proof["off"][proof["step_first"][step] : proof["step_first"][step + 1]]
            for arc in off:
                forced = possible & ((modifiers != modifiers[arc]) | (np.arange(heads.size) == arc))
                mine = [t for t in family if t[modifiers[arc] - 1] == heads[arc]]
                assert formula(case, forced, proof, proof["step_multipliers"][step], mine) <= limit
            possible[off] = False
        fixings.append(possible)
        if node in children:
            continue
        at = proof["multipliers_at"][node]
        if at >= 0:
            assert formula(case, possible, proof, at, family) <= limit
        else:
            words = np.arange(1, len(weights))
            left = [
                t for t in family if case[4][list(t), words].min() >= 0 and possible[case[4][list(t), words]].all()
            ]
            if at == -2:
                assert all(tree_value(*case[:3], t, case[4][list(t), words]) <= limit for t in left)
                continue
            assert not left or formula(case, possible, proof, 0, left) == -INF


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize(
    ("variant", "choices"), [("default", 0), ("default", 30), ("default", 16384), ("paper", 0)]
)
@examples(50)
@given(rng=generators())
def test_optima_are_enumeration_and_every_line_of_the_proof_holds(rng, projective, variant, choices):
    case, single_root = problem(rng, int(rng.integers(1, 6))), bool(rng.integers(2))
    order = "breadth-first" if variant == "paper" else ORDERS[rng.integers(3)]
    options = {"variant": variant, "choices": choices, "order": order}
    found = search(case, projective=projective, single_root=single_root, **options)
    assert found.advance() == PROVED
    best = best_value(case, projective, single_root)
    assert close(found.value, best)
    assert close(found.bound, best)
    assert found.infeasible == (best == -INF)
    if best > -INF:
        weights, blocks, heads, _, index = case
        tree = tuple(int(h) for h in found.heads[1:])
        assert is_tree(tree, projective, single_root)
        ids = index[list(tree), np.arange(1, len(tree) + 1)]
        assert close(tree_value(weights, blocks, heads, tree, ids), best)
    if len(case[0]) < 6:
        check_proof(case, found, projective, single_root)


@pytest.mark.parametrize("projective", [True, False])
def test_instruction_sets_take_the_same_steps(projective):
    found = {}
    before = _sets.choose_instruction_set("plain")
    for name in _sets.instruction_sets():
        _sets.choose_instruction_set(name)
        rng = np.random.default_rng(11)
        searches = [search(problem(rng, 12), projective=projective, single_root=True) for _ in range(6)]
        for one in searches:
            one.advance(nodes=30)
        found[name] = [(s.value, s.bound, s.dp_calls, s.nodes, s.fixed, s.heads.tolist()) for s in searches]
    _sets.choose_instruction_set(before)
    assert any(nodes > 1 for _, _, _, nodes, _, _ in found["plain"])
    assert all(answers == found["plain"] for answers in found.values())


@given(rng=generators())
def test_granularity_and_a_given_tree(rng):
    weights, _, heads, modifiers, index = problem(rng, 4)
    whole = np.where(weights > -INF, np.round(weights), -INF)
    case = (whole, [], heads, modifiers, index)
    pairs = np.array([(a, b) for a in range(heads.size) for b in range(a) if heads[a] == heads[b]], np.int64)
    case = (
        whole,
        [(pairs.reshape(-1, 2), rng.integers(-2, 3, len(pairs)).astype(float))],
        heads,
        modifiers,
        index,
    )
    found = search(case, projective=True, single_root=False, granularity=1.0)
    assert found.advance() == PROVED
    assert close(found.value, best_value(case, True, False))
    if not found.infeasible:
        again = search(case, projective=True, single_root=False, incumbent_heads=found.heads)
        assert again.value == found.value
        assert again.advance() == PROVED
        assert close(again.value, found.value)


@given(rng=generators())
def test_a_proof_that_grows_too_large_is_dropped(rng):
    case = problem(rng, 5)
    found = search(case, projective=True, single_root=True, proof_limit=0.0)
    assert found.advance() == PROVED
    assert close(found.value, best_value(case, True, True))
    if found.proof_dropped:
        proof = {**dense(case, found), "projective": True, "single_root": True}
        assert proof["parent"].tolist() == [-1]
        row = proof["multipliers_at"][0]
        if row >= 0 and not proof["step_node"].size:
            family = trees(5, True, True)
            bound = formula(case, np.ones(len(case[2]), bool), proof, row, family)
            assert bound >= found.value - 1e-9


def test_memory_is_bounded_and_the_answer_stays():
    """Without room, nodes share multipliers and the search goes deep; tracked bytes stay below a few copies."""
    rng = np.random.default_rng(11)
    turned = 0
    for variant, order in [*(("default", order) for order in ORDERS), ("paper", "breadth-first")]:
        for keep_proof in (True, False):
            for limit in (0.0, 3e4):
                case = problem(rng, 5)
                while sum(len(scores) for _, scores in case[1]) < 100:
                    case = problem(rng, 5)
                options = {"variant": variant, "order": order, "keep_proof": keep_proof, "memory_limit": limit}
                found = search(case, projective=False, single_root=True, **options)
                slots = sum(scopes.size for scopes, _ in case[1]) + len(case[2]) ** 2
                arcs = len(case[2])
                most, nodes = 0.0, 1
                while found.advance(nodes=nodes) != PROVED:
                    nodes += 1
                    most = max(most, found.memory)
                assert close(found.value, best_value(case, False, True))
                assert most <= limit + 12 * 8 * slots + (2 * arcs + 40) * 2 * (72 + arcs)
                turned += found.order != order
    assert turned


@given(rng=generators())
def test_multipliers_that_nothing_refers_to_are_freed(rng):
    case = problem(rng, 5)
    found = search(case, projective=False, single_root=True)
    assert found.advance() == PROVED
    proof = dense(case, found)
    used = {*proof["multipliers_at"].tolist(), *proof["step_multipliers"].tolist()} - {-1, -2}
    # The root's are kept, for when the proof outgrows its memory.
    assert len(set(range(len(proof["multipliers"]))) - used) <= 1


def test_a_long_search_stays_within_its_memory():
    """Dense noise, of which nothing is proved soon: multipliers of open nodes would grow without end."""
    rng = np.random.default_rng(13)
    n = 12
    weights = rng.normal(size=(n + 1, n + 1))
    modifiers, heads = np.nonzero(~np.eye(n + 1, dtype=bool)[1:])
    modifiers += 1
    pairs = np.array([(a, b) for a in range(heads.size) for b in range(a) if modifiers[a] != modifiers[b]])
    case = weights, [(pairs, rng.normal(size=len(pairs)))], heads, modifiers, None
    for keep_proof in (True, False):
        limit = 2e6
        found = search(case, projective=False, single_root=True, keep_proof=keep_proof, memory_limit=limit)
        for nodes in range(10, 310, 10):
            found.advance(nodes=nodes)
            assert found.memory <= limit + 8 * 8 * 2 * len(pairs)
        assert found.proof_dropped == keep_proof


WEIGHTS = np.array([[-INF, 1.0, 2.0], [-INF, -INF, 1.0], [-INF, 0.0, -INF]])
ARCS = (np.array([0, 2, 0, 1]), np.array([1, 1, 2, 2]))
PAIR = np.array([[0, 3]])


@pytest.mark.parametrize(
    ("weights", "blocks", "arcs", "options", "message"),
    [
        (WEIGHTS[:2], [], ARCS, {}, "weights must have shape"),
        (WEIGHTS, [], (ARCS[0], ARCS[1][:3]), {}, "heads holds 4 arcs, modifiers 3"),
        (WEIGHTS, [], (np.array([0]), np.array([0])), {}, "arc 0 is 0 -> 0"),
        (WEIGHTS, [], (np.array([1]), np.array([1])), {}, "arc 0 is 1 -> 1"),
        (WEIGHTS, [], (np.array([0, 0]), np.array([1, 1])), {}, "an arc is listed twice"),
        (np.where(WEIGHTS == 2.0, np.nan, WEIGHTS), [], ARCS, {}, r"weights\[0, 2\] is nan"),
        (np.where(WEIGHTS == 2.0, INF, WEIGHTS), [], ARCS, {}, r"weights\[0, 2\] is inf"),
        (WEIGHTS, [(PAIR, np.ones(2))], ARCS, {}, r"block 0: scores must have shape \(1,\)"),
        (WEIGHTS, [(np.array([[0, 4]]), np.ones(1))], ARCS, {}, r"block 0: scopes must name decisions in 0..3"),
        (WEIGHTS, [(np.array([[1, 1]]), np.ones(1))], ARCS, {}, "block 0: a scope holds one decision twice"),
        (WEIGHTS, [(PAIR, np.array([np.nan]))], ARCS, {}, r"block 0: scores\[0\] is nan"),
        (WEIGHTS, [(np.zeros((1, 0), int), np.ones(1))], ARCS, {}, "block 0: scopes must have shape"),
        (WEIGHTS, [], ARCS, {"variant": "fast"}, "variant must be one of default, paper"),
        (WEIGHTS, [], ARCS, {"order": "random"}, "order must be one of"),
        (WEIGHTS, [], ARCS, {"choices": 16385}, "choices must be in 0..16384"),
        (WEIGHTS, [], ARCS, {"granularity": -1.0}, "granularity must be a number >= 0"),
        (WEIGHTS, [], ARCS, {"incumbent_heads": np.array([-1, 0])}, "incumbent_heads must have shape"),
        (WEIGHTS, [], ARCS, {"incumbent_heads": np.array([-1, 3, 0])}, r"incumbent_heads\[1\] is 3"),
    ],
)
def test_wrong_arguments_are_named(weights, blocks, arcs, options, message):
    with pytest.raises(ValueError, match=message):
        SplitBoundSearch(weights, blocks, *arcs, projective=True, single_root=True, **options)
