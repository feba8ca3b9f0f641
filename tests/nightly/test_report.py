"""`refquake report`: its four files, and the page in a real browser, at desktop and phone width, light and dark."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from refquake_cli.program_model import parse_program
from refquake_cli.publish.annotate import error_line
from refquake_cli.publish.pictures import Series, lanes_svg, nice_ceiling, plot_svg
from refquake_cli.publish.stacks import racing_ops
from refquake_cli.store import Function, Sighting, Store, Turn

BROWSER = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
           "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
RACE = """target: node
profile: threads
phase:
    lane:
        a = Node()
phase:
    lane:
        a.left = None
    lane:
        b = a.left
        c = print("<script>alert(1)</script>")
"""
REPORT = """WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 8 at 0x7f00 by thread T1:
    #0 set_field {source}:3:5 (node.so+0x1)
    #1 PyObject_SetAttr /cpython/Objects/object.c:10:1 (fuzz+0x2)

  Previous read of size 8 at 0x7f00 by thread T2:
    #0 get_field {source}:5:5 (node.so+0x3)
    #1 PyObject_GetAttr /cpython/Objects/object.c:20:1 (fuzz+0x4)
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """Two nights, a race, a known oracle finding, a fixed one; a function that nothing enters."""
    source = tmp_path / "node.c"
    source.write_text("// one\n// two\nself->left = value;  // <b>three</b>\n// four\nreturn self->left;\n")
    folder = tmp_path / "refquake-nightly"
    store = Store(folder / "store.sqlite")
    race = Sighting("node", "clean", "tsan", "threads", "3.14.7", "data-race",
                    "data-race get_field@node.c | set_field@node.c", 1000.0, b"xyz", RACE,
                    REPORT.format(source=source))  # fmt: skip
    oracle = Sighting("node", "clean", "asan", "lifecycle", "3.14.7", "missed-visit", "missed-visit node.Node left",
                      1001.0, b"x", RACE, "==refquake== ERROR: missed-visit\n",
                      echo="in the same input, before it: x")  # fmt: skip
    fixed = Sighting("node", "clean", "asan", "lifecycle", "3.14.7", "segv", "segv f@node.c", 1002.0)
    for started in (1000.0, 90_000.0):
        night = store.begin_night(started)
        for number, arm in enumerate((("asan", "lifecycle"), ("tsan", "threads"))):
            for turn in range(3):
                coverage = 50 + 10 * turn + number
                store.add_turn(night, Turn("node", "clean", *arm, started + 60 * turn, 60, 1000, coverage, 90, "clean"))
        arm = ("node", "clean", "asan", "lifecycle")
        functions = (
            Function(*arm, "node_push", "/src/node.c", 10, True),
            Function(*arm, "node_swap", "/src/node.c", 88, False),
        )
        store.set_functions(night, functions)
        store.end_night(night, started + 180)
    ids = [store.add(sighting, night) for sighting in (oracle, fixed)]
    store.add(race, night)
    store.mark(ids[0], "known")
    store.mark(ids[1], "fixed")
    return folder


@pytest.fixture
def report(command, campaign: Path, tmp_path: Path) -> Path:
    done = command("report", "--annotate")
    assert done.returncode == 0, done.stderr
    mark = "::error file=node.c,line=3,title=data-race::node clean: data-race get_field@node.c | set_field@node.c"
    assert mark in done.stdout
    assert done.stdout.count("::error") == 1
    return tmp_path / "refquake-report"


def test_json_has_everything(report: Path) -> None:
    content = json.loads((report / "report.json").read_text())
    assert {f["state"] for f in content["findings"]} == {"new", "known", "fixed"}
    assert [face["signature"] for f in content["findings"] for face in f["faces"]] == [
        f["signature"] for f in content["findings"]
    ]
    assert content["night"]["executions"] == content["before"]["executions"] == 6000
    assert content["targets"][0]["unreached"] == [{"function": "node_swap", "file": "/src/node.c", "line": 88}]


def test_junit_fails_what_is_open_and_skips_what_is_known(report: Path) -> None:
    (suite,) = ElementTree.parse(report / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "1")
    outcomes = {case.get("name"): [child.tag for child in case] for case in suite}
    assert outcomes["data-race get_field@node.c | set_field@node.c"] == ["failure"]
    assert outcomes["missed-visit node.Node left"] == ["skipped"]
    assert outcomes["segv f@node.c"] == outcomes["campaign ran"] == []


def test_sarif_points_into_the_source(report: Path) -> None:
    (run,) = json.loads((report / "report.sarif").read_text())["runs"]
    race = next(result for result in run["results"] if result["ruleId"] == "data-race")
    place = race["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("node.c", 3)
    assert race["level"] == "error"
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {"data-race", "missed-visit"}


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list) -> None:
        self.found += [value for name, value in attributes if name in ("src", "href", "xlink:href")]


def test_the_page_needs_no_network(report: Path) -> None:
    text = (report / "report.html").read_text()
    links = Links()
    links.feed(text)
    assert all(link.startswith("#") for link in links.found), links.found
    assert "url(" not in text
    assert "<script>alert" not in text


def browser() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "the report is tested in a browser: apt-get install chromium"
    return found


def browse(page: Path, scratch: Path, *arguments: str) -> str:
    done = subprocess.run(
        [browser(), *BROWSER, f"--user-data-dir={scratch / 'profile'}", *arguments, page.as_uri()],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_page_in_a_browser(report: Path, tmp_path: Path) -> None:
    dom = browse(report / "report.html", tmp_path, "--dump-dom")
    assert '<b id="open-count">1</b>' in dom
    assert dom.count('class="finding"') == 3
    assert dom.count('<svg class="lanes"') == 2
    assert "access access-1" in dom
    assert "access access-2" in dom
    assert dom.count('<svg class="plot"') == 2
    assert dom.count("<polyline") == 4
    assert "node_swap" in dom[dom.index("Not reached") :]
    assert "It may be an echo:" in dom
    assert "self-&gt;left = value;  // &lt;b&gt;three&lt;/b&gt;" in dom[dom.index("<mark>") :]


def png_size(path: Path) -> tuple[int, int]:
    head = path.read_bytes()[:24]
    assert head[1:4] == b"PNG"
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


# The page tells in its title what a script finds out: does anything stick out of the window?
PROBE = """<iframe src="{page}" style="width:{width}px;height:4000px;border:0" onload="
const inner = this.contentDocument;
document.title = inner.documentElement.scrollWidth + ' ' + getComputedStyle(inner.body).backgroundColor"></iframe>"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(("scheme", "back"), [("1", "rgb(255, 255, 255)"), ("0", "rgb(18, 22, 28)")])
def test_nothing_sticks_out_in_light_and_dark(report: Path, tmp_path: Path, width: int, scheme: str, back: str) -> None:
    probe = report / "probe.html"
    probe.write_text(PROBE.format(page="report.html", width=width))
    dom = browse(probe, tmp_path, "--allow-file-access-from-files", f"--blink-settings=preferredColorScheme={scheme}",
                 f"--window-size={max(width, 500) + 40},2000", "--dump-dom")  # fmt: skip
    title = re.search(r"<title>(\d+) (.*?)</title>", dom)
    assert title, dom[-500:]
    assert int(title[1]) <= width
    assert title[2] == back


def test_a_picture_can_be_taken(report: Path, tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    browse(report / "report.html", tmp_path, "--window-size=800,600", f"--screenshot={picture}")
    assert png_size(picture) == (800, 600)


def test_the_racing_ops_are_told_by_the_stacks() -> None:
    program = parse_program(RACE.replace('        c = print("<script>alert(1)</script>")\n', ""))
    assert racing_ops(program, REPORT.format(source="/src/node.c")) == {(1, 0, 0): 1, (1, 1, 0): 2}
    picture = lanes_svg(program, {(1, 0, 0): 1})
    assert picture.count('class="lane"') == 3
    assert ElementTree.fromstring(picture).find(".//g[@class='op access access-1']/text").text == "a.left = None"


def test_plots_have_round_scales() -> None:
    assert [nice_ceiling(value) for value in (0, 3, 5, 79, 81, 199, 5000)] == [4, 4, 8, 80, 200, 200, 8000]
    picture = plot_svg([Series("a", [(0, 0), (60, 79)])], "coverage", 60)
    assert [text.text for text in ElementTree.fromstring(picture).iter("text")][4] == "80"


def test_annotations_escape_what_github_would_read() -> None:
    assert error_line("50%\nof", "a,b:c", ("n.c", 3)) == "::error file=n.c,line=3,title=a%2Cb%3Ac::50%25%0Aof"
