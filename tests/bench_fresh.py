"""`make bench-fresh`: README's two commands in fresh Debian systems, one with Python 3.11, 3.12 and 3.13 each.

`make test-fresh` is the same. Each system is made by debootstrap in `--folder`, where it stays until the next run, and
has nothing of this machine but how to reach the package registries (/etc/pip.conf, certificates, resolver) and a clone
of the last commit. Installed are make, and what `make tools` asks for with the command that it prints. Python 3.12,
which no Debian has, is a copy of pyenv's. Needs root and debootstrap. `--targets setup` does less.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench import ROOT, Row

DUE = 1.0
SYSTEMS = {"python-3.13": "trixie", "python-3.11": "bookworm", "python-3.12": "bookworm"}
MINUTES = {"demo": 8.0, "test": 14.0}
"""What each target may take on two idle cores."""
SETTINGS = ("/etc/pip.conf", "/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt")
"""How this machine reaches the registries; what is not there is left out."""
ENVIRONMENT = "HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
FOR_PYENV = "libssl3 libffi8 libsqlite3-0 libbz2-1.0 liblzma5 libreadline8 libncursesw6"
"""What a Python of pyenv, compiled on the machine, is linked with."""
INSTALL = "apt-get install -y -qq --no-install-recommends"


def bench(
    only: tuple[str, ...] = tuple(SYSTEMS),
    folder: str = "build/fresh",
    targets: tuple[str, ...] = ("demo", "test"),
    limit: int = 5400,
) -> Iterator[Row]:
    """A row a target of each system: its exit code, its minutes. The log is next to the system."""
    for name in only:
        system = Path(folder).resolve() / name
        before = time.monotonic()
        try:
            _make(system, SYSTEMS[name], name.removeprefix("python-") if name == "python-3.12" else "")
        except (subprocess.SubprocessError, OSError) as e:
            yield Row(f"{name}, made", False, {}, str(e), "made")
            continue
        yield Row(f"{name}, made", True, {"minutes": (time.monotonic() - before) / 60}, case="made")
        for target in targets:
            before = time.monotonic()
            code = _within(system, f"cd /tamp && make {shlex.quote(target)}", limit)
            minutes = (time.monotonic() - before) / 60
            due = f", {MINUTES[target]:.0f} minutes on idle cores are due" if target in MINUTES else ""
            detail = f"exit {code}: the end of {system}.log says why"
            yield Row(f"{name}, make {target}{due}", code == 0, {"minutes": minutes, "exit": code}, detail, target)


def _make(system: Path, suite: str, python: str) -> None:
    """A fresh Debian with a clone of the last commit, and what it says that it needs."""
    shutil.rmtree(system, ignore_errors=True)  # nothing is mounted there: see `_within`
    system.parent.mkdir(parents=True, exist_ok=True)
    _log(system).unlink(missing_ok=True)
    listed = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    mirrors = subprocess.run(listed, check=True, capture_output=True, text=True, timeout=60).stdout.split()
    debootstrap = ["debootstrap", "--variant=minbase", "--include=ca-certificates", suite, str(system), mirrors[0]]
    subprocess.run(debootstrap, check=True, stdout=sys.stderr, timeout=1800)
    for file in map(Path, SETTINGS):
        if file.exists():
            shutil.copyfile(file, system / file.relative_to("/"))
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(system / "tamp")], check=True, timeout=300)
    steps = [f"apt-get update -qq && {INSTALL} make"]
    if python:
        versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
        if (prefix := next(versions.glob(f"{python}.*"), None)) is None:
            raise OSError(f"no Python {python} in {versions}")
        shutil.copytree(prefix, system / "usr/local", symlinks=True, dirs_exist_ok=True)
        steps.append(f"{INSTALL} {FOR_PYENV}")
    for step in steps:
        if _within(system, step, 1800):
            raise OSError(f"{step}: the end of {system}.log says why")
    asked = re.search(r"apt-get install (.*)", _output(system, "make -C /tamp tools 2>&1"))
    if asked and _within(system, f"{INSTALL} {asked[1]}", 1800):
        raise OSError(f"apt-get install {asked[1]}: the end of {system}.log says why")


def _command(system: Path, line: str) -> list[str]:
    """A command in a system. What is mounted for it, and the processes that it leaves, end with it."""
    mounts = 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc"'
    enter = f'{mounts} && exec chroot "$0" env -i {ENVIRONMENT} bash -c "$1"'
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", enter, str(system), line]


def _within(system: Path, line: str, limit: float) -> int:
    """The exit code of a command, 124 where it takes too long; what it prints is appended to the log."""
    with _log(system).open("ab") as log:
        log.write(f"$ {line}\n".encode())
        log.flush()
        try:
            return subprocess.run(
                _command(system, line), stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=limit, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            return 124


def _output(system: Path, line: str) -> str:
    return subprocess.run(_command(system, line), capture_output=True, text=True, timeout=300, check=False).stdout


def _log(system: Path) -> Path:
    return system.with_name(f"{system.name}.log")
