"""Writes a report's four files, each whole.

files = write_report(report, Path("refquake-report"))
"""

import time
from pathlib import Path

from refquake_cli.console import elapsed_text
from refquake_cli.files import write_whole
from refquake_cli.publish.gather import Report
from refquake_cli.publish.machine import json_text, junit_text, sarif_text
from refquake_cli.publish.pictures import COLOURS

TEMPLATES = Path(__file__).parent / "templates"


def html_text(report: Report) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["moment"] = lambda at: time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
    environment.filters["elapsed"] = elapsed_text
    environment.filters["grouped"] = lambda number: f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    environment.globals["style"] = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    return environment.get_template("report.html.j2").render(report=report, colours=COLOURS)


def write_report(report: Report, out: Path) -> list[Path]:
    out.mkdir(parents=True, exist_ok=True)
    texts = {
        "report.html": html_text(report),
        "report.json": json_text(report),
        "junit.xml": junit_text(report),
        "report.sarif": sarif_text(report),
    }
    for name, text in texts.items():
        write_whole(out / name, text)
    return [out / name for name in texts]
