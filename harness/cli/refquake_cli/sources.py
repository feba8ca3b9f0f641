"""CPython source archives: pinned by SHA-256, taken from the first place that has them.

    archive = obtain_archive("3.14.7", given=None, note=task.note)     # a path in the cache
    folder = unpack(archive, "3.14.7")

Order: what the user gives; the cache; python.org; the Debian mirror apt is set up with. What does not match its
SHA-256 is never used, and thrown away unless it is the user's own file.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from refquake_cli.console import say
from refquake_cli.errors import CouldNotRun, WrongUse
from refquake_cli.files import folder_beside, remove
from refquake_cli.paths import sources_folder

DEFAULT_VERSION = "3.14.7"
RELEASES = {
    "3.13.5": "93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640",
    "3.14.7": "3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81",
    "3.15.0rc2": "8d93af5eaaaea5adfd41bd786a7ba3f03f2ad1ab57c6a65e0b963deab91d5ad7",
}
CONNECT_SECONDS = 8
APT_HELPER = "/usr/lib/apt/apt-helper"

Note = Callable[[str], None]


def check_version(version: str) -> str:
    if version not in RELEASES:
        raise WrongUse(f"CPython {version} is not supported; choose one of {', '.join(RELEASES)}")
    return version


def archive_name(version: str) -> str:
    return f"Python-{version}.tar.xz"


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def python_org_url(version: str) -> str:
    folder = re.sub(r"(a|b|rc)\d+$", "", version)
    return f"https://www.python.org/ftp/python/{folder}/{archive_name(version)}"


def mirror_path(version: str) -> str:
    series = ".".join(version.split(".")[:2])
    debian = re.sub(r"(a|b|rc)(\d+)$", r"~\1\2", version)
    return f"pool/main/p/python{series}/python{series}_{debian}.orig.tar.xz"


def apt_mirrors() -> list[str]:
    if not shutil.which("apt-get") or not os.path.exists(APT_HELPER):
        return []
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
    done = subprocess.run(command, capture_output=True, text=True)
    return sorted({line.strip().rstrip("/") for line in done.stdout.splitlines() if line.strip()})


def fetch_url(url: str, destination: Path, note: Note) -> str:
    """Downloads; returns what went wrong, or an empty string."""
    try:
        with urllib.request.urlopen(url, timeout=CONNECT_SECONDS) as reply, destination.open("wb") as sink:
            total, got = int(reply.headers.get("Content-Length") or 0), 0
            while block := reply.read(256 * 1024):
                sink.write(block)
                got += len(block)
                note(f"{got * 100 // total} %" if total else f"{got // 1024} KB")
    except (OSError, ValueError, urllib.error.URLError) as error:
        return str(getattr(error, "reason", error))
    return ""


def fetch_mirror(url: str, destination: Path, sha256: str) -> str:
    options = ["-o", "Acquire::Retries=1", "-o", f"Acquire::http::Timeout={CONNECT_SECONDS}"]
    command = [APT_HELPER, *options, "download-file", url, str(destination), f"SHA256:{sha256}"]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line.startswith(("E:", "Err"))]
    return "" if done.returncode == 0 else (lines[-1] if lines else f"exit {done.returncode}")


def obtain_archive(version: str, given: str | None, note: Note) -> Path:
    """The archive's path in the cache, its SHA-256 checked just now."""
    sha256 = RELEASES[check_version(version)]
    cached = sources_folder() / archive_name(version)
    cached.parent.mkdir(parents=True, exist_ok=True)
    if given and "://" not in given:
        return _from_path(Path(given), cached, version, sha256)
    if not given and cached.exists():
        if sha256_of(cached) == sha256:
            return cached
        say(f"threw away {cached}: it does not match its SHA-256")
        cached.unlink()
    return _download(version, given, cached, sha256, note)


def _from_path(path: Path, cached: Path, version: str, sha256: str) -> Path:
    if not path.is_file():
        raise WrongUse(f"no such archive: {path}")
    if sha256_of(path) != sha256:
        raise WrongUse(f"{path} is not the archive of CPython {version}: its SHA-256 is not {sha256}")
    if not (cached.exists() and cached.samefile(path)):
        part = cached.with_name(f".{cached.name}.{os.getpid()}.part")
        shutil.copyfile(path, part)
        os.replace(part, cached)
    return cached


def _download(version: str, given: str | None, cached: Path, sha256: str, note: Note) -> Path:
    part = cached.with_name(f".{cached.name}.{os.getpid()}.part")
    places = [given] if given else [python_org_url(version)]
    mirrors = [] if given else [f"{mirror}/{mirror_path(version)}" for mirror in apt_mirrors()]
    problems = []
    try:
        for url in [*places, *mirrors]:
            note(f"from {url}")
            problem = fetch_mirror(url, part, sha256) if url in mirrors else fetch_url(url, part, note)
            if not problem and sha256_of(part) != sha256:
                problem = f"does not match SHA-256 {sha256}"
                say(f"threw away what {url} sent: it {problem}")
            if not problem:
                os.replace(part, cached)
                return cached
            problems.append(f"  {url}: {problem}")
    finally:
        part.unlink(missing_ok=True)
    raise CouldNotRun(
        f"no place had the source of CPython {version}; download {archive_name(version)} yourself and give it: "
        f"./refquake setup --version {version} --source PATH",
        details="\n".join(problems),
    )


def unpack(archive: Path, version: str) -> Path:
    """The unpacked source tree in the cache; unpacked once, shared by all flavours."""
    final = sources_folder() / f"Python-{version}"
    if (final / "configure").exists():
        return final
    remove(final)
    with folder_beside(final) as part:
        with tarfile.open(archive) as tar:
            tops = {name.split("/")[0] for name in tar.getnames()}
            tar.extractall(part, filter="tar")
        if len(tops) != 1:
            raise CouldNotRun(f"{archive} holds {len(tops)} top folders, not one")
        for entry in (part / tops.pop()).iterdir():
            os.rename(entry, part / entry.name)
    return final
