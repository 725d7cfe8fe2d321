"""Files of packages of the registry that are not installed: public domains, the examples of the arm's SDK."""

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
