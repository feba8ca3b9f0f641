"""`refquake report`: a campaign as one HTML page, and as JSON, JUnit XML and SARIF."""

from pathlib import Path

import click

from refquake_cli.errors import NOTHING_FOUND

DEFAULT_OUT = "refquake-report"


@click.command("report")
@click.option("--dir", "folder", type=click.Path(path_type=Path), default="refquake-nightly", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, show_default=True)
@click.option("--annotate", is_flag=True, help="Also print open findings the way GitHub marks them in a change.")
def command(folder: Path, out: Path, annotate: bool) -> int:
    """Write report.html, report.json, junit.xml and report.sarif."""
    from refquake_cli.commands.triage import open_store
    from refquake_cli.publish import gather, write_report

    report = gather(open_store(folder))
    for path in write_report(report, out):
        print(path)
    if annotate:
        from refquake_cli.publish.annotate import annotation

        for page in report.findings:
            if line := annotation(page):
                print(line)
    return NOTHING_FOUND
