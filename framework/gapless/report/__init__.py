"""Reports: one self-contained HTML page about an answer, or about a run."""

from gapless.report.writing import report_of, write_report

__all__ = ["report_of", "write_report"]
