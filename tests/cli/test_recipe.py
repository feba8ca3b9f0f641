"""From a run under a recipe to a script: the fuzz binary has the same op table all the way, wherever it is replayed."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

RECIPE = """
[array]
leave-out = ["f"]
arguments = ["[('a', 1)]"]
[array.ops]
pair = "lambda: array('b')"
"""
TABLE = ["--deny=f", "--value=[('a', 1)]", "--op=pair=lambda: array('b')"]


def test_what_was_found_under_a_recipe(command: Callable[..., subprocess.CompletedProcess], tmp_path: Path) -> None:
    log, recipe = tmp_path / "arguments.txt", tmp_path / "refquake.toml"
    recipe.write_text(RECIPE)
    fuzz = ("fuzz", "array", "--flavour", "asan", "--profile", "lifecycle")
    assert command(*fuzz, FAKE_ARGUMENTS=str(log)).returncode == 1
    (finding,) = (tmp_path / "refquake-out").iterdir()
    description = json.loads((finding / "finding.json").read_text())
    assert description["module"] == "built in"  # the fake interpreter has no file of it
    assert description["recipe"]["leave-out"] == ["f"]

    recipe.unlink()
    replayed = [("repro", finding), ("show", finding), ("show", finding, "--graph"), ("export", finding, "--python")]
    for words in (*replayed, ("minimize", finding, "--out", "small.prog"), ("repro", tmp_path / "small.prog")):
        done = command(*words, FAKE_ARGUMENTS=str(log))
        assert "Traceback" not in done.stderr
        assert done.returncode == {"repro": 1, "export": 3}.get(words[0], 0), done.stderr
    started = [line.split("\t") for line in log.read_text().splitlines()]
    asked = {argument.split("=")[0] for line in started for argument in line}
    assert {"--replay", "--show", "--list-ops", "-max_total_time"} <= asked
    for line in started:
        assert [argument for argument in line if argument.startswith(("--deny", "--value", "--op="))] == TABLE
