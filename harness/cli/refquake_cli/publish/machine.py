"""The report for other programs: JSON, JUnit XML, SARIF 2.1.0. All are text; nothing is written here.

json_text(report), junit_text(report), sarif_text(report)
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

from refquake_cli.publish.gather import FindingPage, Night, Report
from refquake_cli.publish.stacks import first_place
from refquake_cli.store import CAME_BACK, FIXED, NEW

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# What neither XML nor a terminal can show.
_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if code not in (9, 10)}


def json_text(report: Report) -> str:
    content = {
        "night": _night(report.night),
        "before": _night(report.before),
        "findings": [_finding(page) for page in report.findings],
        "targets": [
            {
                "name": target.name, "executions": target.executions, "coverage": target.coverage,
                "functions": target.functions,
                "unreached": [{"function": f.function, "file": f.file, "line": f.line} for f in target.unreached],
            }
            for target in report.targets
        ],
    }  # fmt: skip
    return json.dumps(content, indent=2) + "\n"


def _night(night: Night | None) -> dict | None:
    if night is None:
        return None
    return {
        "number": night.number, "started": night.started, "seconds": round(night.seconds, 1),
        "cut_off": night.cut_off, "executions": night.executions,
        "turns": [turn.__dict__ for turn in night.turns],
    }  # fmt: skip


def _finding(page: FindingPage) -> dict:
    names = ("id", "target", "variant", "kind", "signature", "state", "owner", "note", "first_seen", "last_seen",
             "count", "flavour", "profile", "version", "echo", "program", "report")  # fmt: skip
    row = {name: getattr(page.row, name) for name in names}
    row["faces"] = [asdict(face) for face in page.row.faces]
    return {**row, "rate": page.rate, "tonight": page.tonight, "compared": page.compared}


def junit_text(report: Report) -> str:
    """A case for each finding: new and came back fail, known ones are skipped, fixed ones pass."""
    suites = ElementTree.Element("testsuites", name="refquake")
    names = list(dict.fromkeys([target.name for target in report.targets] + [p.row.target for p in report.findings]))
    for name in names:
        pages = [page for page in report.findings if page.row.target == name]
        open_pages = [page for page in pages if page.row.state in (NEW, CAME_BACK)]
        skipped = [page for page in pages if page not in open_pages and page.row.state != FIXED]
        suite = ElementTree.SubElement(
            suites, "testsuite", name=name, tests=str(len(pages) + 1), failures=str(len(open_pages)),
            skipped=str(len(skipped)), errors="0",
        )  # fmt: skip
        # So that a target without findings is a suite that passed, not an empty one.
        ElementTree.SubElement(suite, "testcase", classname=name, name="campaign ran")
        for page in pages:
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"{name}.{page.row.variant}", name=page.row.signature.translate(_CONTROLS)
            )
            if page in open_pages:
                failure = ElementTree.SubElement(case, "failure", type=page.row.kind, message=page.row.state)
                failure.text = f"{page.row.program}\n{page.row.report}".translate(_CONTROLS)
            elif page in skipped:
                ElementTree.SubElement(case, "skipped", message=page.row.state)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def sarif_text(report: Report) -> str:
    pages = [page for page in report.findings if page.row.state != FIXED]
    rules = [{"id": kind, "name": kind} for kind in sorted({page.row.kind for page in pages})]
    driver = {"name": "refquake", "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(page) for page in pages]}
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(page: FindingPage) -> dict:
    row, place = page.row, first_place(page.row.report)
    result: dict = {
        "ruleId": row.kind,
        "level": "error" if row.state in (NEW, CAME_BACK) else "warning",
        "message": {"text": f"{row.target} {row.variant}: {row.signature} ({row.state}, seen {row.count} times)"},
        "partialFingerprints": {"refquakeSignature/v1": hashlib.sha256(row.signature.encode()).hexdigest()},
        "baselineState": "new" if page.compared == "new tonight" else "unchanged",
    }
    if place:
        file, line = place
        uri = Path(file).as_uri() if file.startswith("/") else file
        result["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}]
    return result
