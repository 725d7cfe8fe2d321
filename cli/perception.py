"""`tamp perception`: recordings, and what the camera mode makes of them; `tamp calibrate`; `tamp policy`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from cli.output import INTERRUPTED, Output, counted, note, progress
from tamp.api import camera_recordings
from tamp.api.configs import RecordConfig, ServeConfig
from tamp.api.tool_configs import CalibrateConfig, ShowRecordingConfig

if TYPE_CHECKING:
    from tamp.api.camera_recordings import CalibratedCameras


def record(config: RecordConfig, out: Output) -> int:
    """Record each scene into its own folder."""
    found, orders = [], camera_recordings.orders(config)
    with progress("recording", len(orders)) as done:
        for order in orders:
            found.append(camera_recordings.recorded(order, config.out / order.name))
            done(order.name)
    out.answer({"recordings": found}, map(_recorded, found))
    return 0


def _recorded(about: dict[str, Any]) -> str:
    what = counted(about["moments"], "moment")
    if about["kept"]:
        return f"{about['folder']}: {what}, recorded before"
    endings = {True: ", the episode succeeded", False: f", the episode failed: {about['reason']}"}
    return f"{about['folder']}: {what}, {about['things']} things{endings.get(about['success'], '')}"


def show(config: ShowRecordingConfig, out: Output) -> int:
    """Perceive a recording, or each in a folder of several."""
    found = list(camera_recordings.perceived(config.folder, config.out))
    out.answer({"recordings": found}, (line for about in found for line in _perceived(about)))
    return 0


def _perceived(about: dict[str, Any]) -> Iterator[str]:
    yield f"{about['folder']}"
    for m in about["moments"]:
        yield f"  after {m['time']:.2f} s, drawn in {', '.join(p.name for p in m['pictures'])}"
        for t in m["things"]:
            x, y, z = t["position"]
            like = f", or {', '.join(t['like'])}" if t["like"] else ""
            joints = "".join(f", {name} at {v:g}" for name, v in t["joints"].items())
            yield f"    {t['name']}  {t['confidence']:.2f}  at ({x:.3f}, {y:.3f}, {z:.3f}){joints}{like}"


def calibrate(config: CalibrateConfig, out: Output) -> int:
    """Say where each camera is, and write it into a file."""
    found = camera_recordings.calibrated(config)
    out.answer(found.as_dict(), _calibrated(found))
    return 0


def _calibrated(found: CalibratedCameras) -> Iterator[str]:
    from numpy import degrees

    for f in found.cameras:
        metres, radians = f.size
        yield (
            f"{f.camera} ({'in the hand' if f.on_hand else 'fixed'}): {1000 * metres:.1f} mm and "
            f"{degrees(radians):.2f} degrees from where it is said to be, by {f.views} views that differ by "
            f"{1000 * f.scatter[0]:.1f} mm and {degrees(f.scatter[1]):.2f} degrees"
        )
    yield f"written to {found.file}; as a world file has it:"
    for line in found.world:
        yield f"    {line}"


def serve(config: ServeConfig, out: Output) -> int:
    """Serve this toolkit behind the interface of a learned policy, until Ctrl-C; one line once it listens."""
    from tamp.api import camera_policies

    about = {
        "policy": "tamp",
        "version": version("tamp-toolkit"),
        "perception": "camera",
        "llm": config.llm,
        "planner": config.planner,
        "action": "LIBERO's standard action: OSC_POSE displacement (6,) and gripper, in [-1, 1]",
        "action_horizon": 1,
    }

    def ready(port: int) -> None:
        out.answer({"port": port, **about}, [f"policy at ws://127.0.0.1:{port}"])

    try:
        camera_policies.serve(config, about, ready, note)
    except KeyboardInterrupt:
        note("interrupted")
    return INTERRUPTED
