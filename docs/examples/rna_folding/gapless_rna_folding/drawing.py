"""A structure as arcs above its sequence."""

from __future__ import annotations

from collections.abc import Iterator

from gapless.svg import BLUE, GREY, INK, svg, text
from gapless_rna_folding.dotbracket import Structure, dot_bracket
from gapless_rna_folding.problem import FoldingProblem

STEP, MARGIN = 14.0, 16.0


def draw_folding(problem: FoldingProblem, structure: Structure) -> str:
    widest = max((right - left for left, right in structure), default=1)
    ground = MARGIN + widest * STEP / 2

    def place(base: int) -> float:
        return MARGIN + (base + 0.5) * STEP

    def drawn() -> Iterator[str]:
        for left, right in structure:
            radius = (right - left) * STEP / 2
            yield (
                f'<path d="M {place(left):.1f} {ground:.1f} A {radius:.1f} {radius:.1f} 0 0 1 {place(right):.1f} '
                f'{ground:.1f}" fill="none" stroke="{BLUE}" stroke-width="1.5"/>'
            )
        paired = {base for pair in structure for base in pair}
        for base, letter in enumerate(problem.sequence):
            yield text(place(base), ground + 15, letter, INK if base in paired else GREY, 12)

    length = len(problem.sequence)
    description = f"{problem.sequence} folds as {dot_bracket(structure, length)}"
    return svg(2 * MARGIN + length * STEP, ground + 15 + MARGIN, description, drawn())
