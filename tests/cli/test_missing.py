"""An installation without the extras: what goes without them, and what is said about the rest."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from cli.missing import EXTRAS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CASE = ROOT / "problems/cases/drawer_first"
WITH_UNIFIED_PLANNING = {"scipy", "up_fast_downward", "up_pyperplan"}
"""What it imports itself where it is there."""


def commands(*lines: str, without: tuple[str, ...] = ()) -> list[tuple[int, str]]:
    """Exit code and standard error of commands, one after the other in one process that lacks some packages; the last
    entry has what was imported."""
    code = f"""
import contextlib, io, json, sys
sys.modules.update(dict.fromkeys({without!r}))
from cli.main import main
told = []
for line in {[line.split() for line in lines]!r}:
    sys.argv = ["tamp", *line]
    with contextlib.redirect_stderr(io.StringIO()) as err, contextlib.redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as end:
            told.append((end.code, err.getvalue()))
told.append((0, " ".join(name for name, module in sys.modules.items() if module)))
print(json.dumps(told))
"""
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    return [(int(code), str(text)) for code, text in json.loads(done.stdout.splitlines()[-1])]


@pytest.mark.process
def test_planning_and_judging_import_nothing_of_the_extras() -> None:
    *ended, (_, loaded) = commands(
        "check tabletop",
        f"plan tabletop {CASE}/problem.pddl",
        f"validate tabletop {CASE}/problem.pddl {CASE}/good.plan",
        "report docs/results/libero_oracle.jsonl.gz",
    )
    assert [code for code, _ in ended] == [0, 0, 0, 0], ended
    assert EXTRAS.keys() & set(loaded.split()) <= WITH_UNIFIED_PLANNING


@pytest.mark.process
def test_without_a_planner_the_rest_goes_on_and_the_extras_with_one_are_named() -> None:
    *judged, planned, cases, solved, named, (_, loaded) = commands(
        "check tabletop",
        f"validate tabletop {CASE}/problem.pddl {CASE}/good.plan",
        f"plan tabletop {CASE}/problem.pddl",
        f"check --cases {CASE}",
        "solve --goal (holding mug_1)",
        f"plan tabletop {CASE}/problem.pddl --planner pyperplan",
        without=("up_fast_downward", "up_pyperplan"),
    )
    assert [code for code, _ in judged] == [0, 0], judged
    extras = 'pip install "tamp-toolkit[fast-downward]" or "tamp-toolkit[pyperplan]"'
    shown = (2, f"tamp: error: no planner is installed: {extras}\n")
    assert [planned, cases, solved, named] == [shown] * 4
    assert "pyperplan" not in loaded.split()


@pytest.mark.process
def test_what_lacks_a_package_names_the_extra_that_brings_it() -> None:
    ended = commands(
        "solve --goal (holding mug_1)",
        "check kitchen",  # its own skills need it
        "view --world bench",
        "solve x --backend pybullet",
        f"plan tabletop {CASE}/problem.pddl",
        f"plan tabletop {CASE}/problem.pddl --planner fast-downward",
        without=("mujoco", "up_fast_downward"),
    )
    install = 'pip install "tamp-toolkit[{}]"'.format
    stands_in = f"tamp: fast-downward is not installed, pyperplan plans instead: {install('fast-downward')}\n"
    assert ended[:4] == [
        (2, f"{stands_in}tamp: solve needs mujoco: {install('libero')}\n"),
        (2, f"tamp: check needs mujoco: {install('libero')}\n"),
        (2, f"tamp: view needs mujoco: {install('xarm')}\n"),
        (2, f"{stands_in}tamp: solve needs mujoco: {install('pybullet')}\n"),
    ]
    assert ended[4] == (0, f"{stands_in}tamp: 3 steps, cost 3\n")
    assert ended[5][0] == 2 and "not installed: " + install("fast-downward") in ended[5][1]


def test_every_import_comes_with_tamp_or_with_the_extra_that_is_named() -> None:
    base = {*map(_name, PROJECT["dependencies"])}
    base |= {_name(r) for d in base for r in metadata.requires(d) or () if "extra ==" not in r}
    brought = metadata.packages_distributions()
    unknown = []
    for name in sorted(_imported()):
        distributions = {_canonical(d) for d in brought.get(name, [name])}
        if distributions & base and name not in EXTRAS:
            continue
        extras = EXTRAS.get(name, ())
        if not extras or not all(distributions & _brings(extra) for extra in extras):
            unknown.append(name)
    assert unknown == []


def _imported() -> set[str]:
    """The third-party packages that the source imports, by name."""
    own = {"tamp", "motion", "llm", "cli"} | sys.stdlib_module_names
    names: set[str] = set()
    for path in (p for room in ("tamp", "motion", "llm", "cli") for p in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {a.name for a in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(str(node.module))
    return {name.partition(".")[0] for name in names} - own


def _brings(extra: str) -> set[str]:
    """The distributions that an extra names, its own extras followed."""
    found: set[str] = set()
    for requirement in PROJECT["optional-dependencies"][extra]:
        if own := re.match(r"tamp-toolkit\[(.*)\]", requirement):
            found |= {d for inner in own[1].split(",") for d in _brings(inner)}
        else:
            found.add(_name(requirement))
    return found


def _name(requirement: str) -> str:
    return _canonical(re.split(r"[^\w.-]", requirement)[0])


def _canonical(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()
