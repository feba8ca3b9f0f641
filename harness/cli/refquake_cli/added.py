"""Modules added from outside the repository: where they were built, and what is known of them.

    added = find_added("multidict", "asan", "3.14.7")      # by module, by package, or as PACKAGE==VERSION
    added.module, added.site, added.gil_off
    modules_of(site)                                       # extension modules below a folder
    shared_object(site, "multidict._multidict")            # the file of one

A manifest, `added.json`, lies beside each environment's `site` folder. Of two versions of a package, the one added
last is meant where no version is given.
"""

import json
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from refquake_cli.environments import environments_folder
from refquake_cli.errors import CouldNotRun
from refquake_cli.files import recover_all, write_whole

MANIFEST = "added.json"
_SHARED_OBJECT = re.compile(r"^(?P<name>\w+)(?:\.(?:cpython|abi3)[\w-]*)?\.so$")


@dataclass(frozen=True)
class Added:
    package: str  # "multidict"
    release: str  # "6.4.3"; "local" for a folder of the user's own
    module: str  # what `fuzz` imports
    extensions: list[str]  # dotted names of the extension modules
    uninstrumented: list[str]
    gil_off: bool  # the module itself keeps it off
    site: str

    @property
    def name(self) -> str:
        return f"{self.package}=={self.release}"

    def extension_of(self, name: str) -> str:
        """The extension module that `name` (one of them, the package, or the module to import) stands for."""
        if name in self.extensions:
            return name
        inside = [one for one in self.extensions if f"{one}.".startswith(f"{self.module}.")]
        return (inside or self.extensions)[0]


def modules_of(site: Path) -> list[str]:
    """Dotted names of the extension modules below `site`, in order."""
    names = []
    for path in sorted(site.rglob("*.so")):
        match = _SHARED_OBJECT.match(path.name)
        if match and not any(part.endswith((".libs", ".dist-info")) for part in path.parent.parts):
            names.append(".".join([*path.relative_to(site).parts[:-1], match["name"]]))
    return names


def shared_object(site: Path, extension: str) -> Path:
    *folders, last = extension.split(".")
    folder = site.joinpath(*folders)
    return next(iter(sorted(folder.glob(f"{last}.*so"))), folder / f"{last}.so")


def main_module(extensions: list[str], package: str) -> str:
    """A package around an extension comes before a bare extension, the package's own name before others."""
    roots = list(dict.fromkeys(name.split(".")[0] for name in extensions))
    for name in roots:
        if name.lower() == package.lower().replace("-", "_"):
            return name
    around = [name.split(".")[0] for name in extensions if "." in name]
    return (around or roots)[0]


def store_manifest(folder: Path, added: Added) -> None:
    write_whole(folder / MANIFEST, json.dumps(asdict(added), indent=2) + "\n")


def _load(path: Path) -> Added:
    try:
        return Added(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise CouldNotRun(f"{path} does not describe an added module: {error}; remove its folder and add it again") from error


def all_added(flavour: str, version: str) -> list[Added]:
    """The one added last comes first."""
    folder = environments_folder(flavour, version)
    recover_all(folder)
    manifests = folder.glob(f"[!.]*/{MANIFEST}")  # not what is being built
    return [_load(path) for path in sorted(manifests, key=lambda path: path.stat().st_mtime, reverse=True)]


def find_added(name: str, flavour: str, version: str, release: str = "") -> Added | None:
    """`release` is the name (PACKAGE==VERSION) that a finding was made with: no other will do."""
    wanted = _normalised(name)
    for added in all_added(flavour, version):
        if release in ("", added.name) and wanted in map(_normalised, (added.name, added.package, added.module, *added.extensions)):
            return added
    return None


def _normalised(name: str) -> str:
    """Packages are found in any case, with hyphens or underscores."""
    return name.lower().replace("-", "_")


def is_standard(name: str) -> bool:
    """A module of CPython's own: it comes with every flavour's interpreter."""
    return name.split(".")[0] in sys.stdlib_module_names
