"""`tamp plan`: files in, a plan out, and three kinds of no."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tamp.model.atoms import Atom
from tamp.model.state import WorldState, problem_text
from tamp.pddl.domain_file import load
from tests import forked

pytestmark = pytest.mark.process

TAMP = Path(sys.executable).with_name("tamp")
STATE = WorldState(
    {"cup": "item", "bench": "surface", "chest": "drawer"},
    frozenset(
        {
            Atom("hand-empty"),
            Atom("clear", ("cup",)),
            Atom("on", ("cup", "bench")),
            Atom("closed", ("chest",)),
        }
    ),
)
PLAN = ["(open-drawer chest)", "(pick cup bench)", "(place-in cup chest)"]


def plan(folder: Path, goal: str, *options: str, state: WorldState = STATE) -> subprocess.CompletedProcess[str]:
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(load("tabletop").text)
    problem.write_text(problem_text(load("tabletop"), state, goal))
    return forked.tamp("plan", domain, problem, *options)


@pytest.mark.parametrize("planner", ["fast-downward", "pyperplan"])
def test_a_plan_is_printed_an_action_a_line(planner: str, tmp_path: Path) -> None:
    done = plan(tmp_path, "(in cup chest)", "--planner", planner, "--out", str(tmp_path / "plan.txt"))
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, sorted(PLAN)), done.stderr
    assert (tmp_path / "plan.txt").read_text() == done.stdout


def test_all_that_is_misspelt_is_told_at_once_and_where(tmp_path: Path) -> None:
    done = plan(tmp_path, "(and (in cop chest) (open chest bench))")
    line = (tmp_path / "problem.pddl").read_text()[: (tmp_path / "problem.pddl").read_text().index("cop")].count(
        "\n"
    ) + 1
    shown = done.stderr.splitlines()
    assert (done.returncode, done.stdout, len(shown)) == (2, "", 2)
    assert all(f"problem.pddl:{line}:" in message for message in shown)
    assert "there is no object 'cop' here; did you mean 'cup'?" in shown[0] and "takes" in shown[1]


@pytest.mark.parametrize(
    ("goal", "options", "says"),
    [
        ("(in cup chests)", (), "problem.pddl:"),
        ("(in cup chest)", ("--planner", "magic"), "unknown planner 'magic'; valid: fast-downward"),
        ("(in cup chest)", ("--planner", "qwen", "--llm", "none.gguf"), "no model file none.gguf"),
        ("(in cup chest)", ("--out", "no/such/folder/plan.txt"), "cannot write no/such/folder/plan.txt"),
    ],
)
def test_bad_input_exits_2(goal: str, options: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = plan(tmp_path, goal, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr and done.stderr.count("\n") == 1


FAULTY = Path(__file__).parents[1] / "tamp" / "pddl"
FAULTS = {"dies": "Dies", "lies": "Lies", "hungry": "OutOfMemory", "stubborn": "Stubborn"}


def faulty(folder: Path) -> dict[str, str]:
    """What is other in an environment in which unified-planning knows the faulty engines too."""
    sections = [f"[engine {name}]\nmodule_name: faulty_engines\nclass_name: {of}\n" for name, of in FAULTS.items()]
    (folder / ".up.ini").write_text("\n".join(sections))
    paths = [str(FAULTY), os.environ.get("PYTHONPATH", "")]
    pids = {"FAULTY_ENGINE_PIDS": str(folder / "pids")}
    return {"HOME": str(folder), "PYTHONPATH": os.pathsep.join(paths), **pids}


def written(folder: Path, goal: str) -> Path:
    problem = folder / "problem.pddl"
    problem.write_text(problem_text(load("tabletop"), STATE, goal))
    return problem


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    """The command with the faulty engines at hand, in a process group of its own as a shell starts it."""
    command = [TAMP, "plan", "tabletop", written(folder, "(in cup chest)"), *options]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.PIPE}
    return subprocess.Popen(command, text=True, env={**os.environ, **faulty(folder)}, process_group=0, **streams)  # type: ignore[call-overload, no-any-return]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def stubborn_pids(folder: Path, command: subprocess.Popen[str]) -> list[int]:
    """The processes of the stubborn engine, when all of them run."""
    while not (folder / "pids").exists():
        assert command.poll() is None, command.communicate()
        time.sleep(0.05)
    return list(map(int, (folder / "pids").read_text().split()))


@pytest.mark.parametrize(
    ("engine", "status", "says"),
    [
        ("dies", "failed", "dies failed: its process was ended by SIGABRT"),
        ("lies", "failed", "lies answered with a plan that is not valid: step "),
        ("hungry", "gave up", "hungry ran out of memory"),
    ],
)
def test_an_engine_that_fails_is_one_clear_line(engine: str, status: str, says: str, tmp_path: Path) -> None:
    problem = written(tmp_path, "(in cup chest)")
    done = forked.tamp("plan", "tabletop", problem, "--planner", engine, **faulty(tmp_path))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"{status}: {says}")


def test_an_interrupt_ends_the_engine_too(tmp_path: Path) -> None:
    done = start(tmp_path, "--planner", "stubborn")
    pids = stubborn_pids(tmp_path, done)
    os.killpg(done.pid, signal.SIGINT)  # Ctrl-C at a terminal
    assert (done.communicate(), done.returncode) == (("", "tamp: interrupted\n"), 130)
    assert [p for p in pids if alive(p)] == []


def test_an_engine_that_heeds_no_time_limit_is_ended_with_all_its_children(tmp_path: Path) -> None:
    done = start(tmp_path, "--planner", "stubborn", "--timeout", "4", "--json")
    pids = stubborn_pids(tmp_path, done)
    answer = json.loads(done.communicate()[0])
    assert (done.returncode, answer["status"]) == (1, "timeout")
    assert answer["seconds"] < 60  # it would sleep for ten minutes
    assert (len(pids), [p for p in pids if alive(p)]) == (5, [])


def test_no_orphan_is_left_when_the_command_itself_is_killed(tmp_path: Path) -> None:
    done = start(tmp_path, "--planner", "stubborn")
    pids = stubborn_pids(tmp_path, done)
    done.kill()
    done.communicate()
    while any(map(alive, pids)):  # a test's own time limit ends this
        time.sleep(0.05)


def test_a_problem_can_come_from_standard_input() -> None:
    text = problem_text(load("tabletop"), STATE, "(in cup chest)")
    done = forked.tamp("plan", "tabletop", "-", "--planner", "fast-downward-opt", "--json", given=text)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["optimal"], answer["cost"], answer["length"]) == (0, True, 3, 3)


def test_an_unsolvable_problem_is_explained(tmp_path: Path) -> None:
    stuck = STATE.with_facts(frozenset({Atom("unreachable", ("chest",))}))
    done = plan(tmp_path, "(and (in cup chest) (holding cup))", "--json", state=stuck)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["status"]) == (1, "unsolvable")
    never = ["(in cup chest)", "(open chest)", "(not (unreachable chest))"]
    assert answer["why"] == {"never": never, "drop": ["(in cup chest)"], "complete": True, "exclusive": []}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--planner", "tamer"), "planner 'tamer' is not installed: pip install up-tamer"),
        (("--planner", "fast-donward"), "unknown planner 'fast-donward'; did you mean 'fast-downward'"),
    ],
)
def test_options_that_cannot_be_met_exit_2(options: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = plan(tmp_path, "(in cup chest)", *options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr
