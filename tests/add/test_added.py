"""What is added: its modules, its manifest, its recipe, and the flags a fuzz binary gets for it."""

import os
from pathlib import Path

import pytest
from refquake_cli import environments, targets
from refquake_cli.add_proof import _instrumented
from refquake_cli.added import Added, find_added, main_module, modules_of, store_manifest
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.job import Job
from refquake_cli.recipe import recipe_for_module
from refquake_cli.sources import DEFAULT_VERSION


def add(package: str, release: str, module: str, version: str = DEFAULT_VERSION, **more) -> Added:
    folder = environments.environment_folder("asan", version, f"{package}=={release}")
    folder.mkdir(parents=True)
    added = Added(package, release, module, more.get("extensions", [module]), [], more.get("gil_off", True), str(folder / "site"))
    store_manifest(folder, added)
    return added


def test_extension_modules_are_found_below_packages(tmp_path: Path) -> None:
    for name in ("foo/_foo.cpython-314td-x86_64-linux-gnu.so", "bar.abi3.so", "foo/plain.so", "foo.libs/libz.so", "foo/a.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert modules_of(tmp_path) == ["bar", "foo._foo", "foo.plain"]


@pytest.mark.parametrize(
    ("extensions", "package", "module"),
    [
        (["multidict._multidict"], "multidict", "multidict"),
        (["_cffi_backend"], "cffi", "_cffi_backend"),
        (["_helper", "yaml._yaml"], "PyYAML", "yaml"),
        (["aaa.x", "lru_dict.y"], "lru-dict", "lru_dict"),
    ],
)
def test_the_module_to_fuzz(extensions: list[str], package: str, module: str) -> None:
    assert main_module(extensions, package) == module


def test_the_version_added_last_is_meant_where_none_is_named() -> None:
    first, second = add("lru-dict", "1.3.0", "lru"), add("lru-dict", "1.4.0", "lru")
    for age, added in ((100, first), (50, second)):
        path = Path(added.site).parent / "added.json"
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    assert find_added("lru", "asan", DEFAULT_VERSION) == second
    assert find_added("LRU_dict", "asan", DEFAULT_VERSION) == second
    assert find_added("lru-dict==1.3.0", "asan", DEFAULT_VERSION) == first
    assert find_added("lru", "asan", DEFAULT_VERSION, release="lru-dict==1.3.0") == first
    assert find_added("lru", "tsan", DEFAULT_VERSION) is None


def test_flags_of_an_added_module_and_of_a_standard_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added = add("foo", "1", "foo", extensions=["foo._foo"], gil_off=False)
    (tmp_path / "refquake.toml").write_text(
        '[foo]\nleave-out = ["f"]\narguments = ["[1]"]\n[foo.ops]\ntwo = "lambda: 2"\n[other]\nleave-out = ["g"]\n'
    )
    monkeypatch.setattr(targets, "fuzz_binary", lambda *_: Path("fuzz"))

    def command(target: str, flavour: str = "asan") -> list[str]:
        recipe = targets.recipe_of(target, flavour, DEFAULT_VERSION)
        return targets.binary_command(Job(target, "clean", flavour, "threads", recipe=recipe), DEFAULT_VERSION)

    assert command("foo") == [
        "fuzz", "--module=foo", f"--path={added.site}", "--gil=off", "--deny=f", "--value=[1]", "--op=two=lambda: 2",
        "--profile=threads",
    ]  # fmt: skip
    assert "--module=foo._foo" in command("foo._foo")
    assert command("itertools") == ["fuzz", "--module=itertools", "--gil=off", "--profile=threads"]
    with pytest.raises(CouldNotRun, match="foo was not added for tsan"):
        command("foo", "tsan")


def test_a_module_is_looked_up_for_the_version_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "fuzz_binary", lambda *_: Path("fuzz"))
    newer = add("foo", "1", "foo", version="3.15.0rc2")
    assert targets.check_target("foo", "3.15.0rc2") == "foo"
    job = Job("foo", "clean", "asan", "threads")
    assert f"--path={newer.site}" in targets.binary_command(job, "3.15.0rc2")
    with pytest.raises(WrongUse, match="no such target: foo"):
        targets.check_target("foo", DEFAULT_VERSION)
    with pytest.raises(CouldNotRun, match="--version 3.14.7"):
        targets.binary_command(job, DEFAULT_VERSION)


def test_the_file_of_a_module(tmp_path: Path) -> None:
    site = Path(add("foo", "1", "foo", extensions=["_other", "foo._foo"]).site)
    (site / "foo").mkdir(parents=True)
    extension = site / "foo" / "_foo.cpython-314td-x86_64-linux-gnu.so"
    extension.touch()
    library = environments.current_link(DEFAULT_VERSION, "asan") / "lib" / "python3.14td"
    (library / "lib-dynload").mkdir(parents=True)
    (library / "lib-dynload" / "array.cpython-314td-x86_64-linux-gnu.so").touch()
    (library / "collections").mkdir()
    (library / "collections" / "__init__.py").touch()

    def file(target: str) -> str:
        return targets.module_file(Job(target, "clean", "asan", "threads"), DEFAULT_VERSION)

    assert file("foo") == file("foo==1") == file("foo._foo") == str(extension)
    assert file("array") == str(library / "lib-dynload" / "array.cpython-314td-x86_64-linux-gnu.so")
    assert file("collections") == str(library / "collections" / "__init__.py")
    assert file("itertools") == "built in"
    assert file("node").endswith("build/asan/targets/node/clean/node.so")


def test_a_target_nobody_knows_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match="no such target: nothing_like_it"):
        targets.check_target("nothing_like_it", DEFAULT_VERSION)


@pytest.mark.parametrize("text", ["[foo]\nleaveout = []\n", "[foo]\nleave-out = 1\n", "foo = 1\n", "[foo\n"])
def test_a_wrong_recipe_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "refquake.toml").write_text(text)
    with pytest.raises(WrongUse, match="refquake.toml"):
        recipe_for_module("foo")


def test_instrumentation_is_seen_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(b"\0__asan_init\0__sanitizer_cov_trace_pc_guard\0")
    assert _instrumented(path, "asan")
    assert not _instrumented(path, "tsan")
    path.write_bytes(b"\0__asan_init\0")
    assert not _instrumented(path, "asan")


def test_flags_of_each_flavour() -> None:
    assert "-fsanitize=address" in environments.compile_flags("asan")
    assert "-fsanitize=thread" in environments.compile_flags("tsan")
    assert "-fsanitize=fuzzer-no-link" in environments.compile_flags("plain")
    assert "fuzzer" not in environments.link_flags("asan")
