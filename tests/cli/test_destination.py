"""Where a command may write: a new file, or one that it wrote before; nothing else is touched."""

import os
from pathlib import Path

import pytest

from refquake_cli.destination import check_destination
from refquake_cli.errors import WrongUse
from refquake_cli.targets import variant_folder

OWN = "# finding: "


def test_a_new_file_and_one_of_ours_are_fine(tmp_path: Path) -> None:
    ours = tmp_path / "a.prog"
    assert check_destination(ours, OWN) == ours
    ours.write_text("# finding: hang\ntarget: node\n")
    assert check_destination(ours, OWN) == ours


def test_another_s_file_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(WrongUse, match="nothing that this command wrote"):
        check_destination(tmp_path / "notes", OWN)


def test_a_pipe_or_a_device_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(WrongUse, match="no regular file"):
            check_destination(path, OWN)


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "there.prog")
    assert check_destination(tmp_path / "link", OWN) == tmp_path / "there.prog"


@pytest.mark.parametrize("variant", ["/elsewhere", "../node/clean", ".", "/", ""])
def test_a_plant_s_name_is_no_path(variant: str) -> None:
    with pytest.raises(WrongUse, match="no name of a plant"):
        variant_folder("node", variant, "asan")
