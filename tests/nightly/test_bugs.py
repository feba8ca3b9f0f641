"""One row per bug: which findings are its faces, and that a state is the bug's."""

from dataclasses import replace
from pathlib import Path

import pytest

from refquake_cli.ingest import cause_of
from refquake_cli.night import behind as behind_module
from refquake_cli.night.behind import behind
from refquake_cli.reports import find_report
from refquake_cli.reports.bug import death_in, may_cause, place_of, racing
from refquake_cli.store import Sighting, Store

LEAK = "leaked-reference node.Node left"
DEATH = "segv node_traverse@node.c"
RACE = "data-race get@node.c | set@node.c"


def sighting(signature: str, **changes: object) -> Sighting:
    base = Sighting("node", "clean", "asan", "threads", "3.14.7", signature.split()[0], signature, 100.0, b"0123456789")
    return replace(base, **changes)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.sqlite")


def faces(store: Store) -> list[list[str]]:
    return sorted([face.signature for face in row.faces] for row in store.findings())


def test_findings_with_one_place_are_faces_of_one_row(store: Store) -> None:
    store.add(sighting(LEAK, behind="leak by extend"))
    store.add(sighting("leaked-reference ring.Ring push", behind="leak by extend", input=b"01"))
    store.add(sighting("leaked-reference ring.Ring pop"))
    assert faces(store) == [[LEAK, "leaked-reference ring.Ring push"], ["leaked-reference ring.Ring pop"]]


def test_another_variant_has_bugs_of_its_own(store: Store) -> None:
    for name in ("one", "two"):
        store.add(sighting(LEAK, variant=name, behind="leak by extend"))
    assert len(store.findings()) == 2


def test_a_row_leads_with_what_an_oracle_said(store: Store) -> None:
    first = store.add(sighting(DEATH, behind="missing-incref by pop"))
    told = "missing-incref node.Node pop"
    store.add(sighting(told, behind="missing-incref by pop", pass_over=told, program="P", origin="1"))
    store.add(sighting(told, behind="missing-incref by pop", pass_over=told, program="P", origin="2"))
    (row,) = store.findings()
    assert (row.id, row.signature, row.program, row.count) == (first, told, "P", 3)
    assert store.face(first).signature == DEATH


def test_what_may_come_of_a_known_finding_in_its_input_is_its_face(store: Store) -> None:
    store.add(sighting("still-tracked-at-free node.Node"))
    store.add(sighting(DEATH, cause="still-tracked-at-free node.Node"))
    store.add(sighting("segv node_repr@node.c", cause="still-tracked-at-free node.Other"))
    assert faces(store) == [["segv node_repr@node.c"], ["still-tracked-at-free node.Node", DEATH]]


def test_a_known_race_is_found_as_cause_by_its_line(store: Store) -> None:
    line = "data-race inner@list.c < get@node.c | set@node.c"
    store.add(sighting(RACE, pass_over=line))
    store.add(sighting(DEATH, cause=line))
    assert faces(store) == [[RACE, DEATH]]


def test_races_are_one_bug_where_one_function_is_in_all_of_them(store: Store) -> None:
    for race in ("get@a.c | set@a.c", "clear@a.c | set@a.c", "set@a.c", "clear@a.c | get@a.c"):
        store.add(sighting(f"data-race {race}"))
    assert faces(store) == [
        ["data-race clear@a.c | get@a.c"],
        ["data-race get@a.c | set@a.c", "data-race clear@a.c | set@a.c", "data-race set@a.c"],
    ]


def test_a_wrong_count_that_is_a_races_doing_is_its_face(store: Store) -> None:
    store.add(sighting("data-race get@a.c | set@a.c"))
    store.add(sighting(LEAK, pass_over=LEAK, behind="data-race set@a.c"))
    store.add(sighting("data-race clear@a.c | get@a.c"))
    assert faces(store) == [["data-race clear@a.c | get@a.c"], ["data-race get@a.c | set@a.c", LEAK]]


def test_races_inside_cpython_are_told_apart_by_who_called_it(store: Store) -> None:
    for name in ("get", "put"):
        line = f"data-race append@list.c < {name}@a.c | append@list.c < {name}@a.c"
        store.add(sighting(f"data-race append@list.c {name}", pass_over=line))
    assert len(store.findings()) == 2
    assert racing("data-race append@list.c < get@a.c | set@a.c") == {"get@a.c", "set@a.c"}


def test_the_collectors_check_before_any_program_is_a_face_of_what_an_oracle_tells(store: Store) -> None:
    check, told, other = "gc-assertion validate@gc.c", "extra-visit node.Node left", "extra-visit node.Node right"
    for signature in (check, told, other):
        store.add(sighting(signature))
    assert faces(store) == [[other], [check, told]]
    for signature in (told, check):
        store.add(sighting(signature, variant="other way round"))
    assert [told, check] in faces(store)
    store.add(sighting("gc-assertion untrack@gc.c", program="P"))
    store.add(sighting(LEAK))
    assert len(store.findings()) == 5


def test_a_state_is_the_bugs(store: Store) -> None:
    number = store.add(sighting(LEAK, behind="x", pass_over=LEAK))
    face = "leaked-reference node.Node pop"
    store.add(sighting(face, behind="x", pass_over=face))
    store.mark(number + 1, "known", owner="ada")  # by a face's id
    store.add(sighting(DEATH, behind="x"))
    assert [(row.state, row.owner, len(row.faces)) for row in store.findings()] == [("known", "ada", 3)]
    store.mark(number, "fixed")
    assert store.pass_over_lines("node", "clean") == []
    store.add(sighting("segv other@node.c", behind="x"))
    assert [(row.state, row.owner) for row in store.findings()] == [("came back", "ada")]
    assert store.pass_over_lines("node", "clean") == [LEAK, face]


def test_a_night_counts_a_bug_over_its_faces(store: Store) -> None:
    night = store.begin_night(1.0)
    number = store.add(sighting(LEAK, behind="x"), night)
    store.add(sighting(DEATH, behind="x"), night)
    assert store.night_findings(night) == {number: 2}


def test_one_thing_under_two_names_has_one_place() -> None:
    assert place_of("still-tracked-at-free node.Node") == place_of("still-tracked-in-dealloc node.Node")
    assert place_of("fatal-error _Py_CheckFunctionResult@call.c in cache.Cache.get") == "bad-return cache.Cache get"
    assert place_of(LEAK) == LEAK


def test_deaths_of_one_kind_in_one_function_have_one_place() -> None:
    report = find_report(
        "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x1\n"
        "    #0 0x1 in reftotal_add /x/Objects/object.c:1:2\n"
        "    #1 0x2 in holder_exchange /src/counter.c:1:2\n    #2 0x2 in holder_call /src/counter.c:9:2\n"
    )
    assert death_in(report.kind, report.function) == "segv in holder_exchange@counter.c"
    assert death_in("segv", "") == ""
    assert death_in("data-race", "get@node.c") == ""


def test_a_leak_is_no_cause_of_a_death() -> None:
    """Else a leak that every program meets would take all crashes into its row."""
    assert not may_cause("leaked-reference", "segv")
    assert not may_cause("missed-visit", "missed-visit")
    assert not may_cause("type-not-visited", "use-after-free")
    assert may_cause("weakrefs-left", "use-after-free")
    assert may_cause("never-tracked", "leaked-instance")


def test_only_what_was_passed_over_in_the_same_input_is_a_cause() -> None:
    output = (
        "==refquake== KNOWN: input 6: weakrefs-left node.Node\n==refquake== KNOWN: input 7: leaked-instance node.Node\n"
        "==refquake== KNOWN: input 7: still-tracked-at-free node.Node\n"
        "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n    #0 0x1 in f /src/a.c:1:2\n"
    )
    report = find_report(output)
    assert cause_of(output, report, 7) == "still-tracked-at-free node.Node"
    assert cause_of(output, report, 6) == "weakrefs-left node.Node"
    assert cause_of(output, report, 5) == ""


PROGRAM = """target: node
profile: threads
phase:
    lane:
        a = Node()
        a.push(a)
    lane:
        a.pop()
"""
TOLD = (
    "==refquake== ERROR: missing-incref: node.Node: few\n==refquake==   phase:    3\n"
    "==refquake== SUMMARY: missing-incref node.Node left\n"
)
RACING = """WARNING: ThreadSanitizer: data race (pid=1)
  Read of size 8 at 0x1 by thread T1:
    #0 get /src/node.c:1:2 (node.so+0x1)

  Previous write of size 8 at 0x1 by thread T2:
    #0 set /src/node.c:3:4 (node.so+0x1)

"""


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """What the binary says to each program it is given, by flavour; the programs."""
    said: dict[str, str] = {}
    given: list[str] = []

    def run_once(command: list[str], version: str, seconds: int) -> tuple[int, str]:
        given.append((tmp_path / "behind" / "behind.prog").read_text())
        return 77, said[command[0]] if "pair" not in said or "pair" in given[-1] else ""

    monkeypatch.setattr(behind_module, "run_once", run_once)
    monkeypatch.setattr(behind_module, "replay_command", lambda artefact: [artefact.job.flavour])
    monkeypatch.setattr(behind_module, "build_folder", lambda flavour: tmp_path)
    return said, given


def test_the_op_behind_which_a_count_is_wrong_is_to_blame(answers, tmp_path: Path) -> None:
    said, given = answers
    said["asan"] = TOLD
    assert behind(sighting(DEATH, program=PROGRAM), tmp_path / "behind") == "missing-incref by push"
    assert [line.strip() for line in given[0].splitlines()[2:]] == [
        word for op in ("del a", "a = Node()", "a.push(a)", "a.pop()") for word in ("phase:", "lane:", op)
    ]


def test_what_is_left_is_dropped_at_the_end(answers, tmp_path: Path) -> None:
    said, _ = answers
    said["asan"] = TOLD.replace("  3", "  end")
    assert behind(sighting(DEATH, program=PROGRAM), tmp_path / "behind") == "missing-incref by drop"


def test_a_leak_is_blamed_on_the_last_op_of_the_shortest_beginning_that_leaks(answers, tmp_path: Path) -> None:
    said, given = answers
    said.update(asan=TOLD.replace("missing-incref", "leaked-instance").replace("  3", "  end"), pair="")
    program = "target: node\nprofile: lifecycle\nphase:\n    lane:\n        a = Node()\n"
    program += "".join(f"        a.{name}(a)\n" for name in ("one", "two", "pair", "three", "four"))
    assert behind(sighting(LEAK, program=program), tmp_path / "behind") == "leak by pair"
    assert len(given) <= 5


def test_a_count_that_is_wrong_only_with_lanes_is_a_races_doing(answers, tmp_path: Path) -> None:
    said, given = answers
    said.update(asan="==refquake== NOTHING FOUND\n", tsan=RACING)
    assert behind(sighting(LEAK, program=PROGRAM), tmp_path / "behind") == RACE
    assert given[1] == PROGRAM


def test_where_a_run_tells_nothing_the_signature_stands(answers, tmp_path: Path) -> None:
    said, given = answers
    said.update(asan="==refquake== NOTHING FOUND\n", tsan="==refquake== NOTHING FOUND\n")
    assert behind(sighting(LEAK, program=PROGRAM), tmp_path / "behind") == ""
    given.clear()
    assert behind(sighting(RACE, program=PROGRAM), tmp_path / "behind") == ""
    assert behind(sighting(DEATH), tmp_path / "behind") == ""
    assert behind(sighting(DEATH, program="phase: of another age"), tmp_path / "behind") == ""
    assert given == []
