"""The hinge losses: against enumeration, against finite differences, and in training."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest

import gapless as gl
from gapless_chains import ChainBatch, ChainModel, ChainProblem, TreeProblem
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_linking import LinkingProblem
from gapless_ordering import OrderingProblem

torch = pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'")

from gapless_torch import ChainHinge, DependencyHinge, StructuredHinge, chain_hinge  # noqa: E402

# Small tensors: other threads only wait, and the tests of other processes with them.
torch.set_num_threads(1)

LENGTHS = [3, 0, 1, 4]


@pytest.fixture
def chains():
    """Four padded sentences, the second empty, with 3 labels; all scores want gradients."""
    generator = torch.Generator().manual_seed(1)
    shapes = {"unary": (4, 4, 3), "transition": (3, 3), "initial": (3,), "final": (3,)}
    made = {
        name: torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()
        for name, shape in shapes.items()
    }
    return {**made, "labels": torch.randint(0, 3, (4, 4), generator=generator)}


def chain_score(chains, sentence, labels):
    unary, n = chains["unary"][sentence], len(labels)
    total = sum(unary[i, labels[i]] for i in range(n)) + chains["initial"][labels[0]] + chains["final"][labels[-1]]
    total += sum(chains["transition"][labels[i], labels[i + 1]] for i in range(n - 1))
    return float(total.detach())


@pytest.mark.parametrize("cost", [0.0, 0.7, 3.0])
def test_chain_hinge_against_enumeration(chains, cost):
    losses = ChainHinge(cost, reduction="none")(**chains, lengths=LENGTHS)
    for sentence, n in enumerate(LENGTHS):
        gold = chains["labels"][sentence, :n].tolist()
        values = [
            chain_score(chains, sentence, y) + cost * sum(a != b for a, b in zip(y, gold, strict=True))
            for y in product(range(3), repeat=n)
            if n
        ]
        expected = max(values) - chain_score(chains, sentence, gold) if n else 0.0
        assert losses[sentence].item() == pytest.approx(expected, abs=1e-12)
    for reduction, expected in (("sum", losses.sum()), ("mean", losses.mean())):
        assert torch.equal(ChainHinge(cost, reduction=reduction)(**chains, lengths=LENGTHS), expected)


@pytest.mark.parametrize("method", [None, "viterbi", "column-generation"])
def test_chain_hinge_has_the_gradient_of_its_value(chains, method):
    labels = chains.pop("labels")
    loss = ChainHinge(0.5, method=method)

    def of(unary: Any, transition: Any, initial: Any, final: Any) -> Any:
        return loss(unary, labels, transition, initial=initial, final=final, lengths=LENGTHS)

    assert torch.autograd.gradcheck(of, tuple(chains.values()))


def test_padding_rows_and_holes_mean_the_same(chains):
    labels, padded = chains["labels"], ChainHinge(reduction="none")(**chains, lengths=LENGTHS)
    mask = torch.arange(4) < torch.tensor(LENGTHS)[:, None]
    ends = {name: chains[name] for name in ("initial", "final")}
    rows = ChainHinge(reduction="none")(
        chains["unary"][mask], labels[mask], chains["transition"], lengths=LENGTHS, **ends
    )
    assert torch.equal(rows, padded)
    holes = torch.zeros(4, 9, dtype=torch.bool)
    wide, given = torch.full((4, 9, 3), float("nan"), dtype=torch.float64), torch.full((4, 9), -100)
    holes[:, 1::2] = mask
    wide[:, 1::2], given[:, 1::2] = chains["unary"], torch.where(mask, labels, -100)
    for kept in (holes, holes.long()):
        loss = ChainHinge(reduction="none")(wide, given, chains["transition"], mask=kept, **ends)
        assert torch.equal(loss, padded)


def test_sentences_without_words_cost_nothing(chains, arcs):
    losses = [
        ChainHinge(reduction="none")(**chains, lengths=[0] * 4),
        ChainHinge(reduction="none")(
            torch.zeros(0, 3), torch.zeros(0).long(), chains["transition"], lengths=torch.tensor([0, 0])
        ),
        DependencyHinge(reduction="none")(*arcs, lengths=[0] * 3),
    ]
    assert [loss.tolist() for loss in losses] == [[0.0] * 4, [0.0] * 2, [0.0] * 3]
    losses[0].sum().backward()
    assert not chains["unary"].grad.any()


def test_types_may_be_mixed(chains):
    exact = ChainHinge()(**chains, lengths=LENGTHS)
    chains["transition"] = chains["transition"].detach().float().requires_grad_()
    loss = ChainHinge()(**chains, lengths=LENGTHS)
    loss.backward()
    assert chains["transition"].grad.dtype == torch.float32
    assert loss.item() == pytest.approx(exact.item(), abs=1e-6)


def test_a_batch_of_chains_is_one_call_of_the_kernel(chains, monkeypatch):
    asked = []

    def solve_many(problems: Any, *arguments: Any) -> Any:
        asked.append(problems)
        return gl.solving.solve_many(problems, *arguments)

    monkeypatch.setattr(chain_hinge.gl, "solve_many", solve_many)
    ChainHinge()(**chains, lengths=LENGTHS)
    assert [type(problems) for problems in asked] == [ChainBatch]
    assert [len(problems) for problems in asked] == [3]


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float32"])
def test_narrow_scores_are_summed_in_float32(chains, name):
    chains["unary"] = chains["unary"].detach().to(getattr(torch, name)).requires_grad_()
    wide = dict(chains, unary=chains["unary"].detach().double())
    loss = ChainHinge()(**chains, lengths=LENGTHS)
    loss.backward()
    assert chains["unary"].grad.dtype == chains["unary"].dtype
    assert loss.item() == pytest.approx(ChainHinge()(**wide, lengths=LENGTHS).item(), abs=1e-6)


def test_the_loss_is_nothing_where_the_margin_holds():
    labels = torch.tensor([[0, 1, 2]])
    unary = (3.0 * torch.nn.functional.one_hot(labels, 3).float()).requires_grad_()
    transition = torch.zeros(3, 3)
    for cost, expected in ((0.0, 0.0), (2.9, 0.0), (3.5, 1.5)):
        loss = ChainHinge(cost)(unary, labels, transition)
        assert loss.item() == pytest.approx(expected)
        unary.grad = None
        loss.backward()
        assert bool(unary.grad.any()) == bool(expected)


ARCS = [4, 0, 2]


@pytest.fixture
def arcs():
    """Arc scores of three padded sentences, the second empty, and projective heads of one root."""
    scores = torch.randn(3, 5, 5, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    return scores.requires_grad_(), torch.tensor([[2, 0, 4, 2], [0, 0, 0, 0], [0, 1, -1, 9]])


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("cost", [0.0, 1.5])
def test_dependency_hinge_against_enumeration(arcs, cost, projective, single_root):
    kind = {"projective": projective, "single_root": single_root}
    losses = DependencyHinge(cost, reduction="none", **kind)(*arcs, lengths=ARCS)
    assert losses[1] == 0
    for sentence in (0, 2):
        n = ARCS[sentence]
        problem = ParsingProblem(arcs[0][sentence, : n + 1, : n + 1].detach(), **kind)
        gold = arcs[1][sentence, :n].numpy()
        trees = [DependencyTree(np.array(heads)) for heads in product(range(n + 1), repeat=n)]
        best = max(
            problem.value(tree) + cost * np.count_nonzero(tree.heads != gold)
            for tree in trees
            if not problem.violations(tree)
        )
        assert losses[sentence].item() == pytest.approx(best - problem.value(DependencyTree(gold)), abs=1e-12)


@pytest.mark.parametrize("projective", [False, True])
def test_dependency_hinge_has_the_gradient_of_its_value(arcs, projective):
    loss = DependencyHinge(0.5, projective=projective)
    assert torch.autograd.gradcheck(lambda scores: loss(scores, arcs[1], lengths=ARCS), (arcs[0],))


def labels_and_pairs(labels):
    return {"unary": (np.arange(len(labels)), labels), "transition": (labels[:-1], labels[1:])}


def test_structured_hinge_says_what_the_others_say(chains, arcs):
    tables = {"unary": chains["unary"][0], "transition": chains["transition"]}
    gold = chains["labels"][0]
    both = []
    for loss in (
        ChainHinge(0.9)(tables["unary"][None], gold[None], tables["transition"]),
        StructuredHinge(ChainProblem, labels_and_pairs, cost={"unary": 0.9})(gold.numpy(), **tables),
    ):
        both.append((loss.item(), *torch.autograd.grad(loss, (chains["unary"], chains["transition"]))))
    assert both[0][0] == pytest.approx(both[1][0])
    assert torch.equal(both[0][1], both[1][1])
    assert torch.equal(both[0][2], both[1][2])

    heads = arcs[1][0]
    loss = StructuredHinge(
        ParsingProblem, lambda tree: {"arc_scores": (tree.heads, np.arange(1, 5))}, cost={"arc_scores": 0.9}
    )
    expected = DependencyHinge(0.9)(arcs[0][:1], heads[None])
    assert loss(DependencyTree(heads.numpy()), arc_scores=arcs[0][0]).item() == pytest.approx(expected.item())


def linking(prior):
    distances = np.array([[0, 3, 1, 2], [3, 0, 2, 1], [1, 2, 0, 4], [2, 1, 4, 0]])
    return LinkingProblem.from_distances(distances, [[0, 1], [2, 3]], prior=[prior[:2], prior[2:]])


def ordering(start, steps):
    return OrderingProblem(start, steps, np.zeros(4), 3)


def tree(unary, pairs):
    return TreeProblem(unary, pairs, [-1, 0, 0, 1])


OTHERS: dict[str, tuple[Any, Any, dict[str, float], dict[str, tuple[int, ...]], Any]] = {
    # The distances count in the value, and have no gradient.
    "linking": (linking, lambda x: {"prior": (np.asarray(x),)}, {"prior": 0.4}, {"prior": (4,)}, [1, 2]),
    "ordering": (
        ordering,
        lambda path: {"start": (path[:1],), "steps": (path[:-1], path[1:])},
        {"start": 0.3, "steps": 0.2},
        {"start": (4,), "steps": (4, 4)},
        [0, 2, 1],
    ),
    "labelled tree": (
        tree,
        lambda y: {"unary": (np.arange(4), y), "pairs": (y[[0, 0, 1]], y[1:])},
        {"unary": 1.0},
        {"unary": (4, 3), "pairs": (3, 3)},
        [0, 2, 1, 1],
    ),
}


@pytest.mark.parametrize("costs", [True, False])
@pytest.mark.parametrize("name", OTHERS)
def test_structured_hinge_of_other_problems(name, costs):
    build, parts, cost, shapes, right = OTHERS[name]
    gold = np.array(right)
    generator = torch.Generator().manual_seed(5)
    tensors = {n: torch.randn(s, generator=generator, dtype=torch.float64) for n, s in shapes.items()}
    loss = StructuredHinge(build, parts, cost=cost if costs else None)
    found = loss(gold, **tensors).item()

    # Enumerated: the plain score of each structure and the costs of its parts.
    plain = build(**{n: t.numpy() for n, t in tensors.items()})
    every = product(range(4 if name != "labelled tree" else 3), repeat=len(right))
    feasible = [y for y in map(np.array, every) if not plain.violations(y)]
    gold_parts = {n: set(zip(*(a.tolist() for a in index), strict=True)) for n, index in parts(gold).items()}

    def raised(y: Any) -> float:
        wrong = {
            n: sum(p not in gold_parts[n] for p in zip(*(a.tolist() for a in index), strict=True))
            for n, index in parts(y).items()
        }
        return float(plain.sense.sign * plain.value(y) + sum(cost[n] * wrong[n] for n in cost if costs))

    assert found == pytest.approx(max(map(raised, feasible)) - raised(gold), abs=1e-9)
    assert found > 0
    wanted = tuple(t.requires_grad_() for t in tensors.values())
    assert torch.autograd.gradcheck(lambda *t: loss(gold, **dict(zip(tensors, t, strict=True))), wanted)


def test_an_inexact_decoder_gives_a_lower_bound(chains):
    tables = {"unary": chains["unary"][0], "transition": chains["transition"]}
    gold = np.array([0, 1, 2, 0])
    exact = StructuredHinge(ChainProblem, labels_and_pairs)(gold, **tables)
    beam = StructuredHinge(ChainProblem, labels_and_pairs, decode=lambda p: gl.solve(p, "beam", width=1))
    worst = StructuredHinge(ChainProblem, labels_and_pairs, decode=lambda p: p.unary.argmin(axis=1))
    assert 0 <= worst(gold, **tables) <= beam(gold, **tables) <= exact


def test_training_separates_what_can_be_separated():
    """Labels that alternate, the first one as its word says: no model without transitions gets them."""
    torch.manual_seed(0)
    words = torch.full((20, 6), 2)
    words[:, 0] = torch.randint(0, 2, (20,))
    labels = (words[:, :1] + torch.arange(6)) % 2
    embedding = torch.nn.Embedding(3, 2)
    transition = torch.nn.Parameter(torch.zeros(2, 2))
    optimizer = torch.optim.Adam([*embedding.parameters(), transition], lr=0.5)
    loss, history = ChainHinge(), []
    for _ in range(30):
        value = loss(embedding(words), labels, transition)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        history.append(value.item())
    assert history[0] > 1.0
    assert history[-1] == 0.0
    assert min(history) >= 0.0
    found = gl.solve_many(ChainModel(transition.detach()).batch_of(embedding(words).detach())).arrays["labels"]
    assert found.tolist() == labels.flatten().tolist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"labels": torch.zeros(4, 3, dtype=torch.long)}, r"unary has shape \(4, 4, 3\) and labels \(4, 3\)"),
        ({"labels": torch.full((4, 4), 3)}, r"sentence 0: the label 3 is none of 0\.\.2"),
        ({"labels": torch.full((4, 4), 0.5)}, "labels has dtype torch.float32, expected integers"),
        ({"lengths": [1, 2, 3, 5]}, "lengths must be 4 integers from 0 to 4"),
        ({"lengths": None, "mask": torch.ones(4, 3)}, "mask has shape .* expected booleans"),
        ({"lengths": None, "mask": torch.full((4, 4), 0.5)}, r"mask\[0, 0\] is 0.5, expected 1 for a token"),
        ({"mask": torch.ones(4, 4).bool()}, "give mask or lengths, not both"),
        ({"unary": np.zeros((4, 4, 3))}, "unary is a ndarray, expected a torch tensor"),
        ({"unary": torch.zeros(4, 4, 3).long()}, "unary has dtype torch.int64"),
        ({"unary": torch.full((4, 4, 3), float("nan"))}, "sentence 0: a token's score of label 0 is nan"),
        ({"unary": torch.full((4, 4, 3), float("-inf"))}, "sentence 0: the best labels were not found"),
        ({"transition": torch.zeros(2, 3)}, r"transition has shape \(2, 3\), expected \(K, K\)"),
        ({"unary": torch.zeros(0, 4, 3), "labels": torch.zeros(0, 4).long(), "lengths": None}, "holds no sentence"),
        ({"unary": torch.zeros(4, 3), "labels": torch.zeros(4).long(), "lengths": [3]}, "add up to the 4 rows"),
    ],
)
def test_chain_hinge_refuses(chains, change, words):
    with pytest.raises(gl.InvalidProblem, match=words):
        ChainHinge()(**{"lengths": LENGTHS, **chains, **change})


def test_right_answers_that_are_forbidden_are_refused(chains, arcs):
    with torch.no_grad():
        chains["unary"][2, 0, chains["labels"][2, 0]] = -torch.inf
        with pytest.raises(
            gl.InvalidProblem, match="sentence 2: the right labels are forbidden by a score of -inf"
        ):
            ChainHinge()(**chains, lengths=LENGTHS)
        gold = chains["labels"][2, :1].numpy()
        with pytest.raises(gl.InvalidProblem, match="the right structure is not feasible"):
            StructuredHinge(ChainProblem, labels_and_pairs)(
                gold, unary=chains["unary"][2, :1], transition=chains["transition"]
            )
        with pytest.raises(gl.InvalidProblem, match=r"there are no scores 'transition', but of: unary"):
            StructuredHinge(ChainProblem, labels_and_pairs)(gold, unary=chains["unary"][2, :1])
        for heads, words in (
            ([2, 1, 0, 0], "sentence 0: the right heads are no tree that is searched: the heads run in a circle"),
            ([0, 0, 1, 1], "sentence 0: .* all headed by the root"),
            ([3, 0, 4, 2], "sentence 0: .* cross"),
        ):
            with pytest.raises(gl.InvalidProblem, match=words):
                DependencyHinge(projective=True)(arcs[0][:1], torch.tensor([heads]))
        with pytest.raises(gl.InvalidProblem, match="mask has holes"):
            DependencyHinge()(*arcs, mask=torch.tensor([[True, False, True, False]] * 3))
        with pytest.raises(gl.InvalidProblem, match=r"expected \(S, n \+ 1, n \+ 1\)"):
            DependencyHinge()(arcs[0][0], arcs[1][0])


@pytest.mark.parametrize("options", [{"cost": -1.0}, {"cost": float("nan")}, {"reduction": "max"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(gl.UnknownOption):
        ChainHinge(**options)


@pytest.mark.parametrize(
    ("absent", "wanted", "words"),
    [
        ("torch", "gapless_torch import ChainHinge", "gapless_torch needs PyTorch: pip install 'gapless[torch]'"),
        (
            "sklearn",
            "gapless_models.estimators import ChainTagger",
            "gapless_models.estimators needs scikit-learn: pip install 'gapless[tasks]'",
        ),
    ],
)
def test_a_missing_library_is_named_with_its_extra(absent, wanted, words):
    code = f"import sys; sys.modules[{absent!r}] = None\nimport gapless_torch\nfrom {wanted}"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"MissingDependency: {words}" in answer.stderr


def test_what_the_package_does_not_hold():
    with pytest.raises(ImportError, match="cannot import name 'TreeHinge'"):
        from gapless_torch import TreeHinge  # noqa: F401, PLC0415
