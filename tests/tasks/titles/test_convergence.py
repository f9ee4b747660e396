"""Figure 2: shares as they are counted, what is expected beforehand, table and drawing."""

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from gapless.cli import Console
from gapless_tasks.titles.convergence import MOST, Convergence, draw_convergence, show_convergence

SVG = "{http://www.w3.org/2000/svg}"
FOUND = Convergence(np.array([1, 3, 3, 40, 0]), np.array([1.0, 0.5, 0.5, 0.1, 0.1]))


def test_shares_count_the_titles_found_so_far():
    assert [FOUND.share(t) for t in (1, 2, 3, 39, 40, MOST)] == [0.2, 0.2, 0.6, 0.6, 0.8, 0.8]


def test_the_expected_share_is_the_mean_over_titles():
    assert FOUND.expected(1) == pytest.approx((1 + 0.5 + 0.5 + 0.1 + 0.1) / 5)
    assert FOUND.expected(2) == pytest.approx((1 + 0.75 + 0.75 + 0.19 + 0.19) / 5)


@pytest.mark.parametrize(("share", "needed"), [(0.2, 1), (0.21, 3), (0.6, 3), (0.8, 40), (0.9, None), (1.0, None)])
def test_colourings_needed_for_a_share(share, needed):
    assert FOUND.needed(share) == needed


def test_the_table_has_the_papers_points(capsys):
    document = show_convergence(FOUND, Console())
    printed = capsys.readouterr().out
    assert "90 % after more than 10000 (paper: 11)" in printed
    assert document["colourings"] == [1, 2, 5, 11, 20, 35, 100]
    assert document["found"][-1] == 0.8
    assert document["needed"] == {"0.9": None, "1.0": None}


def test_the_drawing_rises_to_the_last_share():
    drawn = ET.fromstring(draw_convergence(FOUND))
    words = ["".join(one.itertext()) for one in drawn.iter(f"{SVG}text")]
    assert any("(5 titles)" in word for word in words)
    assert {"1", "11", "35", "100 %", "colourings"} <= set(words)
    stairs = list(drawn.iter(f"{SVG}polyline"))[1].get("points").split()
    heights = [float(point.split(",")[1]) for point in stairs]
    assert heights == sorted(heights, reverse=True)
    assert heights[0] == 350.0
    assert heights[-1] == pytest.approx(350 - 0.8 * 300, abs=0.1)
    assert len(list(drawn.iter(f"{SVG}circle"))) == 2


def test_one_title_found_at_once_can_be_drawn():
    drawn = draw_convergence(Convergence(np.array([1]), np.array([1.0])))
    assert "nan" not in drawn


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_bars_are_for_terminals_only():
    """Not for pipes, files and pages: those have the numbers."""
    for out, drawn in ((io.StringIO(), False), (_Terminal(), True)):
        console = Console(out=out)
        show_convergence(FOUND, console)
        assert ("█" in out.getvalue()) == drawn
        (table,) = console.tables
        assert not any("█" in str(cell) for row in table.rows for cell in row)
    quiet = _Terminal()
    show_convergence(FOUND, Console(out=quiet, as_json=True))
    assert quiet.getvalue() == ""
