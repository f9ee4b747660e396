"""Reports: one self-contained HTML page about an answer, or about a run."""

from gapless.report.page import require_jinja
from gapless.report.run import CHECKED
from gapless.report.writing import report_of, write_report

__all__ = ["CHECKED", "report_of", "require_jinja", "write_report"]
