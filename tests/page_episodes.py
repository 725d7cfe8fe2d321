"""Episodes and results that pages are made of in tests: made up, as runs leave them."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tamp.pddl.domain_file import load
from tamp.runs.bench.records import EpisodeRecord
from tamp.view.episode_page import RunStatus, notes_on, shown
from tamp.view.story import Story
from tamp.view.summary import verdict_of

MARKUP = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"

PROBLEM = """(define (problem scene) (:domain tabletop)
  (:objects drawer_1 - drawer table_1 - surface mug_1 plate_1 - item)
  (:init (clear mug_1) (clear plate_1) (closed drawer_1) (hand-empty) (on mug_1 table_1) (on plate_1 table_1))
  (:goal (and (in mug_1 drawer_1))))
"""
PLAN = ["(open-drawer drawer_1)", "(pick mug_1 table_1)", "(place-in mug_1 drawer_1)"]
ATOMS = ["(clear plate_1)", "(hand-empty)", "(on plate_1 table_1)"]
START = {"schema": 1, "task": "mug_in_drawer", "instruction": "put the mug in the drawer", "perception": "oracle"}
SCENE = {
    "objects": {"mug_1": "mug", "plate_1": "plate"},
    "poses": {"mug_1": [0.0, 0.1, 0.9, 1, 0, 0, 0], "plate_1": [0.1, 0.2, 0.9, 1, 0, 0, 0]},
    "boxes": {"mug_1": [[-0.04, 0.06, 0.86], [0.04, 0.14, 0.96]]},
}
STATES = [
    [*ATOMS, "(clear mug_1)", "(closed drawer_1)", "(on mug_1 table_1)"],
    [*ATOMS, "(clear mug_1)", "(open drawer_1)", "(on mug_1 table_1)"],
    ["(clear plate_1)", "(on plate_1 table_1)", "(clear mug_1)", "(open drawer_1)", "(holding mug_1)"],
    [*ATOMS, "(clear mug_1)", "(open drawer_1)", "(in mug_1 drawer_1)"],
]


def event(kind: str, t: float, /, **shown_text: Any) -> dict[str, Any]:
    """A line of a log."""
    return {"event": kind, "t": t, **shown_text}


def success() -> list[dict[str, Any]]:
    """Three actions that are done, twenty control steps each, after the model was asked."""
    shown_text = [event("start", 0.0, **START), event("scene", 1.0, **SCENE), event("state", 1.0, atoms=STATES[0])]
    shown_text += [event("instruction", 1.1, text=START["instruction"])]
    shown_text += [event("prompt", 1.2, model="small", messages=[{"role": "user", "content": "Said: put it there"}])]
    shown_text += [event("reply", 1.5, begun="", text="[the mug] is ", probability=0.9)]
    shown_text += [event("reply", 1.6, begun="[the mug] is", text=" in [the drawer].", probability=0.8)]
    shown_text += [event("goal", 2.0, goal="(in mug_1 drawer_1)", untouched=[])]
    shown_text += [event("plan", 2.5, status="found", plan=PLAN), event("refined", 3.5, seconds=0.8, notes=[])]
    for n, action in enumerate(PLAN):
        shown_text += [event("action", 4.0 + n, action=action, note={})]
        shown_text += [
            event(
                "command",
                4.2 + n + k / 100,
                step=20 * n + k + 1,
                stage="move",
                tool=[0.01 * k, 0.1 * n, 1.0 - 0.01 * k],
            )
            for k in range(20)
        ]
        shown_text += [event("result", 4.9 + n, success=True, action=action, missing=None, steps=20, difference=None)]
        shown_text += [event("state", 4.9 + n, atoms=STATES[n + 1])]
    end = {"success": True, "reached": True, "task": True, "goal": "(in mug_1 drawer_1)", "steps": 60}
    return [*shown_text, event("outcome", 8.0, **end, perception="oracle", seconds={"plan": 0.5, "refine": 0.8})]


def failure() -> list[dict[str, Any]]:
    """The mug is not in the drawer after it was put there; then no plan has motions. Its names are markup."""
    shown_text = [e for e in success() if e["t"] < 6.5 and not (e["event"] == "command" and e["step"] > 40)]
    shown_text[0] |= {"instruction": MARKUP, "scene_instruction": MARKUP}
    shown_text = [e | {"text": MARKUP} if e["event"] == "instruction" else e for e in shown_text]
    wrong = "mug_1 is not in drawer_1"
    shown_text += [
        event("result", 6.6, success=False, action=PLAN[2], missing=wrong, steps=5, difference="mug_1 is 20 mm off")
    ]
    shown_text += [event("state", 6.6, atoms=STATES[1]), event("plan", 6.8, status="found", plan=PLAN[1:])]
    no = {"action": PLAN[1], "reason": "no-room", "message": f"no room {MARKUP}", "blockers": ["plate_1", MARKUP]}
    shown_text += [event("infeasible", 7.0, **no, facts=["(no-grasp mug_1)"], causes=[], seconds=0.2)]
    shown_text += [event("plan", 7.2, status="unsolvable", plan=None)]
    end = {"success": False, "reached": False, "task": None, "goal": "(in mug_1 drawer_1)", "steps": 45}
    return [
        *shown_text,
        event("outcome", 8.0, **end, perception="oracle", stage="refinement", reason=f"no room {MARKUP}"),
    ]


def write(folder: Path, events: list[dict[str, Any]], tail: str = "") -> Path:
    """An episode's folder with these events; `tail` is what stands after the last line."""
    folder.mkdir(parents=True)
    (folder / "episode.jsonl").write_text("".join(json.dumps(e) + "\n" for e in events) + tail)
    (folder / "domain.pddl").write_text(load("tabletop").text)
    (folder / "problem.pddl").write_text(PROBLEM)
    (folder / "plan.txt").write_text("\n".join(PLAN) + "\n")
    return folder


def page_content(folder: Path) -> SimpleNamespace:
    """What the page of an episode in a folder lays out, and its story."""
    log = folder / "episode.jsonl"
    story = Story.of(log)
    ended = story.ending()
    notes = notes_on(story, ended, not log.read_bytes().endswith(b"\n"))
    return SimpleNamespace(story=story, **shown(story, RunStatus(ended.verdict, verdict_of(ended), notes)))


def record(suite: str, task: int, k: int, **shown_text: Any) -> EpisodeRecord:
    """A line of a benchmark's results."""
    usual = {"language": "do it", "seed": 0, "wall_seconds": 2.0, "tree": "abc123", "success": True, "lasting": True}
    return EpisodeRecord(suite=suite, task_id=task, init_state=k, **{**usual, "steps": 90, **shown_text})


def lines(*records: EpisodeRecord) -> str:
    """Records as a file of results has them."""
    return "".join(json.dumps(asdict(r)) + "\n" for r in records)


def benchmark(folder: Path, seed: int, failing: float) -> Path:
    """A run over 2,900 episodes, as `make bench` makes it, of which about this share failed."""
    folder.mkdir(parents=True)
    draw, found = random.Random(seed), []
    suites = [
        *((s, 10, 50) for s in ("libero_spatial", "libero_object", "libero_goal", "libero_10")),
        ("libero_90", 90, 10),
    ]
    for suite, tasks, states in suites:
        for task in range(tasks):
            for k in range(states):
                ok, took = draw.random() >= failing, draw.lognormvariate(-0.5, 0.6)
                why = {} if ok else {"failure_stage": "refinement", "failure_reason": draw.choice(("no grasp", MARKUP))}
                shown_text = {"success": ok, "planning_seconds": took, "wall_seconds": 3 * took, **why}
                found.append(record(suite, task, k, **shown_text))
    (folder / "results.jsonl").write_text(lines(*found))
    return folder


POSTURE = [0.0, -0.161, 0.0, -2.444, 0.0, 2.283, 0.785]


def with_arm() -> list[dict[str, Any]]:
    """The success, by a Panda whose joints are told; the mug is gripped in step 30, and let go of in step 50."""
    stands = event("robot", 0.5, body="panda", shoulder=[-0.66, 0.0, 1.245, 1.0, 0.0, 0.0, 0.0], period=0.05)
    shown_text = [e | ({"q": POSTURE, "fingers": 0.08} if e["event"] == "command" else {}) for e in success()]
    for e in shown_text:
        if e["event"] == "command":
            e["stage"] = "grip" if e["step"] in (30, 31, 50, 51) else "move"
            e["tool"] = [0.0, 0.1, 0.9 + max(0, e["step"] - 31) / 200]
    end = event("final", 7.9, poses={"mug_1": [0.3, 0.0, 1.0, 1, 0, 0, 0]}, atoms=STATES[3])
    return [shown_text[0], stands, *shown_text[1:-1], end, shown_text[-1]]


CHEST = [
    {"name": "", "kind": "body", "shapes": [["box", [0.1, 0.1, 0.1], [0, 0, 0, 1, 0, 0, 0]]], "joint": None},
    {
        "name": "_drawer",
        "kind": "drawer",
        "shapes": [["box", [0.08, 0.1, 0.08], [0, 0, 0, 1, 0, 0, 0]]],
        "joint": {"kind": "slide", "axis": [0, 1, 0], "anchor": [0, 0, 0], "value": 0.0, "active": 0.15, "rest": 0.01},
    },
    {
        "name": "_door",
        "kind": "door",
        "shapes": [["box", [0.1, 0.01, 0.1], [0, -0.1, 0, 1, 0, 0, 0]]],
        "joint": {
            "kind": "hinge",
            "axis": [0, 0, 1],
            "anchor": [0.1, -0.1, 0],
            "value": 0.0,
            "active": 1.4,
            "rest": 0.1,
        },
    },
]
"""A chest of 20 cm with a drawer, and a door at its back that hinges on the edge of its right side."""
TURNED = [0.5, 0.5, 0.9, 0.70711, 0, 0, 0.70711]
"""Where it stands, a quarter of a turn to the left: its drawer comes out towards -x."""


def with_chest() -> list[dict[str, Any]]:
    """The success, where a chest's drawer is seen open after the first action, and its door after the third."""
    values = iter(({}, {"_drawer": 0.2}, {}, {"_door": 1.5708}))
    box = [[0.38, 0.39, 0.8], [0.61, 0.61, 1.0]]
    there = {"objects": {"chest": "cabinet"}, "poses": {"chest": TURNED}, "boxes": {"chest": box}}
    shut = {"parts": {"chest": CHEST}, "joints": {"chest": {"_drawer": 0.0, "_door": 0.0}}}

    def seen(e: dict[str, Any]) -> dict[str, Any]:
        if e["event"] == "scene":
            return e | {key: {**e[key], **more} for key, more in there.items()} | shut
        return e | {"poses": {"chest": TURNED}, "joints": {"chest": next(values)}} if e["event"] == "state" else e

    return [seen(e) for e in success()]


def of_an_arm() -> list[dict[str, Any]]:
    """An xArm that runs a plan of two steps, and stops in the second one."""
    steps = ["MoveToNamed('home')", "RetreatZ(80 mm)"]
    shown_text = [
        event("start", 0.0, goal=None, world="bench", arm="xarm6", tool=[0, 0, 0.12, 1, 0, 0, 0], steps=steps)
    ]
    for n, says in enumerate(steps):
        shown_text += [
            event("step", 1.0 + n, number=n + 1, action=says[:-2], says=says),
            event("leg", 1.2 + n, way="joints"),
        ]
        shown_text += [
            event("at", 1.2 + n + k / 50, q=[0.0, -0.1 * k, -0.1 * k, 0.0, 0.2 * k, 0.0], state=1) for k in range(5)
        ]
        shown_text += [event("done", 1.3, number=1, action="MoveToNamed", seconds=0.3)] if n == 0 else []
    shown_text += [event("abort", 2.4, number=2, why="error", reason="error 31")]
    return [*shown_text, event("outcome", 2.4, success=False, kind="error", reason="error 31", halted=None)]


RECORDED = Path(__file__).parent / "recorded_logs"
"""Logs as runs left them: the demo in PyBullet, by camera in LIBERO, a live session of the fake, an xArm that
runs a plan, and a task without a motion."""


def recorded(folder: Path, name: str) -> Path:
    """The folder of an episode that was recorded, with its domain, and its problem where that was kept."""
    folder.mkdir(parents=True)
    (folder / "episode.jsonl").write_bytes(gzip.decompress((RECORDED / f"{name}.jsonl.gz").read_bytes()))
    if (problem := RECORDED / f"{name}.pddl").is_file():
        (folder / "domain.pddl").write_text(load("tabletop").text)
        (folder / "problem.pddl").write_text(problem.read_text())
    return folder
