"""`add` beside another `add`, and cut off: what was there stays until the new is whole."""

import os
import threading
from pathlib import Path

import pytest
from refquake_cli import add, lock
from refquake_cli.add_proof import Proof
from refquake_cli.added import find_added
from refquake_cli.console import Task
from refquake_cli.environments import environments_folder
from refquake_cli.errors import CouldNotRun
from refquake_cli.sources import DEFAULT_VERSION

DEAD = 2**22 + 1  # above what Linux gives out


class FakeBuild:
    def __init__(self) -> None:
        self.folders: list[str] = []

    def __call__(
        self, flavour: str, version: str, requirement: str, source: list[str], folder: Path, log: Path, task: Task
    ) -> Path:
        self.folders.append(folder.name)
        information = folder / "site" / "foo-1.dist-info"
        information.mkdir(parents=True)
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: foo\nVersion: 1\n")
        (folder / "site" / "foo.so").touch()
        return folder / "site"


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> FakeBuild:
    fake = FakeBuild()
    monkeypatch.setattr(add, "build_package", fake)
    monkeypatch.setattr(add, "prove", lambda *_: Proof([], True))
    return fake


def add_foo(name: str = "foo") -> None:
    add.add_package("asan", DEFAULT_VERSION, name, name, "", [])


def test_the_second_to_add_the_same_waits(build: FakeBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = threading.Event()
    monkeypatch.setattr(lock, "say", lambda _: waits.set())
    second = threading.Thread(target=add_foo, args=("FOO",))
    with add._only_one("asan", DEFAULT_VERSION, "foo"):
        second.start()
        assert waits.wait(60)
        assert build.folders == []
    second.join(60)
    assert len(build.folders) == 1
    assert find_added("foo", "asan", DEFAULT_VERSION)


def test_it_builds_in_a_folder_of_its_own_and_removes_what_a_killed_one_left(build: FakeBuild) -> None:
    parent = environments_folder("asan", DEFAULT_VERSION)
    (parent / f".foo.{DEAD}.part" / "site").mkdir(parents=True)
    add_foo()
    assert build.folders == [f".foo.{os.getpid()}.part"]
    assert os.listdir(parent) == ["foo==1"]
    assert (parent / "foo==1" / "site" / "foo.so").is_file()


def test_a_build_that_fails_leaves_the_old_one(build: FakeBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    add_foo()
    monkeypatch.setattr(add, "prove", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        add_foo()
    assert os.listdir(environments_folder("asan", DEFAULT_VERSION)) == ["foo==1"]
    assert find_added("foo", "asan", DEFAULT_VERSION)


def test_a_folder_added_again_is_there_all_the_time(
    build: FakeBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bar.so").touch()
    add.add_local("asan", DEFAULT_VERSION, tmp_path / "mine")
    seen = []

    def store(folder: Path, added: object) -> None:
        seen.append(find_added("bar", "asan", DEFAULT_VERSION))
        raise OSError("no space left")

    monkeypatch.setattr(add, "store_manifest", store)
    with pytest.raises(OSError, match="no space left"):
        add.add_local("asan", DEFAULT_VERSION, tmp_path / "mine")
    assert seen == [find_added("bar", "asan", DEFAULT_VERSION)] != [None]


def test_a_package_that_goes_on_without_its_extension_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(*arguments: object) -> Path:
        build, log = FakeBuild(), arguments[5]
        site = build(*arguments)
        (site / "foo.so").unlink()
        log.parent.mkdir(parents=True)
        log.write_text(
            "  foo.c:5: warning: w\n  src/foo.c:7:3: error: no such function 'f'\n  foo.c:9:1: error: more\n"
        )
        return site

    monkeypatch.setattr(add, "build_package", fake)
    with pytest.raises(
        CouldNotRun, match=r"no extension module: it did not compile: src/foo.c:7:3: error: no such function"
    ):
        add_foo()
