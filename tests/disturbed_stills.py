"""The pictures of docs/disturbances.md: ten disturbed episodes by camera, four moments of each, drawn on what was seen.

    python -m tests.disturbed_stills [--kinds KIND ...] [--out docs/images]

The moments: before, when it has happened, when the robot is on its new way, and the end. Initial state 40, seed 0.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tamp.api import arguments, camera, language
from tamp.backends.libero import rendering
from tamp.quiet import hush_simulator, hush_warnings

SCENES = {
    "moved": "libero_spatial/2",
    "moved-after": "libero_object/4",
    "knocked": "libero_goal/8",
    "slides": "libero_object/0",
    "swapped": "libero_object/2",
    "occupied": "libero_goal/8",
    "in-the-way": "libero_spatial/9",
    "half-shut": "libero_10/3",
    "shifted": "libero_goal/8",
    "taken": "libero_object/7",
}
STATE = 40
SIZE = 256
"""Pixels of a side of one picture."""
SOON = 8
"""Control steps after what happened at which it is shown."""
QUALITY = 80


@dataclass(frozen=True, eq=False)
class Episode:
    """What an episode came to, and the pictures (n, h, w, 3) of its fixed camera, one every `every` control steps."""

    disturbed: dict[str, Any]
    told: str
    frames: list[np.ndarray]
    every: float

    def at(self, step: float) -> np.ndarray:
        """The picture of a control step."""
        return self.frames[int(np.clip(round(step / self.every), 0, len(self.frames) - 1))]

    def moments(self) -> list[np.ndarray]:
        """The four pictures."""
        step = int(self.disturbed["step"])
        later = step + int(self.disturbed.get("resumed", 5 * SOON))
        return [self.at(step - 2), self.at(step + SOON), self.at(max(later, step + 3 * SOON)), self.frames[-1]]


def episode(kind: str, scene: str) -> Episode:
    """Run it."""
    import imageio.v3 as iio

    from tamp.backends.libero import tasks
    from tamp.runs.episode import Settings
    from tests.places import by_policy as run_camera

    with tempfile.TemporaryDirectory() as folder, hush_simulator():
        engine = language.planner("fast-downward", None)
        settings = Settings(arguments.domain("tabletop"), engine, 0, STATE, video=True, overlay=True, disturb=kind)
        process = camera.process(camera.Recipe("tabletop", "fast-downward", None))
        try:
            out = Path(folder) / "episode"
            result = run_camera(tasks.find(scene), None, settings, process, out, lambda line: None)
        finally:
            process.close()
        frames = [f[:, : f.shape[0]] for f in iio.imread(out / "video.mp4")]
    if result.disturbed is None:
        raise SystemExit(f"{kind} in {scene}: nothing was disturbed")
    told = "success" if result.success else f"no: {result.reason}"
    return Episode(result.disturbed, told, frames, result.total_steps / len(frames))


def strip(pictures: list[np.ndarray]) -> Any:
    """The pictures side by side."""
    from PIL import Image

    return Image.fromarray(np.hstack([np.asarray(Image.fromarray(p).resize((SIZE, SIZE))) for p in pictures]))


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kinds", nargs="+", choices=SCENES, default=list(SCENES))
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    asked = parser.parse_args()
    for kind in asked.kinds:
        shown = episode(kind, SCENES[kind])
        path = asked.out / f"disturbed-{kind}.jpg"
        strip(shown.moments()).save(path, quality=QUALITY)
        size = path.stat().st_size // 1024
        sys.stdout.write(f"{kind:12} {SCENES[kind]}: {shown.told}; {shown.disturbed}; {path}, {size} KB\n")


if __name__ == "__main__":
    hush_warnings()
    rendering.prepare(video=True, camera=True)
    main()
