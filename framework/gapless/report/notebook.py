"""HTML of values in notebooks, with the drawings and the style of the report."""

from __future__ import annotations

import base64
import functools
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from html import escape
from importlib import resources
from typing import Any

import attrs
import numpy as np

from gapless.certificates.certificate import Certificate
from gapless.certificates.tree_certificate import TreeCertificate
from gapless.limits.work import work_limit
from gapless.notebook import problem_of
from gapless.problems.names import Names, one_line
from gapless.problems.problem import Problem
from gapless.report.answer import draw_tree
from gapless.report.page import fact, number
from gapless.report.search_tree import TreeNode, bare_tree, search_tree
from gapless.report.structures import StructureView, drawn_structures
from gapless.results.batch_result import BatchResult
from gapless.results.record import Record
from gapless.results.result import Result, Solution
from gapless.svg import cut

_STRUCTURES, _ON, _NAMED, _ROWS, _LETTERS = 5, 200, 60, 10, 300
"""Limits: structures of a list, decisions of a drawn structure, names, rows of a table, letters of a line."""
_DRAWING = 150_000
"""Limit on the letters of a drawing."""
_NODES, _FIXINGS = 600, 20_000_000
"""Limits on a search tree: nodes, and nodes times decisions."""
_PATIENCE, _WORK = 0.3, 1e8
"""Limits on recomputing the bounds of leaves: seconds for all, and steps for each."""
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{((?:[^{}]|\{[^{}]*\})*)\}")
_WHOLE_PAGE = re.compile(r"(?<![\w-])(?::root|body)(?=\s*[{,])")
_LIGHT_HOST = '[data-jp-theme-light="true"], .vscode-light, [data-theme="light"], [theme="light"]'
_DARK_HOST = '[data-jp-theme-light="false"], .vscode-dark, [data-theme="dark"], [theme="dark"]'
_OWN = """
& { color-scheme: light; padding: 4px 12px 8px; border: 1px solid var(--rule); border-radius: 8px;
  max-width: 1100px; }
.kind { margin: 6px 0; } .drawing img { display: block; max-width: none; } .tree { max-width: 100%; height: auto; }
td.names { min-width: 30ch; overflow-wrap: break-word; }
"""


def html_of(value: object) -> str | None:
    """Make one element with its style; return None for values without HTML.

    It loads nothing and runs no script. Its size is bounded: of what is large, the first part is shown, and the
    rest is counted.
    """
    for kind, make in _MAKERS.items():
        if isinstance(value, kind):
            html = f'<div class="gapless"><style>{_style()}</style>{"".join(make(value))}</div>'
            return html.encode("utf-8", "backslashreplace").decode()  # JSON allows lone surrogates, HTML does not
    return None


@functools.cache
def _style() -> str:
    """Return the style of the report for one element, dark if the notebook is, or else if the system is."""
    css = resources.files("gapless.report").joinpath("data", "page.css").read_text("utf-8")
    light, dark = (_WHOLE_PAGE.sub("&", part) for part in (_DARK.sub("", css), "".join(_DARK.findall(css))))
    dark = f"& {{ color-scheme: dark; }} {dark}"
    element = ".gapless.gapless"  # a higher specificity than the notebook's own rules for tables
    return (
        f"{element} {{ {light} {_OWN} }}"
        f"@media (prefers-color-scheme: dark) {{ {element}:not(:is({_LIGHT_HOST}) *) {{ {dark} }} }}"
        f":is({_DARK_HOST}) {element} {{ {dark} }}"
    )


def _record(record: Record) -> Iterator[str]:
    result, problem = record.result, record.problem
    if record.name:
        yield f'<p class="kind">{_text(record.name)}</p>'
    yield from _head(result)
    shown = result.solutions[:_STRUCTURES]
    if all(len(problem.encode(one.structure)) <= _ON for one in shown):
        drawn = drawn_structures(attrs.evolve(record, result=attrs.evolve(result, solutions=shown)))
    else:
        drawn = [_undrawn(place, one, shown[0]) for place, one in enumerate(shown, 1)]
    named = [problem.describe(one.structure, record.words) for one in shown]
    several = [_structure(one, names, len(shown) > 1) for one, names in zip(drawn, named, strict=True)]
    if len(several) > 1:
        stacked = " stacked" if any(one.wide for one in drawn) else ""
        yield f'<div class="beside{stacked}">{"".join(f"<article>{one}</article>" for one in several)}</div>'
    else:
        yield from several
    yield from _left_out(len(result.solutions) - len(shown), "structures")
    nodes = result.stats.nodes
    if nodes > _NODES or nodes * problem.decisions.count > _FIXINGS:
        yield _note(f"The search has {number(nodes)} nodes: gapless report draws the first of them.")
    elif nodes > 1:
        with work_limit(_WORK):
            yield from _tree(search_tree(record, result.trace, _PATIENCE))


def _result(result: Result[Any]) -> Iterator[str]:
    problem = problem_of(result)
    if problem is not None:
        yield from _record(Record(problem, result))
        return
    yield from _head(result)
    for place, solution in enumerate(result.solutions[:_STRUCTURES], 1):
        yield f"<p><strong>{place}.</strong> value {number(solution.value)}: {_text(repr(solution.structure))}</p>"
    yield from _left_out(len(result.solutions) - _STRUCTURES, "structures")
    if result.solutions:
        yield _note("Names and drawings need the problem, which is no more: show gapless.Record(problem, result).")


def _head(result: Result[Any]) -> Iterator[str]:
    sure = "good" if result.proved and result.certified else "fair"
    outcome = result.outcome[0].upper() + result.outcome[1:]
    yield _verdict(sure, outcome, f"{result.proof}{f'; method {result.method}' if result.method else ''}")
    held = [("value", result.value)] if result.solutions else []
    stats, gap = result.stats, 0.0 if result.proved else result.gap  # a rest of rounding is no gap
    effort = [("nodes", stats.nodes), ("iterations", stats.iterations), ("seconds", stats.seconds)]
    counted = [(name, count) for name, count in effort if count]
    yield _facts([*held, ("bound", result.bound), ("gap", gap), *counted])
    yield from map(_note, result.explanation[:_ROWS])


def _undrawn(place: int, one: Solution[Any], best: Solution[Any]) -> StructureView:
    loss = abs(best.value - one.value)
    note = f"Too large to be drawn here: more than {_ON} decisions are on. gapless report draws it."
    return StructureView(place, one.value, loss, "", False, (), 0, (), (), note)


def _structure(one: StructureView, names: Names, ranked: bool) -> str:
    """Show a structure as an image, in which no script can run, and in names."""
    parts = []
    if ranked:
        worse = f", {number(one.loss)} worse than the best" if one.loss else ""
        parts.append(f"<p><strong>{one.place}.</strong> value {number(one.value)}{worse}</p>")
    drawn = one.svg if len(one.svg) <= _DRAWING else ""
    if drawn:
        source = base64.b64encode(drawn.encode("utf-8", "backslashreplace")).decode()
        said = escape(cut(one_line(names), _LETTERS))
        image = f'<img src="data:image/svg+xml;base64,{source}" alt="{said}">'
        parts.append(f'<div class="scroll" tabindex="0"><div class="drawing">{image}</div></div>')
    parts += [_note(one.note)] if one.note else []
    parts.append(f"<details{'' if drawn else ' open'}><summary>In words</summary>{_words(names)}")
    if one.fired:
        parts.append(f"<p>Factors that score</p>{_words(tuple(one.fired), one.fired_left_out)}")
    return "".join([*parts, "</details>"])


def _tree(nodes: Sequence[TreeNode], count: int = 0) -> Iterator[str]:
    """Show a search tree as a drawing and in words. `count`: number of nodes if not all are given."""
    if len(nodes) < 2:
        return
    ends = "".join(f'<span class="{end}">{end}</span>' for end in ("branched", "closed", "infeasible", "open"))
    yield f'<p>Search tree, {number(max(count, len(nodes)))} nodes <span class="key">{ends}</span></p>'
    tree = draw_tree(nodes, titled=True)
    half = (
        float(tree.partition(' width="')[2].partition('"')[0]) / 2
    )  # the limit below which the drawing is illegible
    tree = tree.replace("<svg ", f'<svg style="min-width: {half:.0f}px" ', 1)
    yield f'<div class="scroll treebox" tabindex="0">{tree}</div>'
    yield from _left_out(count - len(nodes), "nodes")
    lines = tuple(f"{node.number}: {node.words()}" for node in nodes)
    yield f"<details><summary>The tree in words</summary>{_words(lines)}</details>"


def _batch(batch: BatchResult[Any]) -> Iterator[str]:
    sure = "good" if batch.proved_share == 1.0 and not batch.errors else "fair"
    proved = f"{batch.proved_share:.1%} proved" if len(batch) else "none"
    yield _verdict(sure, f"{number(len(batch))} answers, {proved}", "to_frame() gives all of them as a table.")
    counts = Counter("not reached" if status is None else status.value for status in batch.statuses)
    failed = [("failed", len(batch.errors))] if batch.errors else []
    yield _facts([*counts.items(), *failed])
    rows = [_row(batch, i) for i in range(min(_ROWS, len(batch)))]
    if rows:
        yield _table(("problem", "status", "value", "best", "bound"), rows)
        yield from _left_out(len(batch) - len(rows), "answers")


def _row(batch: BatchResult[Any], i: int) -> tuple[Any, ...]:
    status, text = batch.statuses[i], str(batch.errors.get(i, ""))
    if not text and not np.isnan(batch.values[i]) and i < len(batch.problems):
        text = one_line(batch.problems[i].describe(batch.structure(i)))
    outcome = "not reached" if status is None else status.value
    return i, outcome, float(batch.values[i]), cut(text, _LETTERS), float(batch.bounds[i])


def _problem(problem: Problem[Any]) -> Iterator[str]:
    decisions = problem.decisions
    yield _verdict("", type(problem).__name__, _about(problem))
    counted = [("decisions", decisions.count), ("choice groups", len(decisions.exactly_one))]
    factors = Counter(str(getattr(factor, "name", type(factor).__name__)) for factor in problem.factors)
    yield _facts([("sense", problem.sense.value), *counted, ("factors", len(problem.factors)), *_fields(problem)])
    if factors:
        yield f"<p>Factors</p>{_words(tuple(f'{name} ({count})' for name, count in factors.items()))}"
    first = tuple(map(decisions.name, range(min(_ROWS, decisions.count))))
    yield f"<details><summary>Decisions</summary>{_words(first, decisions.count - len(first))}</details>"


def _certificate(certificate: Certificate) -> Iterator[str]:
    missing = certificate.missing
    yield _verdict("fair" if missing else "", f"Certificate: {certificate.kind}", missing or _about(certificate))
    if isinstance(certificate, TreeCertificate):
        yield from _tree(bare_tree(certificate, _NODES), len(certificate.parents))
        evidence = Counter(leaf.kind for leaf in certificate.leaves.values())
        yield _facts([("leaves", len(certificate.leaves)), *((f"by {kind}", n) for kind, n in evidence.items())])
    else:
        yield _facts(_fields(certificate))


_MAKERS: Mapping[type, Callable[[Any], Iterable[str]]] = {
    Record: _record,
    Result: _result,
    BatchResult: _batch,
    Problem: _problem,
    Certificate: _certificate,
}


def _about(value: object) -> str:
    """Return the first sentence of a class's docstring, without markup."""
    return (inspect.getdoc(type(value)) or "").partition("\n")[0].replace("`", "")


def _fields(value: Any) -> list[tuple[str, Any]]:
    """List the fields of an attrs class, long ones by their size."""
    if not attrs.has(type(value)):
        return []
    held = {field.name: getattr(value, field.name) for field in attrs.fields(type(value))}
    shown = {name.strip("_").replace("_", " "): _short(held[name]) for name in held if name != "factors"}
    return [(name, text) for name, text in shown.items() if text is not None]


def _short(held: Any) -> Any:
    if isinstance(held, str | int | float):
        return held
    if isinstance(held, np.ndarray):
        return " × ".join(map(number, held.shape)) or float(held)
    if isinstance(held, Sequence) and held and all(isinstance(one, str) for one in held[:_ROWS]):
        return cut(", ".join(held[:_ROWS]) + ("…" if len(held) > _ROWS else ""), 60)
    return f"{number(len(held))} entries" if isinstance(held, Sequence | Mapping | Set) and held else None


def _verdict(mark: str, strong: str, text: str) -> str:
    return f'<div class="verdict {mark}"><strong>{_text(strong)}</strong><span>{_text(text)}</span></div>'


def _facts(facts: Iterable[tuple[str, Any]]) -> str:
    shown = ((name, fact(value, name)) for name, value in facts)
    entries = (
        f"<div{' class=wide' if len(text) > 18 else ''}><dt>{_text(name)}</dt><dd>{_text(text)}</dd></div>"
        for name, text in shown
    )
    return f'<dl class="facts">{"".join(entries)}</dl>'


def _words(names: Names, more: int = 0) -> str:
    entries = [f"<li>{_text(one_line((one,)))}</li>" for one in names[:_NAMED]]
    left = len(names) - len(entries) + more
    return f'<ul class="words">{"".join(entries)}{f"<li>and {number(left)} more</li>" if left > 0 else ""}</ul>'


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    body = []
    for row in rows:
        kinds = ["number" if not isinstance(v, str) else "names" if " " in v else "" for v in row]
        cells = (f'<td class="{kind}">{_text(number(v))}</td>' for kind, v in zip(kinds, row, strict=True))
        body.append(f"<tr>{''.join(cells)}</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    return f'<div class="scroll" tabindex="0">{table}</div>'


def _left_out(count: int, things: str) -> Iterator[str]:
    if count > 0:
        yield _note(f"and {number(count)} more {things}")


def _note(text: str) -> str:
    return f'<p class="note">{_text(text)}</p>'


def _text(text: str) -> str:
    return escape(cut(text, _LETTERS))
