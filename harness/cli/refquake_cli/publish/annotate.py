"""A finding as one line that GitHub Actions turns into a mark in the changed files.

annotation(page)      # "::error file=node.c,line=57,title=data-race::data-race f@node.c | g@node.c", "" if closed
"""

from refquake_cli.publish.gather import FindingPage
from refquake_cli.publish.stacks import first_place
from refquake_cli.store import CAME_BACK, NEW

_ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY_ESCAPES = str.maketrans({":": "%3A", ",": "%2C"})


def error_line(message: str, title: str, place: tuple[str, int] | None) -> str:
    properties = [("file", place[0]), ("line", str(place[1]))] if place else []
    properties.append(("title", title))
    words = ",".join(f"{name}={value.translate(_ESCAPES).translate(_PROPERTY_ESCAPES)}" for name, value in properties)
    return f"::error {words}::{message.translate(_ESCAPES)}"


def annotation(page: FindingPage) -> str:
    row = page.row
    if row.state not in (NEW, CAME_BACK):
        return ""
    return error_line(f"{row.target} {row.variant}: {row.signature}", row.kind, first_place(row.report))
