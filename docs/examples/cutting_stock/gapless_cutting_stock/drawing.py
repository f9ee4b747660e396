"""A plan as bars: one per pattern, with its items and its waste."""

from __future__ import annotations

from collections.abc import Iterator

from gapless.svg import GREY, INK, svg, text
from gapless_cutting_stock.problem import CuttingStockProblem, Plan

LEFT, WIDE, HIGH, MARGIN = 56.0, 520.0, 34.0, 10.0


def draw_plan(problem: CuttingStockProblem, plan: Plan) -> str:
    scale = WIDE / problem.width

    def drawn() -> Iterator[str]:
        for row, (pattern, count) in enumerate(plan):
            x, top = LEFT, MARGIN + row * HIGH
            yield text(LEFT - 8, top + 19, f"{count} ×", INK, 14, anchor="end")
            for item in sorted(pattern, key=lambda i: -problem.sizes[i]):
                wide = problem.sizes[item] * scale
                yield (
                    f'<rect x="{x:.1f}" y="{top:.1f}" width="{wide:.1f}" height="26" '
                    f'fill="hsl({item * 137 % 360}, 70%, 88%)" stroke="white" stroke-width="2"/>'
                )
                if wide >= 24:
                    yield text(x + wide / 2, top + 18, str(problem.sizes[item]), INK, 13)
                x += wide
            waste = LEFT + WIDE - x
            if waste > 0:
                yield (
                    f'<rect x="{x:.1f}" y="{top:.1f}" width="{waste:.1f}" height="26" fill="none" '
                    f'stroke="{GREY}" stroke-dasharray="3 3"/>'
                )

    said = ", ".join(f"{n} rolls cut into {' + '.join(str(problem.sizes[i]) for i in p)}" for p, n in plan)
    return svg(LEFT + WIDE + MARGIN, 2 * MARGIN + len(plan) * HIGH, said, drawn())
