"""A campaign's report: what the store holds, as HTML for people and JSON, JUnit XML and SARIF for other programs.

Example:

    report = gather(store)
    write_report(report, out)       # report.html, report.json, junit.xml, report.sarif
"""

from refquake_cli.publish.gather import gather
from refquake_cli.publish.write import write_report

__all__ = ["gather", "write_report"]
