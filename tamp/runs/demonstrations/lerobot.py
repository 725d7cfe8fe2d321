"""Demonstrations as a LeRobotDataset v3.0, with the features that policies for LIBERO take.

    data/chunk-000/file-000.parquet              a row a control period
    videos/observation.images.image/…            the fixed camera, turned by 180 degrees; image2: the one on the hand
    meta/info.json, stats.json, tasks.parquet, subtasks.parquet, episodes/…
    privileged/episode_000000.npz                what no robot sees: MuJoCo's states, poses of things, masks

The layout follows lerobot 0.4.4 (`lerobot/datasets/utils.py`). Actions of the plan are LeRobot's subtasks.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import imageio.v2 as imageio
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from motion.poses import Array
from tamp.backends.libero.cameras import AGENT, WRIST
from tamp.files.replacing import replace_file
from tamp.runs.demonstrations.recorder import INDEX, Demonstration
from tamp.runs.demonstrations.robosuite_state import axis_angle

VERSION = "v3.0"
CHUNK = 1000
"""Files a folder, and episodes a file of the table."""
VIDEOS = {AGENT: "observation.images.image", WRIST: "observation.images.image2"}
STATE = ("x", "y", "z", "rx", "ry", "rz", "finger_1", "finger_2")
ACTION = ("dx", "dy", "dz", "drx", "dry", "drz", "gripper")
JOINTS = tuple(f"joint_{n}" for n in range(1, 8))
VECTORS = {"observation.state": STATE, "observation.joints": JOINTS, "action": ACTION}
SAMPLED = 50
"""Frames of a video that its statistics are of."""
PLACE = "chunk-{chunk_index:03d}/file-{file_index:03d}"


def write_episode(demo: Demonstration, folder: Path) -> None:
    """Write what `assemble` makes a dataset of."""
    pictures = {}
    for camera, key in VIDEOS.items():
        frames = demo.images[camera][:, ::-1, ::-1]
        _encode(frames, folder / f"{camera}.mp4", round(1 / demo.period))
        chosen = frames[np.linspace(0, len(frames) - 1, min(SAMPLED, len(frames))).astype(int)] / 255
        pictures[key] = _statistics(chosen.reshape(len(chosen), -1, 3), axis=(0, 1), shape=(3, 1, 1))
    felt = demo.felt
    turned = axis_angle(felt["robot0_eef_quat"])
    state = np.hstack([felt["robot0_eef_pos"], turned, felt["robot0_gripper_qpos"]])
    arrays = {"observation.state": state, "observation.joints": felt["robot0_joint_pos"], "action": demo.actions}
    privileged = {"states": demo.states, "poses": demo.poses, "things": np.array(demo.things)}
    privileged |= {f"mask_{camera}": m for camera, m in demo.masks.items()}
    np.savez_compressed(folder / "privileged.npz", allow_pickle=False, **privileged)
    np.savez_compressed(folder / "frames.npz", allow_pickle=False, **arrays)
    about = {
        "task": demo.task,
        "instruction": demo.instruction,
        "seed": demo.seed,
        "period": demo.period,
        "size": int(demo.images[AGENT].shape[1]),
        "steps": demo.steps,
        "facts": demo.facts,
        "disturbed_at": demo.disturbed_at,
        "pictures": pictures,
    }
    replace_file(folder / INDEX, json.dumps(about))


def assemble(folders: Sequence[Path], out: Path) -> None:
    """Make a dataset in `out`, which is not there yet, of episodes that were written."""
    episodes = [json.loads((folder / INDEX).read_text(encoding="utf-8")) for folder in folders]
    tasks = {said: n for n, said in enumerate(dict.fromkeys(e["instruction"] for e in episodes))}
    subtasks = {said: n for n, said in enumerate(dict.fromkeys(s for e in episodes for s in e["steps"]))}
    rows, statistics, writer, first = list[dict[str, Any]](), list[dict[str, Any]](), None, 0
    (out / "privileged").mkdir(parents=True)
    for n, (folder, about) in enumerate(zip(folders, episodes, strict=True)):
        with np.load(folder / "frames.npz") as file:
            vectors = dict(file)
        table = _table(n, first, about, vectors, tasks, subtasks)
        if n % CHUNK == 0:
            if writer is not None:
                writer.close()
            writer = pq.ParquetWriter(_made(out / "data" / f"{_place(0, n // CHUNK)}.parquet"), table.schema)
        assert writer is not None
        writer.write_table(table)
        stats = {name: _statistics(table_values, axis=0) for name, table_values in _numbers(table)} | about["pictures"]
        for camera, key in VIDEOS.items():
            _link(folder / f"{camera}.mp4", _made(out / "videos" / key / f"{_place(n // CHUNK, n % CHUNK)}.mp4"))
        _link(folder / "privileged.npz", out / "privileged" / f"episode_{n:06}.npz")
        rows.append(_row(n, first, about, stats))
        statistics.append(stats)
        first += len(about["steps"])
    if writer is not None:
        writer.close()
    _write_meta(out, episodes, rows, statistics, {"task": tasks, "subtask": subtasks})


def _table(
    n: int, first: int, about: dict[str, Any], vectors: Mapping[str, Array], tasks: dict[str, int], subs: dict[str, int]
) -> pa.Table:
    """The rows of an episode."""
    length = len(about["steps"])
    at = np.arange(length)
    disturbed = np.full(length, False) if about["disturbed_at"] is None else at >= about["disturbed_at"]
    return pa.table(
        {
            **{
                name: pa.array(list(values.astype(np.float32)), pa.list_(pa.float32(), values.shape[1]))
                for name, values in vectors.items()
            },
            "timestamp": pa.array((at * about["period"]).astype(np.float32)),
            "frame_index": pa.array(at),
            "episode_index": pa.array(np.full(length, n)),
            "index": pa.array(at + first),
            "task_index": pa.array(np.full(length, tasks[about["instruction"]])),
            "subtask_index": pa.array([subs[said] for said in about["steps"]], pa.int64()),
            "facts": pa.array(about["facts"]),
            "disturbed": pa.array(disturbed),
        }
    )


def _numbers(table: pa.Table) -> Iterator[tuple[str, Array]]:
    for name in table.column_names:
        if name != "facts":
            values = np.array(table[name].to_pylist(), dtype=float)
            yield name, values.reshape(len(values), -1)


def _row(n: int, first: int, about: dict[str, Any], stats: dict[str, Any]) -> dict[str, Any]:
    """What `meta/episodes` says of an episode."""
    length = len(about["steps"])
    row = {
        "episode_index": n,
        "tasks": [about["instruction"]],
        "length": length,
        "data/chunk_index": 0,
        "data/file_index": n // CHUNK,
        "dataset_from_index": first,
        "dataset_to_index": first + length,
        "meta/episodes/chunk_index": 0,
        "meta/episodes/file_index": 0,
        "source": about["task"],
        "seed": about["seed"],
        "disturbed_at": -1 if about["disturbed_at"] is None else about["disturbed_at"],
    }
    for key in VIDEOS.values():
        row |= {f"videos/{key}/chunk_index": n // CHUNK, f"videos/{key}/file_index": n % CHUNK}
        row |= {f"videos/{key}/from_timestamp": 0.0, f"videos/{key}/to_timestamp": length * about["period"]}
    return row | {f"stats/{name}/{what}": value for name, each in stats.items() for what, value in each.items()}


def _write_meta(
    out: Path, episodes: list[dict[str, Any]], rows: list[dict[str, Any]], statistics: list[dict[str, Any]],
    names: dict[str, dict[str, int]],
) -> None:  # fmt: skip
    fps, size = round(1 / episodes[0]["period"]), episodes[0]["size"]
    video = {"video.fps": fps, "video.codec": "h264", "video.pix_fmt": "yuv420p", "video.is_depth_map": False}
    video |= {"video.height": size, "video.width": size, "video.channels": 3, "has_audio": False}
    whole = {"dtype": "int64", "shape": [1], "names": None}
    features = {
        **{
            key: {"dtype": "video", "shape": [size, size, 3], "names": ["height", "width", "channels"], "info": video}
            for key in VIDEOS.values()
        },
        **{key: {"dtype": "float32", "shape": [len(n)], "names": list(n)} for key, n in VECTORS.items()},
        "timestamp": {"dtype": "float32", "shape": [1], "names": None},
        **dict.fromkeys(("frame_index", "episode_index", "index", "task_index", "subtask_index"), whole),
        "facts": {"dtype": "string", "shape": [1], "names": None},
        "disturbed": {"dtype": "bool", "shape": [1], "names": None},
    }
    info = {
        "codebase_version": VERSION,
        "robot_type": "panda",
        "total_episodes": len(episodes),
        "total_frames": rows[-1]["dataset_to_index"],
        "total_tasks": len(names["task"]),
        "chunks_size": CHUNK,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": fps,
        "splits": {"train": f"0:{len(episodes)}"},
        "data_path": f"data/{PLACE}.parquet",
        "video_path": f"videos/{{video_key}}/{PLACE}.mp4",
        "features": features,
    }
    meta = out / "meta"
    pq.write_table(pa.Table.from_pylist(rows), _made(meta / "episodes" / f"{_place(0, 0)}.parquet"))
    replace_file(meta / "info.json", json.dumps(info, indent=4))
    replace_file(meta / "stats.json", json.dumps(_together(statistics), indent=4))
    for name, numbers in names.items():
        pq.write_table(_indexed(f"{name}_index", numbers), meta / f"{name}s.parquet")


def _indexed(column: str, numbers: dict[str, int]) -> pa.Table:
    """A table that pandas reads as a frame with the names as its index."""
    index = "__index_level_0__"
    table = pa.table({column: pa.array(numbers.values(), pa.int64()), index: pa.array(numbers.keys())})
    kinds = ((column, "int64", "int64"), (None, "unicode", "object"))
    columns = [
        {"name": name, "field_name": name or index, "pandas_type": kind, "numpy_type": numpy_kind, "metadata": None}
        for name, kind, numpy_kind in kinds
    ]
    said = {"index_columns": [index], "column_indexes": [], "columns": columns, "pandas_version": "2.0.0"}
    return table.replace_schema_metadata({"pandas": json.dumps(said)})


def _statistics(values: Array, axis: int | tuple[int, ...], shape: tuple[int, ...] = (-1,)) -> dict[str, Any]:
    found = {
        what: getattr(np, what)(values, axis=axis).reshape(shape).tolist() for what in ("min", "max", "mean", "std")
    }
    return {**found, "count": [len(values)]}


def _together(statistics: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The statistics of all episodes: of a mixture, its mean and spread."""
    out = {}
    for name in statistics[0]:
        low, high, mean, std = (np.array([s[name][k] for s in statistics]) for k in ("min", "max", "mean", "std"))
        count = np.array([s[name]["count"][0] for s in statistics])
        weight = (count / count.sum()).reshape(-1, *[1] * (mean.ndim - 1))
        middle = (weight * mean).sum(axis=0)
        spread = np.sqrt((weight * (std**2 + (mean - middle) ** 2)).sum(axis=0))
        found = {"min": low.min(axis=0), "max": high.max(axis=0), "mean": middle, "std": spread}
        out[name] = {what: value.tolist() for what, value in found.items()} | {"count": [int(count.sum())]}
    return out


def _encode(frames: Array, path: Path, fps: int) -> None:
    """H.264 in which every other frame is a whole one, so that any can be read without those before it."""
    options = ["-g", "2", "-crf", "18"]
    writer = imageio.get_writer(
        str(path), fps=fps, codec="libx264", quality=None, macro_block_size=None, ffmpeg_params=options
    )
    with writer:
        for frame in frames:
            writer.append_data(np.ascontiguousarray(frame))


def _place(chunk: int, file: int) -> str:
    return PLACE.format(chunk_index=chunk, file_index=file)


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _link(source: Path, path: Path) -> None:
    """The same file in another place; a copy where the disk has no links."""
    try:
        os.link(source, path)
    except OSError:
        shutil.copyfile(source, path)
