"""Demonstrations: the two formats, what was being done when, and what a recording that was cut goes on with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pyarrow.parquet as pq
import pytest

from tamp.backends.libero.cameras import AGENT, CAMERAS
from tamp.runs.demonstrations import lerobot, libero_hdf5
from tamp.runs.demonstrations.recorder import FELT, DemoFormat, Demonstration, done_at
from tamp.runs.demonstrations.robosuite_state import axis_angle


def demonstration(n: int, instruction: str, seed: int = 0) -> Demonstration:
    rng = np.random.default_rng(seed)
    widths = dict(zip(FELT, (3, 4, 2, 7), strict=True))
    return Demonstration(
        task="libero_goal/8",
        instruction=instruction,
        seed=seed,
        period=0.05,
        images={c: rng.integers(0, 255, (n, 32, 32, 3), dtype=np.uint8) for c in CAMERAS},
        masks={c: rng.integers(0, 3, (n, 32, 32), dtype=np.uint8) for c in CAMERAS},
        felt={name: rng.normal(size=(n, width)) for name, width in widths.items()},
        actions=rng.uniform(-1, 1, (n, 7)),
        states=rng.normal(size=(n, 20)),
        things=("bowl_1", "plate_1"),
        poses=rng.normal(size=(n, 2, 7)),
        steps=("",) + ("(pick bowl_1 table)",) * (n - 1),
        facts=("(hand-empty)",) * n,
        disturbed_at=2,
        model="<mujoco/>",
        bddl="(define (problem LIBERO))",
    )


def made(form: DemoFormat, demos: list[Demonstration], folder: Path) -> Path:
    folders = []
    for number, demo in enumerate(demos):
        folders.append(folder / str(number))
        folders[-1].mkdir()
        form.write_episode(demo, folders[-1])
    form.assemble(folders, folder / "dataset")
    return folder / "dataset"


def test_a_lerobot_dataset_has_every_frame_under_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lerobot, "CHUNK", 2)
    demos = [demonstration(5, "stack", 0), demonstration(4, "open it", 1), demonstration(3, "stack", 2)]
    dataset = made(lerobot, demos, tmp_path)
    info = json.loads((dataset / "meta/info.json").read_text())
    assert (info["total_episodes"], info["total_frames"], info["total_tasks"], info["fps"]) == (3, 12, 2, 20)
    rows = pq.read_table(dataset / "data").to_pydict()
    assert rows["index"] == [*range(12)]
    assert np.allclose(rows["action"][5:9], demos[1].actions, atol=1e-6)
    assert {name for name in rows} == {k for k, f in info["features"].items() if f["dtype"] != "video"}
    episodes = pq.read_table(dataset / "meta/episodes").to_pylist()
    for episode, demo in zip(episodes, demos, strict=True):
        frames = slice(episode["dataset_from_index"], episode["dataset_to_index"])
        assert len(rows["index"][frames]) == len(demo.actions)
        for key in lerobot.VIDEOS.values():
            at = {
                "chunk_index": episode[f"videos/{key}/chunk_index"],
                "file_index": episode[f"videos/{key}/file_index"],
            }
            assert (dataset / info["video_path"].format(video_key=key, **at)).is_file()
        at = {"chunk_index": episode["data/chunk_index"], "file_index": episode["data/file_index"]}
        there = pq.read_table(dataset / info["data_path"].format(**at))["episode_index"].to_pylist()
        assert episode["episode_index"] in there
    tasks = {t["__index_level_0__"]: t["task_index"] for t in pq.read_table(dataset / "meta/tasks.parquet").to_pylist()}
    assert [tasks[d.instruction] for d in demos] == [rows["task_index"][e["dataset_from_index"]] for e in episodes]
    assert rows["disturbed"][:5] == [False, False, True, True, True]


def test_statistics_of_all_episodes_are_those_of_all_frames(tmp_path: Path) -> None:
    demos = [demonstration(6, "a", 0), demonstration(3, "b", 1)]
    dataset = made(lerobot, demos, tmp_path)
    found = json.loads((dataset / "meta/stats.json").read_text())["action"]
    actions = np.vstack([d.actions for d in demos])
    for what in ("min", "max", "mean", "std"):
        assert np.allclose(found[what], getattr(actions, what)(axis=0), atol=1e-6), what


def test_pictures_are_turned_as_policies_for_libero_take_them(tmp_path: Path) -> None:
    import imageio.v2 as imageio

    demo = demonstration(2, "a")
    corner = np.zeros((2, 32, 32, 3), dtype=np.uint8)
    corner[:, :16, :16, 0] = 255  # in LIBERO's own observations
    dataset = made(lerobot, [replace(demo, images=dict.fromkeys(CAMERAS, corner))], tmp_path)
    video = dataset / "videos" / lerobot.VIDEOS[AGENT] / "chunk-000/file-000.mp4"
    frame = np.asarray(imageio.get_reader(str(video)).get_data(0))
    assert frame[24, 24, 0] > 200 > 50 > frame[8, 8, 0]


def test_files_of_libero_hold_what_its_own_do(tmp_path: Path) -> None:
    demo = demonstration(4, "stack")
    dataset = made(libero_hdf5, [demo, demonstration(3, "stack", 1)], tmp_path)
    with h5py.File(dataset / "libero_goal-8_demo.hdf5") as file:
        data = file["data"]
        assert (data.attrs["num_demos"], data.attrs["total"]) == (2, 7)
        assert json.loads(data.attrs["problem_info"])["language_instruction"] == "stack"
        one = data["demo_0"]
        assert np.array_equal(one["actions"], demo.actions)
        assert np.array_equal(one["obs/agentview_rgb"], demo.images[AGENT])
        assert one["robot_states"].shape == (4, 9)
        assert [*one["dones"]] == [0, 0, 0, 1]
        assert [s.decode() for s in one["plan/steps"]] == [*demo.steps]
        assert np.array_equal(one.attrs["init_state"], demo.states[0])


def test_an_action_counts_from_the_control_period_after_it_was_begun() -> None:
    events = [
        {"event": "state", "atoms": ["(hand-empty)"]},
        {"event": "action", "action": "(pick a t)"},
        *({"event": "command", "step": n} for n in (1, 2)),
        {"event": "state", "atoms": ["(holding a)"]},
        {"event": "action", "action": "(place-on a b)"},
        {"event": "command", "step": 3},
    ]
    steps, facts = done_at(events, 4)
    assert steps == ("(pick a t)", "(pick a t)", "(place-on a b)", "(place-on a b)")
    assert facts == ("(hand-empty)", "(hand-empty)", "(holding a)", "(holding a)")


def test_rotation_vectors_are_robosuites() -> None:
    from robosuite.utils.transform_utils import quat2axisangle

    quaternions = np.random.default_rng(0).normal(size=(20, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    quaternions[0] = 0, 0, 0, 1
    assert np.allclose(axis_angle(quaternions), [quat2axisangle(q.copy()) for q in quaternions])
