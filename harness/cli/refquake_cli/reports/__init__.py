"""Reads what a fuzz process printed and says what was found.

Example:

    report = find_report(text)          # None: nothing found
    report.kind, report.signature       # "data-race", "data-race node_get_next@node.c | node_set_next@node.c"
"""

from refquake_cli.reports.report import Report, find_report

__all__ = ["Report", "find_report"]
