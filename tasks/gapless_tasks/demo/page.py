"""The picture of the demo: one page of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gapless.certificates.certificate import Verdict
from gapless_dependency.arc_diagram import draw_svg
from gapless_tasks.demo.story import Row, Story

TITLE = "A beam and the best tree"
_STYLE = """
:root { color-scheme: light dark; --rule: #c8c8c8; --right: #2e7d32; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --rule: #555; --right: #81c784; --wrong: #f2938c; }
  .tree svg { filter: invert(.92) hue-rotate(180deg); } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.tree { overflow-x: auto; } .tree svg { display: block; border-radius: 6px; }
.right { color: var(--right); } .wrong { color: var(--wrong); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem 1rem .25rem 0; text-align: right; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { text-align: left; }
code { overflow-wrap: anywhere; }
"""


def page(story: Story, rows: Sequence[Row], count: int, verdict: Verdict, refused: Verdict) -> str:
    """Render the page: both trees, the proof, the forged certificate, and the decoders on all sentences."""
    words, gold, problem = story.sentence.words, story.sentence.heads, story.problem
    best = story.result.best.heads.tolist()
    labels, tags = story.sentence.relations(best), story.sentence.tags
    wrong = len(story.differing)
    pairs = sum(len(scored.scopes) for scored in problem.conjunctions)
    body = [
        f"<h1>{escape(' '.join(words))}</h1>",
        f"<h2>A beam of {story.width}: score {story.score:.3f}, "
        f'<span class="wrong">{wrong} of {len(words)} heads wrong</span></h2>',
        "<p>Wrong arcs are red; the arcs below the words are those that the gold tree has instead.</p>",
        f'<div class="tree">{draw_svg(words, story.found.heads.tolist(), tags=tags, gold=gold)}</div>',
        f"<h2>The best tree: score {story.result.value:.3f}, "
        '<span class="right">every head as in the gold tree</span></h2>',
        f'<div class="tree">{draw_svg(words, best, labels=labels, tags=tags, gold=gold)}</div>',
        "<h2>The proof</h2>",
        f"<p>{problem.decisions.count} arcs and {pairs} pairs of arcs are scored. The verifier, which runs none of "
        f"the solver's code, says: <em>{escape(verdict.reason)}</em>.</p>",
        "<h2>A forged proof</h2>",
        "<p>The beam's tree with the same certificate, called the best one, is refused: "
        f"<em>{escape(refused.reason)}</em>.</p>",
        f"<h2>All {count} sentences</h2>",
        "<table><tr><th>decoder</th><th>best tree missed</th><th>gold tree found</th><th>ms a sentence</th></tr>",
        *(
            f"<tr><td>{escape(row.name)}</td><td>{row.missed}</td><td>{row.right}</td>"
            f"<td>{1000 * row.seconds / count:.2f}</td></tr>"
            for row in rows
        ),
        "</table>",
        "<p>CPU time from scores to trees, for the exact method with the proofs. The beam is written in Python, "
        "the exact search is compiled.</p>",
        "<p>Check again: <code>gapless verify answer.json</code> and <code>gapless verify forged.json</code>, both "
        "beside this page.</p>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )
