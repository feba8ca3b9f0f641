"""The table of a `refquake realworld` run as Markdown, with what people judged.

    text = table(rows, load_verdicts())

Judgements stand in docs/real-world.toml, by the start of a signature:

    ["use-after-free odictiter_nextkey"]
    verdict = "real"                    # real, by design, or mistake (of the tool)
    why = "..."
"""

import tomllib

from refquake_cli.paths import REPOSITORY
from refquake_cli.realworld import Row

VERDICTS = REPOSITORY / "docs" / "real-world.toml"
_HEAD = (
    "| module | GIL | types | ops | ops that succeed | executions | per second | coverage | stopped for size or time | findings |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def load_verdicts() -> dict[str, dict[str, str]]:
    return tomllib.loads(VERDICTS.read_text(encoding="utf-8")) if VERDICTS.is_file() else {}


def verdict_of(signature: str, verdicts: dict[str, dict[str, str]]) -> str:
    for start, entry in verdicts.items():
        if signature.startswith(start):
            return f"Judged {entry['verdict']}: {entry['why']}"
    return "Not judged."


def table(rows: list[Row], verdicts: dict[str, dict[str, str]]) -> str:
    lines = [_HEAD]
    for row in rows:
        if row.state != "ran":
            lines.append(f"| {row.target} | | | | | | | | | could not run: {_cell(row.state)} |")
            continue
        rate = int(row.executions / max(row.seconds, 0.1))
        lines.append(
            f"| {row.target} | {row.gil} | {row.types} | {row.ops} | {row.success:.0%} | {row.executions} | {rate} "
            f"| {row.coverage or '-'} | {row.resources} | {len(row.findings) or 'none'} |"
        )
    return "\n".join([*lines, "", *_findings(rows, verdicts)]) + "\n"


def _findings(rows: list[Row], verdicts: dict[str, dict[str, str]]) -> list[str]:
    lines = []
    for row in rows:
        for seen in row.findings:
            how = f" (in discovery: {seen.trial})" if seen.trial else ""
            lines.append(
                f"- **{row.target}**, owner {seen.owner}: `{_cell(seen.signature)}`{how}, first after {seen.after:.0f} s, "
                f"{seen.times} times. {verdict_of(seen.signature, verdicts)}"
            )
    ran = [row for row in rows if row.state == "ran"]
    good = sum(row.success >= 0.5 for row in ran)
    lines += ["", f"{len(ran)} of {len(rows)} ran; in {good} of {len(ran)} half of all ops executed succeeded."]
    return lines


def _cell(text: str) -> str:
    return text.replace("|", "/").replace("\n", " ")
