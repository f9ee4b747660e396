"""Prints what an installed gapless answers, bit by bit: equal text on two machines means equal kernels.

Run by test_processors.py under interpreters and processors of its choice: ``python answers.py [ROUNDS]``.
"""

import json
import sys

import numpy as np

import gapless as gl
import gapless_kernels
from gapless_chains import ChainProblem, TreeProblem
from gapless_dependency.random_problems import FAMILIES
from gapless_dependency.random_problems import random_problem as random_sentence
from gapless_linking.random_problems import random_problem as random_links
from gapless_ordering.random_problems import random_problem as random_order

# Those that hand the work to SCIP would test SCIP; the others run our kernels.
METHODS = {
    "chain": ("dominance", "column-generation", "viterbi", "viterbi-pruned", "beam"),
    "tree": ("dominance", "viterbi", "column-generation"),
    "parsing": ("split-bound", "lagrangian-cut", "first-order"),
    "ordering": ("exact", "color-coding", "beam"),
    "linking": ("exact", "hitting-distance", "greedy", "local-search"),
}


def problems(seed):
    """Some of every type, drawn from the seed; large enough for whole vectors and for their rests."""
    rng = np.random.default_rng(seed)
    for labels in (3, 20, 45):
        transition = rng.normal(size=(labels, labels))
        yield "chain", ChainProblem(unary=rng.normal(size=(12, labels)), transition=transition)
        parents = [-1, *(int(rng.integers(child)) for child in range(1, 9))]
        edges = rng.normal(size=(9, labels, labels))
        yield "tree", TreeProblem(unary=rng.normal(size=(9, labels)), transition=edges, parents=parents)
    for projective in (False, True):
        yield "parsing", random_sentence(rng, 11, projective=projective)
        family = FAMILIES[int(rng.integers(len(FAMILIES)))]
        yield "parsing", random_sentence(rng, 6, projective=projective, families=[family])
    yield "ordering", random_order(rng, 19, 5, scores="normal", forbidden=0.1)
    yield "linking", random_links(rng, 6, kind="graph", feasible=True)
    yield "linking", random_links(rng, 6, kind="uniform", feasible=True)


def answer(problem, method):
    """Status, value, bound and best structure, every bit of them."""
    result = gl.solve(problem, method, seed=7)
    found = bool(result.solutions)
    return [
        result.status.name,
        float(result.value).hex() if found else "",
        float(result.bound).hex(),
        gl.dumps(result.best) if found else "",
    ]


def main(rounds):
    """Print the instruction set in use, and all answers."""
    answers = {}
    for seed in range(rounds):
        for number, (kind, problem) in enumerate(problems(seed)):
            for method in METHODS[kind]:
                try:
                    answers[f"{seed} {number} {kind} {method}"] = answer(problem, method)
                except gl.GaplessError as error:  # a method may refuse a problem: everywhere alike
                    answers[f"{seed} {number} {kind} {method}"] = [type(error).__name__]
    print(json.dumps({"instruction_set": gapless_kernels.INSTRUCTION_SET, "answers": answers}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
