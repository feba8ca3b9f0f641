"""Archives: checked always, corrupt ones thrown away, the places asked in order."""

import os
from pathlib import Path

import pytest

from fake_source import make_archive
from refquake_cli import sources
from refquake_cli.errors import CouldNotRun, WrongUse

VERSION = "3.14.7"


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A good archive, pinned; an empty cache; no place in the network."""
    (tmp_path / "given").mkdir()
    path = make_archive(tmp_path / "given")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setitem(sources.RELEASES, VERSION, sources.sha256_of(path))
    monkeypatch.setattr(sources, "python_org_url", lambda version: f"file://{tmp_path}/nowhere")
    monkeypatch.setattr(sources, "apt_mirrors", lambda: [])
    return path


def obtain(given: str | None = None) -> Path:
    return sources.obtain_archive(VERSION, given, lambda text: None)


def test_a_path_is_copied_to_the_cache_and_then_not_needed(archive: Path) -> None:
    cached = obtain(str(archive))
    archive.unlink()
    assert obtain() == cached


def test_a_url(archive: Path) -> None:
    assert obtain(archive.as_uri()).is_file()


def test_the_wrong_file_is_refused_and_kept(archive: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.tar.xz"
    wrong.write_text("no archive")
    with pytest.raises(WrongUse, match="is not the archive of CPython"):
        obtain(str(wrong))
    assert wrong.exists()
    with pytest.raises(WrongUse, match="no such archive"):
        obtain("nowhere.tar.xz")


def test_a_corrupt_cached_archive_is_thrown_away_and_said(
    archive: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    cached = obtain(str(archive))
    cached.write_bytes(cached.read_bytes()[:-1] + b"x")
    monkeypatch.setattr(sources, "python_org_url", lambda version: archive.as_uri())
    assert sources.sha256_of(obtain()) == sources.RELEASES[VERSION]
    assert f"threw away {cached}" in capsys.readouterr().err


def test_a_corrupt_download_is_not_kept(archive: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corrupt = tmp_path / "corrupt"
    corrupt.write_bytes(archive.read_bytes()[:-1])
    monkeypatch.setattr(sources, "python_org_url", lambda version: corrupt.as_uri())
    with pytest.raises(CouldNotRun, match="no place had the source") as caught:
        obtain()
    assert "does not match SHA-256" in caught.value.details
    assert os.listdir(sources.sources_folder()) == []


def test_the_mirror_is_asked_after_python_org(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fetch(url: str, destination: Path, sha256: str) -> str:
        asked.append((url, sha256))
        destination.write_bytes(archive.read_bytes())
        return ""

    monkeypatch.setattr(sources, "apt_mirrors", lambda: ["http://mirror.invalid/debian"])
    monkeypatch.setattr(sources, "fetch_mirror", fetch)
    assert obtain().is_file()
    place = "http://mirror.invalid/debian/pool/main/p/python3.14/python3.14_3.14.7.orig.tar.xz"
    assert asked == [(place, sources.RELEASES[VERSION])]


@pytest.mark.parametrize(
    ("version", "url", "mirror"),
    [
        ("3.13.5", "3.13.5/Python-3.13.5.tar.xz", "python3.13/python3.13_3.13.5.orig.tar.xz"),
        ("3.15.0rc2", "3.15.0/Python-3.15.0rc2.tar.xz", "python3.15/python3.15_3.15.0~rc2.orig.tar.xz"),
    ],
)
def test_how_each_place_spells_a_version(version: str, url: str, mirror: str) -> None:
    assert sources.python_org_url(version).endswith("/" + url)
    assert sources.mirror_path(version).endswith("/" + mirror)


def test_a_half_unpacked_tree_is_unpacked_again(archive: Path) -> None:
    cached = obtain(str(archive))
    (sources.sources_folder() / f"Python-{VERSION}" / "Lib").mkdir(parents=True)
    assert (sources.unpack(cached, VERSION) / "configure").exists()
