"""Demonstrations as LIBERO's own files: an HDF5 a task, as `scripts/create_dataset.py` of LIBERO writes them.

Besides LIBERO's groups each demonstration has `plan`: the action and the facts of each control period, poses of things,
and masks where they were recorded.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np

from motion.poses import Array
from tamp.backends.libero.cameras import AGENT, WRIST
from tamp.files.replacing import replace_file
from tamp.runs.demonstrations.recorder import INDEX, Demonstration
from tamp.runs.demonstrations.robosuite_state import axis_angle

PICTURES = {AGENT: "agentview_rgb", WRIST: "eye_in_hand_rgb"}


def write_episode(demo: Demonstration, folder: Path) -> None:
    """Write what `assemble` makes the files of."""
    felt, n = demo.felt, len(demo.actions)
    position, turned = felt["robot0_eef_pos"], axis_angle(felt["robot0_eef_quat"])
    last = (np.arange(n) == n - 1).astype(np.uint8)
    fingers, quaternion = felt["robot0_gripper_qpos"], felt["robot0_eef_quat"]
    arrays: dict[str, Array] = {
        "actions": demo.actions,
        "states": demo.states,
        "robot_states": np.hstack([fingers, position, quaternion]),
        "rewards": last,
        "dones": last,
        "obs/ee_pos": position,
        "obs/ee_ori": turned,
        "obs/ee_states": np.hstack([position, turned]),
        "obs/gripper_states": fingers,
        "obs/joint_states": felt["robot0_joint_pos"],
        "plan/poses": demo.poses,
    }
    with h5py.File(folder / "demo.hdf5", "w") as file:
        for name, values in arrays.items():
            file[name] = values
        for camera, name in PICTURES.items():
            file.create_dataset(f"obs/{name}", data=demo.images[camera], compression="gzip", compression_opts=1)
            if camera in demo.masks:
                file.create_dataset(f"plan/mask_{name}", data=demo.masks[camera], compression="gzip")
        for name, said in (("steps", demo.steps), ("facts", demo.facts), ("things", demo.things)):
            file[f"plan/{name}"] = list(said)
        file.attrs.update(num_samples=n, model_file=demo.model, init_state=demo.states[0], seed=demo.seed)
        if demo.disturbed_at is not None:
            file.attrs["disturbed_at"] = demo.disturbed_at
    about = {"task": demo.task, "instruction": demo.instruction, "bddl": demo.bddl}
    replace_file(folder / INDEX, json.dumps(about))


def assemble(folders: Sequence[Path], out: Path) -> None:
    """Make the files in `out`, which is not there yet, of episodes that were written."""
    out.mkdir(parents=True)
    by_task = defaultdict[str, list[tuple[Path, dict[str, str]]]](list)
    for folder in folders:
        about = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        by_task[about["task"]].append((folder, about))
    for task, demos in by_task.items():
        about = demos[0][1]
        with h5py.File(out / f"{task.replace('/', '-')}_demo.hdf5", "w") as file:
            data, total = file.create_group("data"), 0
            for n, (folder, _) in enumerate(demos):
                with h5py.File(folder / "demo.hdf5") as one:
                    group = data.create_group(f"demo_{n}")
                    for name in one:
                        one.copy(name, group)
                    group.attrs.update(one.attrs)
                    total += int(one.attrs["num_samples"])
            data.attrs.update(
                env_name="Libero", num_demos=len(demos), total=total, tag="libero-v1",
                macros_image_convention="opengl", bddl_file_name=task, bddl_file_content=about["bddl"],
                problem_info=json.dumps({"language_instruction": about["instruction"], "domain_name": "robosuite"}),
                env_args=json.dumps({"type": 1, "env_kwargs": {"robots": ["Panda"], "control_freq": 20}}),
            )  # fmt: skip
