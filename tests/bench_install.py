"""`make bench-install`: the wheel installed by pip into fresh environments, and used there outside of the checkout.

First without extras: seconds and megabytes (due under 60 and 150), then `tamp validate` and `check`; with `[pyperplan]`
in the same one, `plan`. Then with `[libero,pyperplan]`, and a `tamp solve` in real physics. `--no-cache` asks pip to
download everything anew; `--light` leaves the last out. Exit 1 where a command fails or a measure is above what is due.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
DUE_SECONDS, DUE_MEGABYTES = 60.0, 150.0
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
CARRIED = {
    "domains": r"tamp/_shipped/domains/tabletop/domain\.pddl",
    "problems": r"tamp/_shipped/problems/mug_in_drawer/scene\.toml",
    "templates": r".*\.j2",
    "scripts": r".*\.js",
    "styles": r".*\.css",
    "types": r"tamp/py\.typed",
    "robots": r"motion/robots/.+",
}
"""What the wheel carries besides Python, and what a file of each is called."""


def main() -> int:
    parser = argparse.ArgumentParser(description="The wheel in fresh environments.")
    parser.add_argument("--light", action="store_true", help="only without extras")
    parser.add_argument("--no-cache", action="store_true", help="download everything anew")
    told = parser.parse_args()
    options = ("--no-cache-dir",) if told.no_cache else ()
    with tempfile.TemporaryDirectory(prefix="tamp-install-") as folder:
        place = Path(folder)
        wheel = _wheel(place)
        sys.stdout.write(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB\n")
        fit = _carries(wheel)
        fit &= _environment(place / "light", str(wheel), options, LIGHT, due=True)
        fit &= _environment(place / "light", f"{wheel}[pyperplan]", options, PLANNING, due=False)
        if not told.light:
            fit &= _environment(place / "libero", f"{wheel}[libero,pyperplan]", options, PHYSICS, due=False)
    return 0 if fit else 1


def _wheel(place: Path) -> Path:
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(place)]
    build.append(str(ROOT))
    subprocess.run(build, check=True, timeout=LIMIT, env=_clean())
    return next(place.glob("*.whl"))


def _carries(wheel: Path) -> bool:
    names = zipfile.ZipFile(wheel).namelist()
    lacking = [what for what, name in CARRIED.items() if not any(re.fullmatch(name, n) for n in names)]
    sys.stdout.write(f"carries {', '.join(w for w in CARRIED if w not in lacking)}\n")
    if lacking:
        sys.stdout.write(f"LACKS {', '.join(lacking)}\n")
    return not lacking


def _environment(place: Path, what: str, options: Sequence[str], commands: Sequence[Sequence[str]], due: bool) -> bool:
    """Install into a new environment, say how long it took and how large it is, and run commands in it."""
    venv.create(place, with_pip=True)
    empty, before, cpu = _megabytes(place), time.monotonic(), os.times()
    install = [str(place / "bin/pip"), "install", "-q", *options, what]
    subprocess.run(install, check=True, timeout=LIMIT, env=_clean(), stderr=subprocess.PIPE)
    seconds, used = time.monotonic() - before, os.times()
    megabytes = _megabytes(place) - empty
    busy = used.children_user + used.children_system - cpu.children_user - cpu.children_system
    sys.stdout.write(f"\n{place.name}: {seconds:.0f} s ({busy:.0f} s of CPU), {megabytes:.0f} MB on disk\n")
    fit = not due or (seconds <= DUE_SECONDS and megabytes <= DUE_MEGABYTES)
    if due:
        sys.stdout.write(f"due: {DUE_SECONDS:.0f} s, {DUE_MEGABYTES:.0f} MB: {'kept' if fit else 'NOT KEPT'}\n")
        sys.stdout.write("".join(f"  {size:5.0f} MB  {name}\n" for size, name in _largest(place)))
    return all([_runs(place, words) for words in commands]) and fit


def _runs(place: Path, words: Sequence[str]) -> bool:
    """Run a command in a folder that has nothing of the checkout, and print it with what it said."""
    folder = place / "elsewhere"
    folder.mkdir(exist_ok=True)
    before = time.monotonic()
    run = [str(place / "bin/tamp"), *words]
    done = subprocess.run(run, cwd=folder, env=_clean(), capture_output=True, text=True, timeout=LIMIT, check=False)
    sys.stdout.write(f"$ tamp {shlex.join(words)}  (exit {done.returncode}, {time.monotonic() - before:.1f} s)\n")
    sys.stdout.write("".join(f"  {line}\n" for line in (done.stderr + done.stdout).splitlines()))
    sys.stdout.flush()
    return done.returncode == 0


def _clean() -> dict[str, str]:
    """The environment without this checkout."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def _megabytes(folder: Path) -> float:
    return sum(p.lstat().st_size for p in folder.rglob("*") if not p.is_symlink() and p.is_file()) / 1e6


def _largest(place: Path) -> list[tuple[float, str]]:
    packages = next(place.glob("lib/python*/site-packages"))
    sizes = sorted(((_megabytes(p), p.name) for p in packages.iterdir() if p.is_dir()), reverse=True)
    return sizes[:6]


if __name__ == "__main__":
    raise SystemExit(main())
