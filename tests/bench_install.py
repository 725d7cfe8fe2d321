"""`make bench-install`: the wheel installed by pip into fresh environments, and used there outside of the checkout.

First without extras: seconds, megabytes, licences and what weighs most, then `tamp validate` and `check`; with
`[pyperplan]` in the same one, `plan`, and all these again without scipy, which unified-planning requires through
ConfigSpace and tamp does not load. Then with `[libero,pyperplan]`, and a `tamp solve` in real physics; `--light` leaves
that out. `--no-cache` asks pip to download everything anew.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench import ROOT, Row

DUE = 1.0
LIMIT = 1800.0
PROBLEM = "problems/cases/drawer_first/problem.pddl"
LIGHT = (
    ("--version",),
    ("check", "tabletop"),
    ("validate", "tabletop", PROBLEM, "problems/cases/drawer_first/good.plan"),
    ("doctor",),
)
PLANNING = (
    ("plan", "tabletop", PROBLEM, "--out", "drawer.plan"),
    ("validate", "tabletop", PROBLEM, "drawer.plan"),
    ("check", "--cases", "problems/cases/drawer_first"),
    ("doctor",),
)
PHYSICS = (("doctor",), ("solve", "--goal", "(in mug_1 cabinet_1_top_region)", "--seed", "0"))
LISTED = """
import importlib.metadata, json, pathlib
found = []
for d in importlib.metadata.distributions():
    files = [pathlib.Path(d.locate_file(f)) for f in d.files or ()]
    size = sum(f.lstat().st_size for f in files if f.is_file() and not f.is_symlink())
    words = " ".join(c for c in d.metadata.get_all("Classifier") or () if c.startswith("License"))
    words = d.metadata.get("License-Expression") or words or d.metadata.get("License") or ""
    found.append((d.metadata["Name"], size / 1e6, words))
print(json.dumps(found))
"""
"""Every distribution of an environment, its megabytes and its licence."""
CARRIED = (
    r"tamp/_shipped/domains/tabletop/domain\.pddl", r"tamp/_shipped/problems/mug_in_drawer/scene\.toml",
    r".*\.j2", r".*\.js", r".*\.css", r"tamp/py\.typed", r"motion/robots/.+",
)  # fmt: skip
"""What the wheel carries besides Python."""


def bench(light: bool = False, no_cache: bool = False) -> Iterator[Row]:
    """What the wheel carries, a row an installation and a row a command."""
    options = ("--no-cache-dir",) if no_cache else ()
    with tempfile.TemporaryDirectory(prefix="tamp-install-") as folder:
        place = Path(folder)
        build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder]
        subprocess.run([*build, str(ROOT)], check=True, timeout=LIMIT, env=_clean())
        wheel = next(place.glob("*.whl"))
        files = zipfile.ZipFile(wheel).namelist()
        lacking = [name for name in CARRIED if not any(re.fullmatch(name, n) for n in files)]
        yield Row("the wheel carries what it needs", not lacking, {}, f"lacks {', '.join(lacking)}")
        yield from _installed(place / "light", str(wheel), options, LIGHT)
        yield from _weighed(place / "light")
        yield from _installed(place / "light", f"{wheel}[pyperplan]", options, PLANNING)
        remove = [str(place / "light/bin/pip"), "uninstall", "-q", "-y", "scipy"]
        subprocess.run(remove, check=True, timeout=LIMIT, env=_clean())
        yield from _carried_out(place / "light", (*LIGHT[:3], *PLANNING[:3]), ", without scipy")
        if not light:
            yield from _installed(place / "libero", f"{wheel}[libero,pyperplan]", options, PHYSICS)


def _installed(place: Path, what: str, options: Sequence[str], commands: Sequence[Sequence[str]]) -> Iterator[Row]:
    """Install into an environment, measure it, and run commands there."""
    if not place.exists():
        venv.create(place, with_pip=True)
    empty, before, cpu = _megabytes(place), time.monotonic(), os.times()
    install = [str(place / "bin/pip"), "install", "-q", *options, what]
    subprocess.run(install, check=True, timeout=LIMIT, env=_clean(), stderr=subprocess.PIPE)
    seconds, used = time.monotonic() - before, os.times()
    busy = used.children_user + used.children_system - cpu.children_user - cpu.children_system
    values = {"s": seconds, "CPU s": busy, "MB": _megabytes(place) - empty}
    yield Row(f"pip install {Path(what).name}", None, values, case="installed")
    yield from _carried_out(place, commands)


def _weighed(place: Path) -> Iterator[Row]:
    """Licences of what is installed, what weighs most, and what is left without scipy."""
    done = subprocess.run([str(place / "bin/python"), "-c", LISTED], check=True, capture_output=True, env=_clean())
    found = [(name, size, words) for name, size, words in json.loads(done.stdout) if name not in ("pip", "setuptools")]
    gpl = [name for name, _, words in found if re.search("GPL|General Public", words)]
    yield Row("licences: no GPL", not gpl, {"packages": len(found)}, f"GPL: {', '.join(gpl)}")
    for name, size, _ in sorted(found, key=lambda each: -each[1])[:4]:
        yield Row(f"of which {name}", None, {"MB": size}, case="installed")
    left = sum(size for name, size, _ in found if name != "scipy")
    yield Row("without scipy", None, {"MB": left}, case="installed")


def _carried_out(place: Path, commands: Sequence[Sequence[str]], how: str = "") -> Iterator[Row]:
    """Run commands of an environment in a folder that has nothing of the checkout."""
    folder = place / "elsewhere"
    folder.mkdir(exist_ok=True)
    for words in commands:
        run = [str(place / "bin/tamp"), *words]
        done = subprocess.run(run, cwd=folder, env=_clean(), capture_output=True, text=True, timeout=LIMIT, check=False)
        detail = f"exit {done.returncode}: {(done.stderr + done.stdout)[-500:]}"
        yield Row(f"commands, {place.name}{how}", done.returncode == 0, {}, detail, shlex.join(words))


def _clean() -> dict[str, str]:
    """The environment without this checkout."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def _megabytes(folder: Path) -> float:
    return sum(p.lstat().st_size for p in folder.rglob("*") if not p.is_symlink() and p.is_file()) / 1e6
