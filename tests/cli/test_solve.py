"""`tamp solve` as a user runs it: bad input, an interrupted run, and real episodes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cli.output import Output
from cli.solve import report
from tamp.data import data_dir
from tamp.runs.episode import Result
from tamp.runs.episode_log import read
from tests.forked import tamp
from tests.small_scene import written

pytestmark = pytest.mark.process

TAMP = Path(sys.executable).with_name("tamp")
TABLETOP = data_dir("domains") / "tabletop"
GOAL = "(in mug_1 cabinet_1_top_region)"


def edited_domain(folder: Path, old: str, new: str, binding: str = "") -> Path:
    folder.mkdir()
    text = (TABLETOP / "domain.pddl").read_text()
    assert old in text
    (folder / "domain.pddl").write_text(text.replace(old, new, 1))
    (folder / "skills.toml").write_text((TABLETOP / "skills.toml").read_text() + binding)
    return folder


def never(text: str, action: str) -> str:
    """The domain's text with an action that can be taken in no situation."""
    start = text.index(f"(:action {action}\n")
    return text[:start] + text[start:].replace("(hand-empty)", "(hand-empty) (not (hand-empty))", 1)


BAD_INPUT: dict[str, tuple[list[str], str]] = {
    "neither": ([], "say what to do"),
    "empty": ([""], "the instruction is empty"),
    "scene": (["x", "--scene", "mug_in_draw"], "did you mean 'mug_in_drawer'"),
    "no body": (["x", "--backend", "pybullet", "--body", "xarm9"], "no robot 'xarm9'; "),
    "no address": (["x", "--backend", "xarm", "--body", "xarm7"], "no --host: an arm at a table needs its address"),
    "no eyes": (["x", "--backend", "xarm", "--body", "xarm6", "--host", "127.0.0.1"], "no --eyes: an arm at a table"),
    "arm's world": (["x", "--backend", "xarm"], "no world: give --world FILE"),
    "arm's goal": (["--goal", "(in a b)", "--backend", "xarm"], "an arm takes words"),
    "host": (["x", "--host", "10.0.0.1"], "--host: for a real arm, --backend xarm; valid for --backend libero"),
    "weights": (["x", "--llm", "none.gguf"], "no model file none.gguf"),
    "model": (["x", "--llm", "gpt"], "unknown model 'gpt'; known: qwen2.5-coder-1.5b"),
}


Ended = dict[str, tuple[subprocess.CompletedProcess[str], Path]]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Every case of bad input, run in a folder of its own, as many at a time as there are cores."""
    folders = {case: tmp_path_factory.mktemp(case) for case in BAD_INPUT}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        runs = {
            case: pool.submit(tamp, "solve", *arguments, cwd=folders[case])
            for case, (arguments, _) in BAD_INPUT.items()
        }
        return {case: (run.result(), folders[case]) for case, run in runs.items()}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_clear_line_and_exit_2(case: str, ended: Ended) -> None:
    says, (done, folder) = BAD_INPUT[case][1], ended[case]
    lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert [line for line in lines if line.startswith("tamp: error: ")] == lines[-1:]
    assert says in lines[-1]
    assert all(line.startswith("tamp: ") for line in lines)
    assert list(folder.iterdir()) == [], "nothing is left behind"


def test_missing_weights_name_the_command_that_gets_them(tmp_path: Path) -> None:
    done = tamp("solve", "put the mug in the drawer", TAMP_MODELS=str(tmp_path), cwd=tmp_path)
    assert done.returncode == 2
    assert "tamp model pull qwen2.5-coder-1.5b" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failure_is_told_once_with_a_line_for_each_plan_and_where_to_look() -> None:
    out, gave_up = io.StringIO(), "gave up after 20 s of 20 s; this is no proof that it cannot be done; what was tried:"
    reason = f"{gave_up} (pick a table): no way; too far; (slide a table tray): it tips over; it is tall"
    result = Result(stage="refinement", reason=reason, plan=["(pick a table)", "(place a tray)"], out="e 1")
    report(result, Output(out, json=False), True)
    shown = out.getvalue().partition("\nreason   ")[2]
    assert shown.splitlines()[:3] == [
        f"refinement: {gave_up}",
        "         (pick a table): no way; too far",
        "         (slide a table tray): it tips over; it is tall",
    ]
    assert "\ndone     none\n" in out.getvalue() and "\nsee      tamp report 'e 1' --html FILE\n" in out.getvalue()


@pytest.mark.episode
def test_an_interrupted_run_exits_130_and_keeps_what_was_done(tmp_path: Path) -> None:
    log = tmp_path / "e" / "episode.jsonl"
    command = [TAMP, "solve", "--goal", GOAL, "--out", str(log.parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        deadline = time.monotonic() + 120
        while '"command"' not in (log.read_text() if log.exists() else ""):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        said, answer = process.stderr.read(), process.stdout.read()
    assert said.splitlines()[-1] == f"tamp: interrupted; what was done is in {log.parent}"
    assert "Traceback" not in said and answer == ""
    events = [e["event"] for e in read(log)]
    assert events[0] == "start" and events[-1] == "interrupted"
    assert events.count("command") >= 1
    assert (log.parent / "plan.txt").read_text().startswith("(open-drawer ")


@pytest.mark.episode
def test_an_episode_leaves_everything_in_its_folder_and_prints_one_object(tmp_path: Path) -> None:
    """By LIBERO's own check; an operator of one's own did the taking, through the skill it is bound to."""
    operator = (
        "(:action grab\n    :parameters (?o - item ?from - surface)"
        "\n    :precondition (and (hand-empty) (clear ?o) (on ?o ?from))"
        "\n    :effect (and (holding ?o) (not (hand-empty)) (not (on ?o ?from))))"
        "\n\n  (:action pick"
    )
    folder = edited_domain(tmp_path / "d", "(:action pick", operator, 'grab = "pick"\n')
    path = folder / "domain.pddl"
    path.write_text(never(path.read_text(), "pick"))
    out = tmp_path / "e"
    done = tamp("solve", "--goal", GOAL, "--domain", str(folder), "--seed", "1", "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {"success", "goal", "plan", "steps", "seconds", "stage", "reason", "out"} <= answer.keys()
    assert (answer["success"], answer["stage"], answer["perception"]) == (True, None, "oracle")
    assert [a.split()[0] for a in answer["plan"]] == ["(open-drawer", "(grab", "(place-in"]
    assert 0 < answer["steps"] <= 300
    assert {"domain.pddl", "problem.pddl", "plan.txt", "episode.jsonl"} == {p.name for p in out.iterdir()}
    assert (out / "domain.pddl").read_text() == (folder / "domain.pddl").read_text()
    assert (out / "plan.txt").read_text().splitlines() == answer["plan"]
    events = read(out / "episode.jsonl")
    assert events[0]["schema"] == 1 and events[0]["versions"]["mujoco"] == "3.3.2"
    achieved = [e["action"].split()[0] for e in events if e["event"] == "result" and e["success"]]
    assert achieved[:2] == ["(open-drawer", "(grab"]
    shown = sum(e["steps"] for e in events if e["event"] == "result")
    assert shown == answer["total_steps"] >= answer["steps"], "the hand's way out is told of the last action"
    again = tamp("solve", "--goal", GOAL, "--out", str(out))
    assert again.returncode == 2
    assert "already holds an episode: choose another --out" in again.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "is an MJCF scene, of which LIBERO's simulator knows nothing; valid: solve with --backend mujoco"),
        (("--backend", "mujoco", "--init-state", "0"), "has no stored initial states: draw one with --seed"),
        (("--backend", "mujoco", "--perception", "camera"), "is MJCF, whose things are in no library of objects"),
        (("--backend", "mujoco", "--body", "xarm9"), "no robot 'xarm9'"),
        (("--backend", "mujoco", "--goal", "(in block_1 crate)"), "crate"),
    ],
)
def test_where_an_mjcf_scene_does_not_go(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    goal = [] if "--goal" in options else ["--goal", "(in block_1 crate_contain_region)"]
    done = tamp("solve", "--scene", str(written(tmp_path)), *goal, *options, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
