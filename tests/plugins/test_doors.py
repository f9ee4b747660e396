"""Wrong input at every public door: a named error before anything is solved, never a plain one from inside."""

import contextlib
import inspect

import numpy as np
import pytest

import gapless as gl
from gapless import factors
from gapless.plugins import load_plugins
from gapless.roles import Conjunctions, DecisionDiagram, Decisions, Factor, Fixings, GroupMaximiser, StructureFactor
from gapless_chains import ChainProblem, Segments, TreeProblem
from gapless_dependency import LabelledParsingProblem, ParsingProblem
from gapless_linking import Graph, LinkingProblem
from gapless_ordering import OrderingProblem

WRONG = {
    "number": 3,
    "none": None,
    "text": "x",
    "bytes": b"x",
    "dictionary": {},
    "empty": [],
    "object": object(),
    "class": int,
    "nan": float("nan"),
    "truth": True,
    "fraction": 1.5,
    "negative": -1,
    "list": [1],
    "tuple": (1,),
    "rows": [[1]],
    "texts": ["x"],
    "nones": [None],
    "nans": [float("nan")],
    "large": 2**70,
    "larges": [2**70],
    "array": np.zeros(3),
    "unsigned": np.array([2**63], np.uint64),
}
UNARY, PAIRS = [[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]]
APART = np.ones((4, 4)) - np.eye(4)
SETS = [[0, 1], [2, 3]]


def chain(*given):
    return ChainProblem(UNARY, PAIRS, factors=given)


class WithoutWeights(gl.Problem):
    """Its backbone is a maximiser alone."""

    decisions = Decisions(2)

    def value(self, structure):
        return 0.0

    def violations(self, structure):
        return []

    def encode(self, structure):
        return np.array(structure, np.int64)

    def decode(self, ids):
        return tuple(ids.tolist())

    def backbone(self):
        return GroupMaximiser(self.decisions)


def ordering(**fields):
    return OrderingProblem(
        **{"start": np.zeros(3), "ordering": np.zeros((3, 3)), "end": np.zeros(3), "length": 2, **fields}
    )


def linking(**fields):
    return LinkingProblem.from_distances(**{"distances": APART, "candidates": SETS, **fields})


PROBLEMS = {
    "chain": chain(),
    "tree": TreeProblem(UNARY, PAIRS, [-1, 0]),
    "parse": ParsingProblem(np.random.default_rng(0).normal(size=(4, 4))),
    "labelled": LabelledParsingProblem(np.random.default_rng(0).normal(size=(3, 3, 2))),
    "path": ordering(),
    "links": linking(),
}


def searched(factor):
    return gl.solve(chain(factor), "split-bound")


GRAPH = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
CONSTRUCTORS = {
    **{f"chain {f}": lambda v, f=f: ChainProblem(**{"unary": UNARY, "transition": PAIRS, f: v})
       for f in ("unary", "transition", "initial", "final", "labels", "factors")},
    **{f"tree {f}": lambda v, f=f: TreeProblem(**{"unary": UNARY, "transition": PAIRS, "parents": [-1, 0], f: v})
       for f in ("unary", "transition", "parents", "labels", "factors")},
    **{f"parse {f}": lambda v, f=f: ParsingProblem(**{"arc_scores": np.zeros((4, 4)), f: v})
       for f in ("arc_scores", "factors", "projective", "single_root", "words", "granularity")},
    **{f"labelled {f}": lambda v, f=f: LabelledParsingProblem(**{"arc_scores": np.zeros((3, 3, 2)), f: v})
       for f in ("arc_scores", "factors", "arc_factors", "labels", "words", "projective")},
    **{f"path {f}": lambda v, f=f: ordering(**{f: v})
       for f in ("start", "ordering", "end", "length", "classes", "names", "auxiliary", "factors")},
    **{f"links {f}": lambda v, f=f: linking(**{f: v})
       for f in ("distances", "candidates", "anchors", "prior", "prior_weight", "mentions", "names", "factors")},
    **{f"links of a graph {f}": lambda v, f=f: LinkingProblem(**{"graph": GRAPH, "candidates": SETS, f: v})
       for f in ("graph", "candidates", "anchors", "prior", "connection")},
    "edges": Graph.from_edges,
    "an edge": lambda v: Graph.from_edges([[v, 1]] if np.ndim(v) == 0 else np.array([[*np.ravel(v)[:1], 1]])),
    "weights of edges": lambda v: Graph.from_edges([[0, 1], [1, 2]], weights=v),
    "count of decisions": Decisions,
    **{f"decisions {f}": lambda v, f=f: Decisions(3, **{f: v}).choice_groups()
       for f in ("exactly_one", "quantity", "threshold")},
    "names of decisions": lambda v: Decisions(3, name=v).name(0) if v is not int else None,
    "segments": lambda v: (Segments(v, 2), Segments(2, v)),
    "many chains": lambda v: ChainProblem.many(v, PAIRS),
    "many trees": lambda v: TreeProblem.many(v, PAIRS, v),
    "record": lambda v: gl.Record(chain(), gl.solve(chain()), words=v),
    "problem of a verdict": lambda v: gl.solve(chain()).verify(v),
    "fixings": Fixings,
}  # fmt: skip
FACTORS = {
    "sets": lambda v: Conjunctions(v, [1.0]),
    "scores of sets": lambda v: Conjunctions([[0, 2]], v),
    "scope of a structure": lambda v: StructureFactor(GroupMaximiser(Decisions(2)), v),
    "weights of a structure": lambda v: StructureFactor(GroupMaximiser(Decisions(2)), [0, 1], v),
    "maximiser of a structure": lambda v: StructureFactor(v, [0, 1]),
    "at most one": factors.AtMostOne,
    "at least one": factors.AtLeastOne,
    "or": lambda v: factors.Or(v, 1.0),
    "score of or": lambda v: factors.Or([0, 1], v),
    "budget": lambda v: factors.Budget(v, [1, 1], 1),
    "weights of a budget": lambda v: factors.Budget([0, 1], v, 1),
    "most of a budget": lambda v: factors.Budget([0, 1], [1, 1], v),
    "penalty of a budget": lambda v: factors.Budget([0, 1], [1, 1], 1, v),
    "cardinality": lambda v: factors.Cardinality(v, [0, 1]),
    "scores of a cardinality": lambda v: factors.Cardinality([0], v),
    "at most": lambda v: factors.Cardinality.at_most([0, 1], v),
    "at least": lambda v: factors.Cardinality.at_least([0, 1], v),
    "exactly": lambda v: factors.Cardinality.exactly([0, 1], v),
    "table": lambda v: factors.Table(v, [1.0, 2.0]),
    "scores of a table": lambda v: factors.Table([[0, 1]], v),
    "automaton": factors.Automaton,
    "scores of an automaton": lambda v: factors.Automaton([[0, 0], [0, 0]], v),
    "start of an automaton": lambda v: factors.Automaton([[0, 0], [0, 0]], start=v),
    "groups of an automaton": lambda v: factors.Automaton([[0, 0], [0, 0]], groups=v),
    "precedence": lambda v: factors.Precedence(v, 1, 1.0),
    "second of a precedence": lambda v: factors.Precedence(0, v, 1.0),
    "score of a precedence": lambda v: factors.Precedence(0, 1, v),
    "label of segments": lambda v: factors.SegmentLengths(v, [1.0, 2.0]),
    "scores of segments": lambda v: factors.SegmentLengths(0, v),
}
DOORS = {
    "problem": gl.solve,
    "problems": gl.solve_many,
    "one of problems": lambda v: gl.solve_many([v]),
    "another of problems": lambda v: gl.solve_many([chain(), v]),
    "stream": lambda v: list(gl.solve_stream(v)),
    "one of a stream": lambda v: list(gl.solve_stream([v])),
    **{f"solve {f}": lambda v, f=f: gl.solve(chain(), **{f: v})
       for f in ("method", "limits", "k", "start", "observers", "seed", "trace", "verify")},
    **{f"solve_many {f}": lambda v, f=f: gl.solve_many([chain()], **{f: v})
       for f in ("method", "limits", "k", "seed", "chunk_size", "verify")},
    "solve_many jobs": lambda v: v if isinstance(v, int) else gl.solve_many([chain()], jobs=v),
    **{f"solve_stream {f}": lambda v, f=f: list(gl.solve_stream([chain()], **{f: v}))
       for f in ("method", "limits", "k", "seed", "chunk_size", "verify")},
    **{f"limits {f}": lambda v, f=f: gl.solve(chain(), limits=gl.Limits(**{f: v}))
       for f in ("time", "nodes", "relative_gap", "iterations", "target")},
}  # fmt: skip
STARTS = {
    f"start of {name} by {method}": lambda v, p=problem, m=method: gl.solve(p, m, start=v)
    for name, problem in PROBLEMS.items()
    for method in (None, "split-bound")
}
OPTIONS = {
    f"{name}, {method.name}, {option}": lambda v, p=problem, m=method.name, o=option: gl.solve(
        p, m, limits=gl.Limits(nodes=1, iterations=50), **{o: v}
    )
    for name, problem in PROBLEMS.items()
    for method in load_plugins().registry.methods_for(type(problem)).values()
    for option in method.options
}


def refuses_or_takes(door):
    """Call a door with every wrong value: it takes it, or raises an error of gapless."""
    for name, value in WRONG.items():
        try:
            with contextlib.suppress(gl.GaplessError):
                door(value)
        except Exception as error:
            pytest.fail(f"{name} ends in {type(error).__name__}: {error}")


@pytest.mark.parametrize("name", DOORS)
def test_doors_refuse_wrong_input(name):
    refuses_or_takes(DOORS[name])


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_constructors_refuse_wrong_input(name):
    refuses_or_takes(CONSTRUCTORS[name])


@pytest.mark.parametrize("name", FACTORS)
def test_factors_refuse_wrong_input(name):
    refuses_or_takes(lambda value: searched(FACTORS[name](value)))


@pytest.mark.parametrize("name", STARTS)
def test_starts_of_a_wrong_form_are_refused(name):
    refuses_or_takes(STARTS[name])


@pytest.mark.parametrize("name", OPTIONS)
def test_options_of_a_wrong_type_are_refused(name):
    refuses_or_takes(OPTIONS[name])


SAID = {
    "labels": (lambda: ChainProblem(UNARY, PAIRS, labels=3), r"labels is 3, expected a sequence"),
    "mentions": (lambda: linking(mentions="ab"), r"mentions is one string; give a list of names"),
    "prior": (lambda: linking(prior=3), r"prior is 3, expected a sequence"),
    "decisions": (lambda: Decisions([1]), r"Decisions: count is \[1\], expected the number of decisions"),
    "groups": (
        lambda: Decisions(2, exactly_one=[[0], [2]]).group_index(),
        r"exactly_one\[1\] is \[2\], .* below 2",
    ),
    "ranges": (
        lambda: Decisions(2, exactly_one=[range(3)]).choice_groups_csr(),
        r"exactly_one\[0\] is range\(0, 3\)",
    ),
    "negative": (lambda: Decisions(2, quantity=[0, -1]), r"quantity -1 is negative"),
    "method": (lambda: gl.solve(chain(), [1]), r"method is \[1\], expected the name of a method"),
    "order": (lambda: gl.solve(chain(), "split-bound", order=np.zeros(3)), r"order is array.*, expected str"),
    "unknown order": (lambda: gl.solve(chain(), "split-bound", order="best"), "order is 'best', expected one of"),
    "nodes": (lambda: gl.Limits(nodes=1.5), r"Limits: nodes is 1\.5, it must be a whole number or None"),
    "JSON": (lambda: gl.Result.from_json(3), "expected JSON text, got int"),
    "backbone": (lambda: gl.solve(WithoutWeights()), "backbone returned a GroupMaximiser, expected a .*Backbone"),
    "observers": (lambda: gl.solve(chain(), observers=[1]), r"observers holds 1, expected functions"),
    "verify": (lambda: gl.solve(chain(), verify="no"), r"verify is 'no', expected True or False"),
    "problems": (lambda: gl.solve_many(3), r"solve_many\(\) wants problems, a list for instance, got 3"),
    "one": (lambda: gl.solve_many([chain(), 3]), r"problem 1 of solve_many\(\) is no gapless.Problem, got int"),
    "stream": (lambda: list(gl.solve_stream([3])), r"problem 0 of solve_stream\(\) is no gapless.Problem, got int"),
    "scope": (lambda: StructureFactor(GroupMaximiser(Decisions(1)), [np.nan]), r"expected integers, got \[nan\]"),
    "edges": (lambda: Graph.from_edges(np.array([[2**63, 1]], np.uint64)), r"edges\[0\] is .* at most 9223372"),
    "cardinality": (lambda: factors.Cardinality.at_most([0, 1], 2**70), r"at most 1000000"),
    "verdict": (lambda: gl.solve(chain()).verify(3), r"verify\(\) takes the problem that was solved, got int"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_messages_say_what_was_expected(name):
    door, message = SAID[name]
    with pytest.raises(gl.GaplessError, match=message):
        door()


def test_a_stream_is_refused_before_it_is_asked():
    with pytest.raises(gl.InvalidProblem, match=r"solve_stream\(\) wants problems"):
        gl.solve_stream(3)


def test_options_are_compared_with_annotations():
    def run(problem, solve, *, order: str = "a", weights=None, sizes: "list[int] | None" = None):
        raise AssertionError

    from gapless.plugins.options import check_type  # noqa: PLC0415

    assert inspect.signature(run).parameters["weights"].annotation is inspect.Parameter.empty
    for option, value in (("weights", np.zeros(3)), ("sizes", [1, 2]), ("sizes", None), ("order", "b")):
        check_type(run, option, value)
    for option, value in (("order", np.zeros(3)), ("order", ["b"]), ("sizes", ["x"]), ("sizes", {})):
        with pytest.raises(gl.GaplessError, match=f"{option} is .*, expected"):
            check_type(run, option, value)


class Nowhere(Factor):
    """A factor that finds no scope in the problem."""

    name = "nowhere"

    def scopes(self, decisions):
        return []

    def score(self, scopes, decisions):
        return np.zeros(len(scopes))


class NoLayers(DecisionDiagram):
    name = "no-layers"

    def layers(self, decisions):
        return []

    def step(self, layer, choice, states):
        return states, 0.0


@pytest.mark.parametrize("arcs", [np.zeros((4, 4)), np.full((4, 4), -np.inf)])
@pytest.mark.parametrize("factor", [Nowhere(), Conjunctions([], []), NoLayers(), factors.Cardinality([], [1.0])])
def test_parses_with_a_factor_over_no_decisions_are_solved_and_written(arcs, factor):
    problem = ParsingProblem(arcs, factors=[factor])
    result = gl.solve(problem)
    assert result.proved
    assert result.verify(problem)
    if not isinstance(factor, NoLayers):
        assert gl.solve(gl.loads(gl.dumps(problem))).status is result.status
