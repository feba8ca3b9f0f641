"""What is added: its modules, its manifest, its recipe, and the flags a fuzz binary gets for it."""

import os
from pathlib import Path

import pytest
from refquake_cli import environments, targets
from refquake_cli.add_proof import _instrumented
from refquake_cli.added import Added, find_added, main_module, modules_of, store_manifest
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.recipe import recipe_for_module
from refquake_cli.sources import DEFAULT_VERSION


def add(package: str, release: str, module: str, **more) -> Added:
    folder = environments.environment_folder("asan", DEFAULT_VERSION, f"{package}=={release}")
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
    assert find_added("lru", "asan") == second
    assert find_added("LRU_dict", "asan") == second
    assert find_added("lru-dict==1.3.0", "asan") == first
    assert find_added("lru", "tsan") is None


def test_flags_of_an_added_module_and_of_a_standard_one(tmp_path: Path) -> None:
    added = add("foo", "1", "foo", extensions=["foo._foo"], gil_off=False)
    (tmp_path / "refquake.toml").write_text(
        '[foo]\nleave-out = ["f"]\narguments = ["[1]"]\n[foo.ops]\ntwo = "lambda: 2"\n[other]\nleave-out = ["g"]\n'
    )
    command = targets.binary_command(Path("fuzz"), "foo", "clean", "asan", "threads")
    assert command == [
        "fuzz", "--module=foo", f"--path={added.site}", "--gil=off", "--deny=f", "--value=[1]", "--op=two=lambda: 2",
        "--profile=threads",
    ]  # fmt: skip
    assert "--module=foo._foo" in targets.binary_command(Path("fuzz"), "foo._foo", "clean", "asan", "threads")
    assert "--module=itertools" in targets.binary_command(Path("fuzz"), "itertools", "clean", "asan", "threads")
    with pytest.raises(CouldNotRun, match="was not added for tsan"):
        targets.binary_command(Path("fuzz"), "foo", "clean", "tsan", "threads")


def test_a_target_nobody_knows_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match="no such target: nothing_like_it"):
        targets.check_target("nothing_like_it")


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
